// Which runs may be compared: the one rule of the command line and of the dashboard. Another model, other
// prompts, another load or other lengths make it another measurement. So does a client that was itself the
// limit: then a difference does not describe the server.

import * as v from 'valibot';
import { counted, formatCount, formatThreeDigits } from '../figure/figure.ts';
import { contaminationOf } from '../run/contamination.ts';
import { type ForeignOrigin, foreignLabel } from '../run/foreign-run.ts';
import { trustVerdict } from '../run/live-agent.ts';
import type { Report } from '../run/report.ts';
import type { Run } from '../run/run.ts';
import { runPatternSchema } from '../run/run-pattern.ts';
import { BODY_TEXT_MAX } from '../run/run-requests.ts';
import { loadLabel, PLAIN_SHAPE, runShapeSchema, shapeOf } from '../run/run-shape.ts';
import { figure, type Infer, openObject, reported, text } from '../schema.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import type { ComparisonRefusal, RefusalCode } from './comparison-document.ts';

/**
 * The properties of a run that decide it. A property that is unknown for one of two runs is no reason to
 * refuse.
 */
export const comparableFactsSchema = openObject({
  runId: text,
  model: reported(text),
  dataset: text,
  datasetDigest: reported(text),
  /** For an imported run: "AIPerf 0.13.0, which does not report: data set". */
  foreign: v.exactOptional(text),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  isStreaming: v.boolean(),
  /** Mean tokens per request, as the server counts them. */
  inputTokens: reported(figure),
  outputTokens: reported(figure),
  clientVerdict: trustVerdict,
  /** All other fields of a request's body, as text. */
  sampling: reported(v.pipe(v.string(), v.maxLength(2 * BODY_TEXT_MAX))),
  /** Codes of what contaminates its figures, or "nothing". */
  spoiledBy: reported(text),
});

export type ComparableFacts = Infer<typeof comparableFactsSchema>;

export const factsOfReport = ({
  run,
  series,
  client,
  contamination,
  provenance,
}: Report): ComparableFacts => ({
  runId: run.id,
  model: run.model,
  dataset: run.dataset,
  // Only the file is compared: another seed draws other prompts of the same generator, which are the same
  // load.
  datasetDigest: isUnknown(provenance)
    ? provenance
    : isUnknown(provenance.prompts.file)
      ? provenance.prompts.file
      : provenance.prompts.file.sha256,
  pattern: run.pattern,
  shape: run.shape,
  isStreaming: run.streaming,
  inputTokens: series.inputTokens?.mean ?? unknown('not reported by the server'),
  outputTokens: series.outputTokens?.mean ?? unknown('not reported by the server'),
  clientVerdict: client.verdict,
  sampling: isUnknown(run.requests)
    ? run.requests
    : [
        run.requests.body === '' ? '{}' : run.requests.body,
        // Under the field name that this engine uses; engines differ in it.
        ...(run.requests.lengthFields.length === 0 ? [] : ['answers as long as their limit']),
        ...(run.hasNonce ? [] : ['no nonce']),
        ...(isUnknown(run.requests.prefixes)
          ? []
          : [
              `${counted(run.requests.prefixes.count, 'prefix', 'prefixes')} of ${counted(run.requests.prefixes.tokens, 'token')}`,
            ]),
      ].join(' '),
  spoiledBy: spoilersOf({ contamination }),
  ...(run.foreign === undefined ? {} : { foreign: foreignText(run.foreign) }),
});

/** What the cluster has of a run: without its lengths and its sampling. */
export const factsOfRun = (run: Run): ComparableFacts => ({
  runId: run.runId,
  model: run.model,
  dataset: run.dataset,
  datasetDigest: NOT_REPORTED_TO_CLUSTER,
  pattern: run.pattern,
  shape: run.shape,
  isStreaming: run.isStreaming,
  inputTokens: NOT_REPORTED_TO_CLUSTER,
  outputTokens: NOT_REPORTED_TO_CLUSTER,
  clientVerdict: isUnknown(run.figures) ? 'unknown' : run.figures.client.verdict,
  sampling: NOT_REPORTED_TO_CLUSTER,
  spoiledBy: NOT_REPORTED_TO_CLUSTER,
  ...(run.foreign === undefined ? {} : { foreign: foreignLabel(run.foreign) }),
});

const foreignText = (foreign: ForeignOrigin): string =>
  foreign.unreported.length === 0
    ? foreignLabel(foreign)
    : `${foreignLabel(foreign)}, which does not report: ${foreign.unreported.map(({ what }) => what).join(', ')}`;

/**
 * Compares two sides of one run or more: each rule that one of them breaks, once. Runs of one side must also
 * be comparable with each other.
 */
export const refusalsBetween = (
  a: readonly ComparableFacts[],
  b: readonly ComparableFacts[],
): readonly ComparisonRefusal[] =>
  RULES.flatMap(({ code, problem, of, isSame = isEqual }) => {
    const values = [...a, ...b].map(of).filter(isKnown);
    const [first] = values;
    if (first === undefined || values.every(value => isSame(first, value))) return [];
    return [{ code, problem, a: textsOf(a, of), b: textsOf(b, of) }];
  }).concat(clientRefusals(a, b), foreignRefusals(a, b));

/** Why the load of one run is not that of the other: "8 at a time, not 4 at a time"; empty if it is. */
export const loadDifferences = (reference: ComparableFacts, facts: ComparableFacts): readonly string[] => {
  const refused = refusalsBetween([reference], [facts]).map(({ code }) => code);
  return [
    ...(refused.some(code => code === 'arrival' || code === 'concurrency')
      ? [`${loadLabel(facts)}, not ${loadLabel(reference)}`]
      : []),
    ...(refused.includes('dataset')
      ? [`data set ${withoutSeed(facts.dataset)}, not ${withoutSeed(reference.dataset)}`]
      : []),
  ];
};

interface Rule {
  readonly code: RefusalCode;
  readonly problem: string;
  readonly of: (facts: ComparableFacts) => Reported<string | number>;
  readonly isSame?: (one: string | number, other: string | number) => boolean;
}

const isEqual = (one: string | number, other: string | number): boolean => one === other;

const isWithin =
  (share: number) =>
  (one: string | number, other: string | number): boolean =>
    Math.abs(Number(other) - Number(one)) <= share * Math.min(Number(one), Number(other));

const textsOf = (side: readonly ComparableFacts[], of: Rule['of']): string => {
  const texts = new Set(side.map(facts => textOf(of(facts))));
  return [...texts].slice(0, VALUES_SHOWN_MAX).join(', ') + (texts.size > VALUES_SHOWN_MAX ? ', …' : '');
};

const textOf = (value: Reported<string | number>): string => {
  if (isUnknown(value)) return value.reason;
  return typeof value === 'number' ? formatThreeDigits(value) : value.slice(0, VALUE_LENGTH_MAX);
};

/** A client that was the limit measured itself; one of which that is unknown cannot be trusted either. */
const clientRefusals = (
  a: readonly ComparableFacts[],
  b: readonly ComparableFacts[],
): readonly ComparisonRefusal[] => {
  if ([...a, ...b].every(({ clientVerdict }) => clientVerdict === 'trustworthy')) return [];
  const of = ({ clientVerdict }: ComparableFacts): string => clientVerdict;
  return [
    {
      code: 'client',
      problem: 'The load generator was the limit, or it is not known that it was not',
      a: textsOf(a, of),
      b: textsOf(b, of),
    },
  ];
};

/** Figures of one tool have one meaning. Figures of two tools do not, and other differences are unknown. */
const foreignRefusals = (
  a: readonly ComparableFacts[],
  b: readonly ComparableFacts[],
): readonly ComparisonRefusal[] => {
  if ([...a, ...b].every(({ foreign }) => foreign === undefined)) return [];
  const of = ({ foreign = 'Plimsoll' }: ComparableFacts): string => foreign;
  return [
    {
      code: 'other',
      problem:
        'One was measured by another tool, and what that tool does not report may be the cause of a difference',
      a: textsOf(a, of),
      b: textsOf(b, of),
    },
  ];
};

const spoilersOf = (report: Pick<Report, 'contamination'>): Reported<string> => {
  const findings = contaminationOf(report);
  if (isUnknown(findings)) return findings;
  const codes = new Set(findings.map(({ code }) => code));
  return codes.size === 0 ? 'nothing' : [...codes].sort().join(', ');
};

/** A seed is not part of the data set's identity: other draws of the same prompts are the same load. */
const withoutSeed = (dataset: string): string => dataset.replace(/, seed -?\d+$/, '');

const arrivalOf = ({ pattern, shape }: ComparableFacts): string => {
  const { rampMs, warmupMs, steps, trace } = shapeOf({ shape });
  const kind =
    'concurrency' in pattern ? 'closed loop' : loadLabel({ pattern, shape: { ...PLAIN_SHAPE, trace } });
  return [
    steps.length === 0 ? kind : loadLabel({ pattern, shape }),
    ...(rampMs === 0 ? [] : [`ramp ${rampMs / 1_000} s`]),
    ...(warmupMs === 0 ? [] : [`warm-up ${warmupMs / 1_000} s`]),
  ].join(', ');
};

const concurrencyOf = ({ pattern, shape }: ComparableFacts): string => {
  const cap = knownOr(shapeOf({ shape }).inFlightCap, undefined);
  return [
    ...('concurrency' in pattern ? [`${formatCount(pattern.concurrency)} at a time`] : []),
    ...(cap === undefined ? [] : [`at most ${formatCount(cap)} in flight`]),
  ].join(', ');
};

/** Limit for the difference of lengths, as a share. */
const LENGTHS_SHARE_MAX = 0.02;
const VALUES_SHOWN_MAX = 4;
const VALUE_LENGTH_MAX = 200;
const NOT_REPORTED_TO_CLUSTER = unknown('only in the report');

const RULES: readonly Rule[] = [
  { code: 'model', problem: 'Different models answered', of: ({ model }) => model },
  {
    code: 'dataset',
    problem: 'The prompts come from different data sets',
    of: ({ dataset, foreign }) =>
      foreign === undefined ? withoutSeed(dataset) : unknown('not reported by another tool'),
  },
  {
    code: 'dataset',
    problem: 'The data sets have the same name and different contents',
    of: ({ datasetDigest }) => datasetDigest,
  },
  { code: 'arrival', problem: 'Requests arrived in different ways', of: arrivalOf },
  {
    code: 'concurrency',
    problem: 'Different numbers of requests were in flight',
    of: facts => concurrencyOf(facts) || 'not limited',
  },
  {
    code: 'lengths',
    problem: `Prompts differ in length by more than ${LENGTHS_SHARE_MAX * 100}\u202f%`,
    of: ({ inputTokens }) => inputTokens,
    isSame: isWithin(LENGTHS_SHARE_MAX),
  },
  {
    code: 'lengths',
    problem: `Answers differ in length by more than ${LENGTHS_SHARE_MAX * 100}\u202f%`,
    of: ({ outputTokens }) => outputTokens,
    isSame: isWithin(LENGTHS_SHARE_MAX),
  },
  { code: 'sampling', problem: 'Requests have different options', of: ({ sampling }) => sampling },
  {
    code: 'sampling',
    problem: 'One streams its answers and another does not',
    of: ({ isStreaming }) => (isStreaming ? 'streamed' : 'not streamed'),
  },
  {
    code: 'contamination',
    problem: 'The two are contaminated in different ways',
    of: ({ spoiledBy }) => spoiledBy,
  },
];
