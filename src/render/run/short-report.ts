// A report on one screen, 40 lines of 80 columns: whether it can be trusted, the most important figures, and notices.
// The rest is in the full text, so that the verdict does not scroll away.

import { maximumOf } from '../../core/extremes.ts';
import { formatMoment } from '../../core/figure/duration.ts';
import { counted, figureText } from '../../core/figure/figure.ts';
import { contaminationLines, SPOILED_MARK } from '../../core/run/contamination.ts';
import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import {
  type FailureHeadline,
  failureHeadline,
  failureSentence,
  outageLines,
} from '../../core/run/failure-text.ts';
import {
  figureVerdicts,
  figureVerdictText,
  unboundedReason,
  unboundedText,
} from '../../core/run/figure-verdict.ts';
import { foreignLabel, foreignSentence, seedText } from '../../core/run/foreign-run.ts';
import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import { lostHistoryHeadline } from '../../core/run/lost-history.ts';
import type { Report } from '../../core/run/report.ts';
import { loadLabel } from '../../core/run/run-shape.ts';
import {
  brokenLines,
  clipped,
  hangingLines,
  inColumns,
  padded,
  textWidth,
  wrapped,
} from '../../core/text/columns.ts';
import { capitalized, withFullStop } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { type Section, type SectionCell, sectionBody, sectionCellText } from '../section.ts';
import { fromText } from './agent-rows.ts';
import { costSection } from './cost-rows.ts';
import { depthLines } from './depth-text.ts';
import { energySection } from './energy-rows.ts';
import { answerSentence } from './objective-labels.ts';
import { shortPercentiles } from './percentile-rows.ts';
import { prefixCacheSection } from './prefix-cache-rows.ts';
import { isStoppedUnmeasured, objectiveLines, reportVerdict, summaryFigures } from './report-summary.ts';
import { headroomSection } from './run-headroom-text.ts';
import { scenarioLines } from './scenario-rows.ts';
import { serverPrefixSentence, serverTimeSentence } from './server-times.ts';
import { sessionSection } from './session-rows.ts';
import { speculationSection } from './speculation-rows.ts';
import { stallSection } from './stall-rows.ts';
import { tokenRows } from './text-requests.ts';
import { variantSection } from './variant-rows.ts';

/** @param columns of the terminal: sentences break there */
export const shortReport = (report: Report, columns: number): readonly string[] => {
  const above = [
    ...verdictLines(report, columns),
    ...failureLines(report, columns),
    '',
    ...head(report),
    '',
    ...(report.depth === undefined
      ? [
          ...figures(report),
          ...(hasFigures(report) ? ['', ...sectionBody(shortPercentiles(report), columns)] : []),
        ]
      : depthLines(report.depth, report.calibration)),
    ...byServer(report, columns),
    ...byUrl(report),
    ...scenarioLines(report).flatMap(line => hangingLines('  ', line, columns)),
    ...leads(report),
    ...(hasFigures(report) ? errorBounds(report) : []),
    ...apart(headroomSection(report), columns),
    ...apart({ tables: energySection(report)?.tables ?? [] }, columns),
    ...apart({ tables: costSection(report)?.tables ?? [] }, columns),
    ...spoiled(report, columns),
  ].flatMap(line => bounded(wrapped(line, columns), LINES_OF_ONE_MAX));
  const below = notices(report, columns);
  const room = Math.max(OBJECTIVE_LINES_LEAST, SCREEN_LINES - above.length - below.length - 1);
  return [...above, ...objectives(report, { columns, linesMax: room }), ...below];
};

/** The parts for the first screen; the tables by turn, by uncached tokens and by position are in the full report. */
const leads = (report: Report): readonly string[] => {
  const { requests } = report.run;
  // Hits of prompts that were not made to share anything are a finding, or the chat template.
  const isShared = !isUnknown(requests) && !isUnknown(requests.prefixes);
  return [
    sessionSection(report),
    isShared ? prefixCacheSection(report) : undefined,
    speculationSection(report),
    stallSection(report),
  ].flatMap(section => (section?.lead ?? []).map(line => `  ${line}`));
};

/** In capitals if something is wrong: a terminal may have no colour. */
const verdictLines = (report: Report, columns: number): readonly string[] => {
  const { client } = report;
  // The reason of a stop contains it.
  const failed = report.stopped === undefined ? failureHeadline(report) : undefined;
  const lost = lostHistoryHeadline(report);
  const reported = [
    ...(report.interrupted ? [`INTERRUPTED: ${report.incompleteReason ?? 'the run was interrupted'}.`] : []),
    ...(report.stopped === undefined ? [] : [`STOPPED: ${report.stopped.problem}. ${report.stopped.advice}`]),
    ...(report.interrupted || report.complete || report.stopped !== undefined
      ? []
      : [`INCOMPLETE: ${report.incompleteReason ?? 'something is missing'}.`]),
    ...(report.source === 'live-snapshot' ? ['These are live figures, not a final account.'] : []),
    // A failure of the server first: what the client was in the way of comes after it.
    ...(failed === undefined ? [] : [failedLine(failed)]),
    ...(lost === undefined ? [] : [`${lost.toUpperCase()}.`]),
    ...(client.verdict === 'client-bound' && !isStoppedUnmeasured(report)
      ? [`CLIENT-BOUND: ${client.reasons.join('; ')}.`]
      : []),
    ...(report.run.foreign === undefined ? [] : [`FOREIGN: ${foreignSentence(report.run.foreign)}.`]),
    ...(client.verdict === 'unknown' && report.run.foreign === undefined && report.counts.completed > 0
      ? [`NOT TRUSTWORTHY: ${client.reasons.join('; ')}.`]
      : []),
  ];
  return reported.length === 0
    ? [`${reportVerdict(report).headline}.`]
    : shortened(
        reported.map(text => brokenLines(text, columns)),
        VERDICT_LINES_MAX,
      );
};

/** Right below the verdict: the server's error, and advice. The most frequent first. */
const failureLines = (report: Report, columns: number): readonly string[] => {
  if (isUnknown(report.failures)) return [];
  const { groups, others, outages, unsuccessfulEnd } = report.failures;
  const isInHeadline =
    outages.length < 2 && !(unsuccessfulEnd !== undefined && outages.every(({ isOver }) => isOver));
  const shown = groups.slice(0, SHORT_GROUPS_MAX);
  const more = groups.length - shown.length + (others === undefined ? 0 : 1);
  const lines = [
    ...shown.flatMap(group => {
      const advice = failureAdvice(group, adviceContext(report));
      return [
        ...hangingLines('  ', failureSentence(group), columns),
        ...(advice === '' ? [] : hangingLines('    → ', advice, columns)),
      ];
    }),
    ...(more === 0 ? [] : [`  … ${counted(more, 'more reason')} with --full`]),
    ...(isInHeadline
      ? []
      : outageLines(outages)
          .slice(0, SHORT_OUTAGES_MAX)
          .map(line => `  away ${line}`)),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
};

const failedLine = ({ lead, rest }: FailureHeadline): string => withFullStop(`${lead.toUpperCase()}${rest}`);

const fromRow = (run: Report['run']): readonly (readonly string[])[] => {
  const from = fromText(run);
  return from === undefined ? [] : [['from', from]];
};

const targetText = ({ target, urls }: Report['run']): string =>
  urls === undefined ? target : `${urls.length} URLs`;

const head = ({ run, plimsoll, series }: Report): readonly string[] => [
  `Run ${clipped(run.id, ID_COLUMNS)}${isUnknown(run.name) ? '' : `, ${run.name},`} of ${formatMoment(run.startedAt)}, ${run.foreign === undefined ? `Plimsoll ${plimsoll.version}` : foreignLabel(run.foreign)}`,
  ...inColumns([
    [
      'target',
      `${clipped(targetText(run), NAME_COLUMNS)}${isUnknown(run.serverKind) ? '' : `, ${run.serverKind}`}`,
    ],
    ...fromRow(run),
    ['model', isUnknown(run.model) ? `unknown: ${run.model.reason}` : clipped(run.model, NAME_COLUMNS)],
    ['load', `${loadLabel(run)}, ${run.streaming ? 'streamed' : 'not streamed'}${seedText(run)}`],
    ['prompts', run.dataset],
    ...tokenRows(run, { input: series.inputTokens, output: series.outputTokens }),
  ]),
];

/** The time by phases is what people look for, if the server reports it. */
const byServer = (report: Report, columns: number): readonly string[] => {
  const { sessions } = report;
  const times = serverTimeSentence(report);
  const prefix =
    sessions !== undefined && isUnknown(sessions.cachedShare) ? serverPrefixSentence(report) : undefined;
  return [times ?? [], prefix ?? []].flat().flatMap(sentence => hangingLines('  ', sentence, columns));
};

/** One line for each of several URLs: it shows which is slow or fails. */
const byUrl = (report: Report): readonly string[] => {
  const reported =
    report.run.urls === undefined && report.run.addresses === undefined
      ? undefined
      : variantSection(report)?.tables?.[0];
  if (reported === undefined) return [];
  const cells = ([url = '', ...row]: readonly SectionCell[]): readonly string[] => [
    clipped(sectionCellText(url), SHORT_URL_COLUMNS),
    ...SHORT_URL_FIGURES.map(at => sectionCellText(row[at] ?? '')),
  ];
  const rows = [cells(reported.columns), ...reported.rows.map(cells)];
  return [
    '',
    ...shortened(
      inColumns(rows, { hasFigures: true }).map(line => [line]),
      URL_LINES_MAX,
    ),
  ];
};

/** If requests failed and none completed, there would only be dashes. */
const hasFigures = ({ counts, warmup }: Report): boolean =>
  counts.completed > 0 || counts.failed + warmup.failed === 0;

const figures = (report: Report): readonly string[] =>
  inColumns(
    summaryFigures(report)
      .filter((_, index, all) => hasFigures(report) || (report.counts.issued > 0 && index === all.length - 1))
      .map(({ name, value, isAtLeast, isSpoiled, remark }) => [
        isSpoiled ? `${name}${SPOILED_MARK}` : name,
        `${isAtLeast ? 'at least ' : ''}${figureText(value)}`,
        remark,
      ]),
  );

/** Left out if it is not known: --full shows the reason. */
const apart = (section: Pick<Section, 'tables' | 'remarks'> = {}, columns: number): readonly string[] => {
  const lines = sectionBody(section, columns);
  return lines.length === 0 ? [] : ['', ...lines];
};

/** The client's largest error, one a line. */
const errorBounds = ({ series, rateBounds }: Report): readonly string[] => {
  const [worst, ...rest] = figureVerdicts(series);
  if (worst === undefined) {
    const reason = unboundedReason(series, rateBounds);
    return reason === undefined ? [] : [`  client: ${unboundedText(reason)}`];
  }
  const others = rest.filter(({ kind }) => kind !== 'good').length;
  return [`  client: ${figureVerdictText(worst)}${others === 0 ? '' : `; ${others} more with --full`}`];
};

/** The meaning of the marks. */
const spoiled = (report: Report, columns: number): readonly string[] => {
  const lines = contaminationLines(report).map(line => hangingLines('  ! ', capitalized(line), columns));
  return lines.length === 0 ? [] : ['', ...shortened(lines, SPOILED_LINES_MAX)];
};

/** In full: what would decide is at its end. */
const objectives = (
  report: Report,
  { columns, linesMax }: { readonly columns: number; readonly linesMax: number },
): readonly string[] => {
  const answers = knownOr(report.objectiveAnswers, []);
  const width = maximumOf([0, ...answers.map(({ objective }) => textWidth(objective))]);
  const lines =
    answers.length === 0
      ? objectiveLines(report).map(line => hangingLines('  ', line, columns))
      : gravestFirst(answers).map(answer =>
          hangingLines(`  ${padded(answer.objective, width)}  `, answerSentence(answer), columns),
        );
  return lines.length === 0 ? [] : ['', ...shortened(lines, linesMax)];
};

const gravestFirst = (answers: readonly ObjectiveAnswer[]): readonly ObjectiveAnswer[] =>
  (['missed', 'too-few-samples', 'met'] as const).flatMap(wanted =>
    answers.filter(({ answer }) => answer === wanted),
  );

/** Fewer if there are figures, so that those stay visible. */
const notices = (report: Report, columns: number): readonly string[] => {
  const reported = report.notices.map(sentence => hangingLines('  ', capitalized(sentence), columns));
  if (reported.length === 0) return [];
  return ['', ...shortened(reported, hasFigures(report) ? NOTICE_LINES_MAX : ALONE_NOTICE_LINES_MAX)];
};

/** Whole items of one or several lines, as many as fit; the last line states how many more lines there are. */
const shortened = (items: readonly (readonly string[])[], linesMax: number): readonly string[] => {
  if (items.flat().length <= linesMax) return items.flat();
  const kept = items.findLastIndex((_, at) => items.slice(0, at + 1).flat().length < linesMax) + 1;
  // The first one as a whole in any case; a text from elsewhere has no end.
  const lines = kept === 0 ? (items[0] ?? []).slice(0, ITEM_LINES_MAX) : items.slice(0, kept).flat();
  return [...lines, moreLines(items.flat().length - lines.length)];
};

const bounded = (lines: readonly string[], linesMax: number): readonly string[] =>
  lines.length <= linesMax
    ? lines
    : [...lines.slice(0, linesMax - 1), moreLines(lines.length - linesMax + 1)];

const moreLines = (count: number): string => `  … ${counted(count, 'more line')} with --full`;

/** Length of a name; the full report has all of it. */
const NAME_COLUMNS = 60;
const ID_COLUMNS = 24;
/** Limit for a line that was too wide. */
const LINES_OF_ONE_MAX = 6;
/** Of a sentence, however little room there is. */
const ITEM_LINES_MAX = 12;
const VERDICT_LINES_MAX = 5;
const SHORT_GROUPS_MAX = 3;
const SHORT_OUTAGES_MAX = 4;
/** Of 40, with the command's own output below. */
const SCREEN_LINES = 36;
const OBJECTIVE_LINES_LEAST = 3;
const NOTICE_LINES_MAX = 3;
const ALONE_NOTICE_LINES_MAX = 8;
const SPOILED_LINES_MAX = 8;
const URL_LINES_MAX = 6;
const SHORT_URL_COLUMNS = 32;
/** Of the table's columns after the URL: completed, failed, tok/s, TTFT p50, TPOT p50. */
const SHORT_URL_FIGURES = [0, 1, 4, 5, 8] as const;
