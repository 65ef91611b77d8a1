// Several runs of one command in Markdown: each figure over runs, and further notices.

import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { counted } from '../../core/figure/figure.ts';
import { knownOr } from '../../core/unknown.ts';
import { SPREAD_HEAD, spreadRows } from '../../render/comparison/spread-text.ts';
import { codeCell, markdownCode, markdownTable, markdownText } from './markdown-text.ts';

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
    ...markdownTable(SPREAD_HEAD, spreadRows(spread)),
    '',
    ...notices.map(notice => `- ${markdownText(notice)}`),
    ...(notices.length === 0 ? [] : ['']),
    ...markdownTable(
      ['Runs', codeCell(id)],
      [
        ['Target', codeCell(knownOr(target, 'unknown'))],
        ['Plimsoll', codeCell(plimsoll.version)],
      ],
      { figures: [] },
    ),
  ]
    .join('\n')
    .trimEnd()}\n`;
