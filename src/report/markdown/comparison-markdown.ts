// A comparison in Markdown, as a comment on a pull request: the result, the gate, each figure with its interval.

import type { ComparedMetric, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import {
  comparisonVerdictText,
  exactPercentText,
  rangeText,
  ratioText,
} from '../../core/comparison/comparison-labels.ts';
import { figureText } from '../../core/figure/figure.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import { gateLines } from '../../render/comparison/gate-text.ts';
import { formatRunFigure } from '../../render/run/format-run-figure.ts';
import { boldCell, codeCell, markdownList, markdownTable, markdownText } from './markdown-text.ts';

export const comparisonMarkdown = (document: ComparisonDocument): string => {
  const { sentence, refusals, metrics, notices, a, b, load, mode } = document;
  const unit = mode === 'pairs' ? 'pairs' : 'runs';
  return `${[
    `## ${markdownText(sentence)}`,
    '',
    ...gateParts(document),
    ...(refusals.length === 0
      ? []
      : [
          document.isAnyway ? 'Compared anyway, although:' : 'Not comparable:',
          '',
          ...markdownList(refusals.map(refusal => `${refusal.problem} (A: ${refusal.a}; B: ${refusal.b})`)),
        ]),
    ...markdownTable(
      ['', 'A', 'B', 'change', 'interval', 'margin', 'verdict'],
      metrics
        .filter(isShown)
        .map(metric => [
          metric.isPrimary ? boldCell(capitalized(metric.label)) : capitalized(metric.label),
          figureOf(metric, metric.a),
          figureOf(metric, metric.b),
          isKnown(metric.ratio) ? ratioText(metric.ratio.value) : '–',
          isKnown(metric.ratio) ? rangeText(metric.ratio) : '–',
          `±${exactPercentText(metric.marginShare)}`,
          metric.verdict.kind === 'not-comparable'
            ? metric.verdict.reason
            : comparisonVerdictText(metric.verdict, unit),
        ]),
    ),
    '',
    ...markdownTable(
      ['', ''],
      [
        ['A', codeCell(a.label)],
        ['B', codeCell(b.label)],
        ['Load', codeCell(load)],
        ['Units', `${a.units.length} and ${b.units.length} ${mode === 'pairs' ? 'segments' : 'runs'}`],
        ['Plimsoll', codeCell(document.plimsoll.version)],
      ],
      { figures: [] },
    ),
    '',
    ...markdownList(notices.slice(0, NOTICES_SHOWN_MAX)),
  ]
    .join('\n')
    .trimEnd()}\n`;
};

const gateParts = (document: ComparisonDocument): readonly string[] => {
  const [first, ...rules] = gateLines(document);
  return first === undefined ? [] : [`**${markdownText(first)}**`, '', ...markdownList(rules)];
};

/** A figure that neither side has gets no row. */
const isShown = ({ a, b }: ComparedMetric): boolean => isKnown(a) || isKnown(b);

const figureOf = ({ unit }: ComparedMetric, value: Reported<number>): string =>
  isUnknown(value) ? '–' : figureText(formatRunFigure(unit, value));

const NOTICES_SHOWN_MAX = 10;
