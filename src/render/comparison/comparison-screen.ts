// A comparison by pairs while it is in progress: on one screen, and as a line per pair.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { effectText } from '../../core/comparison/comparison-labels.ts';
import { formatClock } from '../../core/figure/duration.ts';
import { counted } from '../../core/figure/figure.ts';
import { hangingLines } from '../../core/text/columns.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
import { factLines } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';
import { comparisonFacts, metricTable } from './comparison-text.ts';

interface ComparisonScreenOptions extends TextOptions {
  readonly rows: number;
  /** Last lines of the screen. */
  readonly footer: readonly string[];
}

export const comparisonScreen = (
  document: ComparisonDocument,
  options: ComparisonScreenOptions,
): readonly string[] => {
  const { columns, rows, footer } = options;
  const above = [
    ...hangingLines('', `So far: ${document.sentence}`, columns),
    '',
    ...hangingLines('', progressText(document), columns),
    '',
    ...factLines(
      comparisonFacts(document).filter(([name]) => LIVE_FACTS.has(name)),
      columns,
    ),
    '',
  ];
  const below = ['', ...footer];
  const room = Math.max(1, rows - above.length - below.length);
  const lines = [...above, ...metricTable(document, columns).slice(0, room), ...below];
  return lines.map(line => shownLine(line, options));
};

/** "Pair 4 done: TTFT p90 −11.8 % (−15.2 to −8.6 %). The next look is at 6 pairs, in about 4:00." */
export const pairLine = (document: ComparisonDocument, options: Pick<TextOptions, 'isUnicode'>): string => {
  const primary = document.metrics.find(({ isPrimary }) => isPrimary);
  const done = document.progress?.pairsDone ?? 0;
  const so = primary === undefined ? '' : `: ${effectText(primary)}`;
  return shownLine(`Pair ${done} done${so}. ${nextLookText(document)}`.trimEnd(), options);
};

const progressText = (document: ComparisonDocument): string => {
  const { progress } = document;
  if (progress === undefined) return '';
  const { pairsDone, segment } = progress;
  const runs = isUnknown(segment)
    ? pairsDone === 0
      ? 'Warming both sides up'
      : `${counted(pairsDone, 'pair')} done`
    : `${segment.side.toUpperCase()} of pair ${segment.pair} runs, ${counted(pairsDone, 'pair')} done`;
  return `${runs}. ${nextLookText(document)}`.trimEnd();
};

const nextLookText = ({ plan, progress }: ComparisonDocument): string => {
  if (isUnknown(plan) || progress === undefined) return '';
  const next = plan.looks.find(({ pairs }) => pairs > progress.pairsDone);
  if (next === undefined) return '';
  const left = isKnown(progress.nextLookMs) ? `, in about ${formatClock(progress.nextLookMs)}` : '';
  return `The next look is at ${counted(next.pairs, 'pair')}${left}.`;
};

const LIVE_FACTS: ReadonlySet<string> = new Set(['A', 'B', 'load']);
