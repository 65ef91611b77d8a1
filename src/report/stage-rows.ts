// The stages of a load line or a sweep in words, for text and Markdown, with the answer that stands above them.

import { formatCount } from '../core/figure/figure.ts';
import { leadOf } from '../core/sweep/line-lead.ts';
import { loadWords, nsWords, shareWords, stageResult } from '../core/sweep/line-words.ts';
import { picturedStages } from '../core/sweep/pictured-stage.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../core/sweep/sweep-digest.ts';
import type { LineDocument, SweepDocument } from '../core/sweep/sweep-document.ts';
import { asciiOf } from '../core/text/ascii.ts';
import { brokenLines, clipped, inColumns } from '../core/text/columns.ts';
import { showable } from '../core/text/single-line.ts';
import { isUnknown } from '../core/unknown.ts';
import { markdownCode, markdownTable, markdownWords } from './markdown/markdown-text.ts';

/** The answer in two or three sentences. */
export const sweepAnswer = (document: SweepDocument | LineDocument): string => {
  const sweep = sweepHeadDigest(document, '');
  const stages = picturedStages(document.stages);
  const { reason } = sweepEndOf(document);
  const { line } = lineOf(document);
  return leadOf({ sweep, line, stages, isLive: false, reason, target: 'The endpoint' })
    .map(({ text }) => text)
    .join('')
    .trim();
};

/** On a terminal: names come from outside, and must not speak to it. */
export const sweepLines = (
  document: SweepDocument | LineDocument,
  { isUnicode }: { readonly isUnicode: boolean },
): readonly string[] =>
  [
    ...cutWords(document).map(words => words.toUpperCase()),
    ...brokenLines(sweepAnswer(document), COLUMNS),
    '',
    `${document.id} of ${document.startedAt}, Plimsoll ${document.plimsoll.version}`,
    ...inColumns([
      ['target', document.target],
      ['model', isUnknown(document.model) ? `unknown: ${document.model.reason}` : document.model],
      ['objectives', document.objectives.length === 0 ? 'none' : document.objectives.join(', ')],
    ]).map(line => clipped(line, COLUMNS)),
    '',
    ...inColumns(rowsOf(document), { hasFigures: true }),
  ].map(line => (isUnicode ? showable(line, '?') : asciiOf(showable(line, '?'))));

export const sweepMarkdown = (document: SweepDocument | LineDocument): string => {
  const [head = [], ...rows] = rowsOf(document);
  return `${[
    `## ${'line' in document ? 'Load line' : 'Sweep'}`,
    '',
    ...cutWords(document).map(words => `- ⚠ ${markdownWords(words)}`),
    markdownWords(sweepAnswer(document)),
    '',
    ...markdownTable(head, rows),
    '',
    ...markdownTable(
      ['Run', markdownCode(document.id)],
      [
        ['Model', isUnknown(document.model) ? 'unknown' : markdownCode(document.model)],
        ['Target', markdownCode(document.target)],
        [
          'Objectives',
          document.objectives.length === 0 ? 'none' : markdownCode(document.objectives.join(', ')),
        ],
        ['Again', markdownCode(document.command)],
      ],
    ),
  ].join('\n')}\n`;
};

const cutWords = (document: SweepDocument | LineDocument): readonly string[] => {
  const { state } = sweepEndOf(document);
  return state === 'complete' ? [] : [`${state}: what is known until then`];
};

const rowsOf = (document: SweepDocument | LineDocument): readonly (readonly string[])[] => {
  const stages = picturedStages(document.stages);
  const percentile = stages.find(({ curve }) => curve !== undefined)?.curve?.percentile ?? 95;
  const ns = (value: number | undefined): string => (value === undefined ? '–' : nsWords(value));
  return [
    ['stage', 'load', 'p50', `p${percentile}`, 'p99', 'within', 'n', 'result'],
    ...stages.map(stage => [
      String(stage.number),
      loadWords(stage.load),
      ns(stage.curve?.p50),
      ns(stage.curve?.atPercentile),
      ns(stage.curve?.p99),
      stage.attainment === undefined ? '–' : shareWords(stage.attainment),
      formatCount(stage.issued),
      stageResult(stage).word,
    ]),
  ];
};

const COLUMNS = 80;
