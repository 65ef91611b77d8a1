// How a run was made, as rows: its settings and machine, and the requested lengths of prompts and answers next to the server's
// counts, so that figures of answers that were cut at different lengths are not compared.

import { counted, formatCount } from '../../core/figure/figure.ts';
import { seedText } from '../../core/run/foreign-run.ts';
import type { Report, ReportEnvironment, ReportRun, ReportSeries } from '../../core/run/report.ts';
import { hasOutputTokens, NO_OUTPUT_TOKENS } from '../../core/run/run-rates.ts';
import type { RequestedTokens, RunRequests } from '../../core/run/run-requests.ts';
import { graceRows, isOfTrace, loadLabel, nameLabel, shapeOf } from '../../core/run/run-shape.ts';
import { traceRows } from '../../core/run/trace-shape.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { provenanceRows } from './provenance-rows.ts';

interface CountedTokens {
  readonly input: ReportSeries | undefined;
  readonly output: ReportSeries | undefined;
}

type Row = readonly [name: string, text: string];

/**
 * What was sent, and whether a cache may contain it from before. Prompts of a trace share what the trace's own did.
 */
export const promptsText = ({ dataset, hasNonce, shape }: ReportRun): string => {
  const unique = isOfTrace(shape) ? 'none like those of another run' : 'each made unique';
  return `${dataset}${hasNonce ? `, ${unique}` : ''}`;
};

export const settingRows = (report: Report): readonly Row[] => {
  const { run, environment, series, provenance } = report;
  return [
    ...(nameLabel(run) === '' ? [] : [['name', nameLabel(run)] as const]),
    ['target', `${run.target}, ${shown(run.serverKind)}`],
    ['API', shown(run.api)],
    ['model', shown(run.model)],
    ['load', `${loadLabel(run)}, ${run.streaming ? 'streamed' : 'not streamed'}${seedText(run)}`],
    ...graceRows(run),
    ['prompts', `${promptsText(run)}, ${run.warmupRequests} to warm up`],
    ...tokenRows(run, { input: series.inputTokens, output: series.outputTokens }),
    ...lengthRows(report),
    ['client', environmentText(environment)],
    ...provenanceRows(provenance),
  ];
};

export const environmentText = ({ cpu, cores, os, node }: ReportEnvironment): string =>
  `${cpu}, ${counted(cores, 'core')}, ${os}, Node ${node}`;

const shown = (value: Reported<string>): string => (isUnknown(value) ? `unknown (${value.reason})` : value);

/** The two rows of the first screen; none for a run of a version that left lengths to the server. */
export const tokenRows = (
  { requests, api }: Pick<ReportRun, 'requests'> & Partial<Pick<ReportRun, 'api'>>,
  counted: CountedTokens,
): readonly Row[] => {
  if (isUnknown(requests)) return [];
  const { inputTokens, outputTokens } = requests;
  const input = isUnknown(inputTokens) ? inputTokens.reason : `requested ${requestedText(inputTokens)}`;
  return [
    ['input tokens', `${input}; ${countedText(counted.input, inputTokens)}`],
    [
      'output tokens',
      hasOutputTokens(api)
        ? `${outputText(requests)}; ${countedText(counted.output, outputTokens)}`
        : NO_OUTPUT_TOKENS,
    ],
  ];
};

/** How the lengths were determined, and from which trace: after those two, in the full text. */
export const lengthRows = ({
  run,
  counts,
}: {
  readonly run: Pick<ReportRun, 'requests' | 'shape'>;
  readonly counts: { readonly issued: number };
}): readonly Row[] => {
  const { requests } = run;
  const ofTrace = traceRows(shapeOf(run), counts.issued);
  if (isUnknown(requests)) return ofTrace;
  const { inputTokens, prefixes, calibration, outputSource, lengthFields, body } = requests;
  const shared: readonly Row[] = isUnknown(prefixes)
    ? []
    : [
        [
          'prefixes',
          `${formatCount(prefixes.count)} of ${counted(prefixes.tokens, 'token')}, shared, in turn`,
        ],
      ];
  const words: readonly Row[] = isUnknown(inputTokens) ? [] : [['words', calibrationText(calibration)]];
  const lengths: readonly Row[] =
    outputSource === 'option'
      ? [['answers held by', lengthFields.length === 0 ? NOT_ENFORCED : lengthFields.join(', ')]]
      : [];
  return [
    ...ofTrace,
    ...shared,
    ...words,
    ...lengths,
    ...(body === '{}' ? [] : [['body', `each with ${body}`] as const]),
  ];
};

const calibrationText = (calibration: RunRequests['calibration']): string => {
  if (isUnknown(calibration)) return `one for each token, not calibrated: ${calibration.reason}`;
  const { requests, requestedTokens, countedTokens } = calibration;
  return `calibrated by ${counted(requests, 'request')}: of ${counted(requestedTokens, 'token')} ${formatCount(countedTokens)} were counted`;
};

const outputText = ({ outputTokens, outputSource, lengthFields }: RunRequests): string => {
  if (isUnknown(outputTokens)) return `length left to ${outputTokens.reason}`;
  const requested = requestedText(outputTokens);
  switch (outputSource) {
    case 'default':
      return `requested at most ${requested}, the default`;
    case 'option':
      return lengthFields.length === 0 ? `requested at most ${requested}` : `requested ${requested}`;
    case 'dataset':
    case 'body':
      return `requested at most ${requested}`;
    default:
      return outputSource satisfies never;
  }
};

const requestedText = ({ text, mean, min, max }: RequestedTokens): string =>
  min === max ? formatCount(min) : `${text}: ${spreadText({ mean, min, max })}`;

const countedText = (series: ReportSeries | undefined, requested: Reported<RequestedTokens>): string => {
  if (series === undefined || series.mean === null || series.min === null || series.max === null)
    return 'none counted by the server';
  const { mean, min, max } = series;
  const share = isUnknown(requested) ? 0 : mean / requested.mean - 1;
  const deviation = Math.abs(share) < SHARE_SHOWN ? '' : ` (${signedPercent(share)})`;
  return `counted ${min === max ? formatCount(min) : spreadText({ mean, min, max })}${deviation}`;
};

const spreadText = ({ mean, min, max }: Pick<RequestedTokens, 'mean' | 'min' | 'max'>): string =>
  `${mean < 1_000 ? mean.toFixed(1) : formatCount(Math.round(mean))}, ${formatCount(min)} to ${formatCount(max)}`;

const signedPercent = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}%`;

const NOT_ENFORCED =
  'nothing: this server is not known to have min_tokens or ignore_eos, so they may be shorter';
const SHARE_SHOWN = 0.0005;
