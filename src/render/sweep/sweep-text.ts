// A load line or a sweep as text: the answer first, then the stages, and the reason for each verdict. One
// renderer for the terminal while it runs and afterwards, for line.txt and sweep.txt, and for `plimsoll
// report`.

import { maximumOf } from '../../core/extremes.ts';
import { formatClock, formatMeasuredNanoseconds, formatMoment } from '../../core/figure/duration.ts';
import { counted, figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import { failedStopLines, failedStopText } from '../../core/run/failed-stop.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { nameLabel } from '../../core/run/run-shape.ts';
import { type Stage, stageConfidence } from '../../core/sweep/stage.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { hangingLines, padded, paddedStart, textWidth } from '../../core/text/columns.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
import { lineCostSection } from '../run/cost-rows.ts';
import { TOO_FEW } from '../run/percentile-text.ts';
import { type FactRow, factLines, sectionBody, tableLines } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';
import { textBar } from '../text/bar.ts';
import { leadOf } from './line-lead.ts';
import {
  curveSeries,
  lineLoadText,
  loadText,
  objectivesText,
  shareText,
  stageResult,
  tailText,
} from './line-text.ts';
import {
  inLoadOrder,
  type PicturedStage,
  picturedAfterwards,
  picturedStages,
  reportedTail,
} from './pictured-stage.ts';
import { NOT_KNOWN, stageSection, tailTitle } from './stage-columns.ts';

/** For a file, whose reader is unknown. */
export const FILE_COLUMNS = 100;

type StagesDocument = SweepDocument | LineDocument;

/** The final text. */
export const sweepText = (document: StagesDocument, options: TextOptions): readonly string[] => {
  const { columns } = options;
  const stages = picturedAfterwards(document.stages);
  return [
    ...(document.stopped === undefined
      ? cutText(document).map(text => text.toUpperCase())
      : [...failedStopLines(document.stopped, columns), ...(isUnanswered(document) ? [] : [''])]),
    ...(isUnanswered(document) ? [] : hangingLines('', sweepAnswer(document), columns)),
    '',
    `${isLine(document) ? 'Load line' : 'Sweep'} ${document.id} of ${formatMoment(document.startedAt)}, Plimsoll ${document.plimsoll.version}`,
    ...factLines(stagesFacts(document), columns),
    '',
    ...(stages.length === 0 ? ['No stage has started.'] : table(stages, { document, columns })),
    ...costLines(document, columns),
    ...reasons(document.stages, columns),
    ...(isLine(document) ? [] : stageBars(inLoadOrder(stages, sweepHeadDigest(document, '').by), columns)),
  ].map(line => shownLine(line, options));
};

interface SearchScreenOptions extends TextOptions {
  readonly rows: number;
  /** Last lines of the screen. */
  readonly footer: readonly string[];
}

/** A search in progress, on one screen: what is known, what comes next, and the newest stages. */
export const searchScreen = (document: LineDocument, options: SearchScreenOptions): readonly string[] => {
  const { columns, rows, footer } = options;
  const stages = picturedStages(document.stages);
  const above = [
    ...hangingLines('', `So far: ${sweepAnswer(document)}`, columns),
    '',
    ...searchProgress(document),
    '',
    ...factLines(
      stagesFacts(document).filter(([name]) => LIVE_FACTS.has(name)),
      columns,
    ),
    '',
  ];
  const below = ['', ...footer];
  const [caption = '', head = '', ...lines] = table(stages, { document, columns });
  const room = Math.max(1, rows - above.length - below.length - TABLE_HEAD_ROWS);
  const newest = lines.length <= room ? lines : lines.slice(1 - room);
  const earlier = lines.length - newest.length;
  return [
    ...above,
    ...(stages.length === 0 ? ['No stage has started.'] : [caption, head]),
    ...(earlier === 0 ? [] : [`  … ${counted(earlier, 'earlier stage')}`]),
    ...newest,
    ...below,
  ].map(line => shownLine(line, options));
};

/** "3 of about 8 stages, at most 0:46 left", and the next load for either outcome. */
export const searchProgress = ({ progress, ...unit }: LineDocument): readonly string[] => {
  if (progress === undefined) return [];
  const { stagesDone, stagesExpected, leftMs, next } = progress;
  const left = isKnown(leftMs) ? `, at most ${formatClock(leftMs)} left` : '';
  const after = [
    ...(isKnown(next.ifHeld) ? [`${lineLoadText(next.ifHeld, unit)} if this load holds`] : []),
    ...(isKnown(next.ifFailed) ? [`${lineLoadText(next.ifFailed, unit)} if it does not`] : []),
  ];
  return [
    `${stagesDone} of about ${counted(stagesExpected, 'stage')}${left}`,
    ...(after.length === 0 ? [] : [`Next: ${after.join(', ')}`]),
  ];
};

/** One line, as a stage ends: "Stage 3 at 100/s: failed, grows; p95 790 ms; 63.4 requests/s. The queue grows: …". */
export const stageLine = (stage: Stage): string => {
  const [pictured] = picturedStages([stage]);
  if (pictured === undefined) return showable(`Stage ${stage.number}`, '?');
  const { completedPerSecond, outputTokensPerSecond } = pictured;
  const figures = [
    ...tailText(pictured),
    ...(completedPerSecond === undefined ? [] : [`${formatThreeDigits(completedPerSecond)} requests/s`]),
    ...(outputTokensPerSecond === undefined ? [] : [`${formatThreeDigits(outputTokensPerSecond)} tok/s`]),
  ];
  const why = pictured.reason === '' ? '' : `. ${capitalized(pictured.reason)}`;
  const reported = [stageResult(pictured).label, ...figures].join('; ');
  return showable(`Stage ${stage.number} at ${loadText(stage.load)}: ${reported}${why}`, '?');
};

/** In a sentence or two: a search's own sentence; for a sweep, the results of its loads. */
export const sweepAnswer = (document: StagesDocument): string => {
  const { line, sentence } = lineOf(document);
  if (sentence !== '') return [`${capitalized(sentence)}.`, ...tierSentences(document)].join(' ');
  return leadOf({
    sweep: sweepHeadDigest(document, ''),
    line,
    stages: picturedStages(document.stages),
    isLive: false,
    // A failure is named before it.
    reason: document.stopped === undefined ? sweepEndOf(document).reason : '',
    target: 'The endpoint',
  })
    .map(({ text }) => text)
    .join('')
    .trim();
};

/** "Tier gold: carries 5.1 to 5.4 requests/s at TTFT p95 ≤ 200 ms; above that the queue grows." */
export const tierSentences = (document: StagesDocument): readonly string[] =>
  isLine(document) ? (document.tiers ?? []).map(({ name, sentence }) => `Tier ${name}: ${sentence}.`) : [];

/** First line if it did not complete. */
export const cutText = (document: StagesDocument): readonly string[] => {
  if (document.stopped !== undefined) return [failedStopText(document.stopped)];
  const { state } = sweepEndOf(document);
  return state === 'complete' ? [] : [`${state}: results up to that point`];
};

/** The reason of the stop is the only result. */
const isUnanswered = (document: StagesDocument): boolean =>
  document.stopped !== undefined && isLine(document) && document.line.kind === 'unknown';

const isLine = (document: StagesDocument): document is LineDocument => document.schema === LINE_SCHEMA;

export const stagesFacts = (document: StagesDocument): readonly FactRow[] => {
  const { target, serverKind, model, dataset } = document;
  const name = nameLabel(document);
  return [
    ...(name === '' ? [] : [['name', name] as const]),
    ['target', `${target}${isUnknown(serverKind) ? '' : `, ${serverKind}`}`],
    ['model', isUnknown(model) ? `unknown: ${model.reason}` : model],
    ['prompts', dataset],
    ['objectives', objectivesText(document)],
    ...(isLine(document)
      ? [
          [
            'search',
            `ends at most ${shareText(document.resolution)} apart, each verdict with ${shareText(document.confidence)} confidence (second measurements ${shareText(stageConfidence('confirm', document.confidence))}), in ${formatClock(document.budgetMs)} at most`,
          ] as const,
        ]
      : []),
  ];
};

interface TableOptions {
  readonly document: StagesDocument;
  readonly columns: number;
}

/** The series of the percentiles, the header, and a line for each stage: as many columns as fit. */
const table = (stages: readonly PicturedStage[], { document, columns }: TableOptions): readonly string[] => {
  const { title, note, tables } = stageSection(stages, isLine(document) ? 'line' : 'sweep');
  return [`${title} ${note}`, ...tables.flatMap(each => tableLines(each, columns))];
};

const costLines = (document: StagesDocument, columns: number): readonly string[] => {
  const section = isLine(document) ? lineCostSection(document.cost) : undefined;
  if (section === undefined) return [];
  return [
    '',
    ...hangingLines('', `${section.title} ${section.note}`, columns),
    ...sectionBody(section, columns),
  ];
};

const reasons = (stages: readonly Stage[], columns: number): readonly string[] => {
  const reported = stages.filter(stage => stage.reasons.length > 0);
  if (reported.length === 0) return [];
  const heads = reported.map(({ number, load }) => `  stage ${number}, ${loadText(load)}`);
  const width = maximumOf(heads.map(textWidth));
  return [
    '',
    'Reason for each verdict',
    ...reported.flatMap((stage, index) => {
      // That the client was the limit is useless without the reason.
      const reported = stage.reasons.slice(0, stage.verdict === 'client-bound' ? 2 : 1).join('; ');
      return hangingLines(`${padded(heads[index] ?? '', width)}  `, reported, columns);
    }),
  ];
};

/** The rest is already visible in the typed command. */
const LIVE_FACTS: ReadonlySet<string> = new Set(['target', 'model', 'objectives']);
/** The series of the percentiles, and the header. */
const TABLE_HEAD_ROWS = 2;

// The chart of a sweep as text: two bars per stage, the total output of all users, and how long one waited.
/**
 * In stage order; empty if none of them has figures.
 * @param columns available width
 */
const stageBars = (stages: readonly PicturedStage[], columns: number): readonly string[] => {
  const rows = stages.flatMap(stage => {
    const { curve, completedPerSecond } = stage;
    return curve === undefined || completedPerSecond === undefined ? [] : [{ stage, completedPerSecond }];
  });
  if (rows.length === 0) return [];
  const hasTokens = rows.every(({ stage }) => stage.outputTokensPerSecond !== undefined);
  const reported = rows.map(({ stage, completedPerSecond }) => ({
    load: loadText(stage.load),
    amount: (hasTokens ? stage.outputTokensPerSecond : undefined) ?? completedPerSecond,
    waitNs: reportedTail(stage),
    grows: stage.isOverCapacity ? ', growing' : '',
  }));
  const loadColumns = maximumOf(reported.map(({ load }) => textWidth(load)));
  const most = maximumOf(reported.map(({ amount }) => amount));
  const longest = maximumOf(reported.map(({ waitNs = 0 }) => waitNs));
  const room = Math.floor((columns - loadColumns - AROUND_BARS) / 2);
  const barColumns = Math.max(BAR_COLUMNS_LEAST, Math.min(BAR_COLUMNS_MOST, room));
  const left = hasTokens ? 'output tokens/s' : 'requests/s';
  const right = `${seriesRow(curveSeries(stages)).shortLabel} ${tailTitle(stages)}`;
  return [
    '',
    `  ${padded('', loadColumns)}  ${padded(left, barColumns + FIGURE_COLUMNS)}  ${right}`,
    ...reported.map(({ load, amount, waitNs, grows }) =>
      [
        `  ${paddedStart(load, loadColumns)}`,
        padded(
          `${textBar(amount / most, barColumns)} ${formatThreeDigits(amount)}`,
          barColumns + FIGURE_COLUMNS,
        ),
        waitNs === undefined
          ? `${NOT_KNOWN} ${TOO_FEW}${grows}`
          : `${textBar(waitNs / longest, barColumns)} ${figureText(formatMeasuredNanoseconds(waitNs))}${grows}`,
      ].join('  '),
    ),
  ];
};

const FIGURE_COLUMNS = 7;
/** Spaces, both figures, and the mark of a growing queue. */
const AROUND_BARS = 34;
const BAR_COLUMNS_LEAST = 6;
const BAR_COLUMNS_MOST = 24;
