// Several runs of one command in Markdown: each figure over runs, and what else must be known.

import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { SPREAD_HEAD, spreadRows } from '../../core/comparison/spread-text.ts';
import { counted } from '../../core/figure/figure.ts';
import { knownOr } from '../../core/unknown.ts';
import { markdownCode, markdownTable, markdownWords } from './markdown-text.ts';

export const repeatMarkdown = ({
  id,
  plimsoll,
  model,
  target,
  units,
  spread,
  notices,
}: RepeatDocument): string =>
  `${[
    `## ${counted(units.length, 'run')} of ${markdownCode(knownOr(model, 'an unknown model'))}`,
    '',
    ...markdownTable(
      SPREAD_HEAD,
      spreadRows(spread).map(row => row.map((cell, index) => (index === 0 ? markdownWords(cell) : cell))),
    ),
    '',
    ...notices.map(notice => `- ${markdownWords(notice)}`),
    ...(notices.length === 0 ? [] : ['']),
    ...markdownTable(
      ['Runs', markdownCode(id)],
      [
        ['Target', markdownCode(knownOr(target, 'unknown'))],
        ['Plimsoll', markdownCode(plimsoll.version)],
      ],
      { figures: [] },
    ),
  ]
    .join('\n')
    .trimEnd()}\n`;
