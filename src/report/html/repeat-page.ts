// The report of repeated runs as one page: each figure over runs, how much runs vary, and where they were measured.

import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { counted } from '../../core/figure/figure.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { isKnown, knownOr } from '../../core/unknown.ts';
import { spreadSection } from '../../render/comparison/spread-text.ts';
import { markup } from '../../render/text/markup.ts';
import { folded, foldedList, madeBy, reportPage, sectionMarkup } from './page-parts.ts';
import type { FontFace } from './page-style.ts';

interface RepeatPageInput {
  readonly document: RepeatDocument;
  readonly fonts: readonly FontFace[];
}

export const repeatPage = ({ document, fonts }: RepeatPageInput): string => {
  const { id, model, target, serverKind, units, spread, notices } = document;
  const title = `${counted(units.length, 'run')} of ${knownOr(model, 'an unknown model')}`;
  return reportPage({
    title,
    fonts,
    head: {
      kind: 'Plimsoll repeats',
      id,
      startedAt: units[0]?.startedAt ?? '',
      title,
      subtitle: [serverKind, target].filter(isKnown).join(' · '),
      tags: [],
    },
    content: markup`${sectionMarkup(spreadSection(spread, units.length))}<div class="folded">${foldedList('Notices', notices)}${folded(
      'All settings and the environment',
      [...units.map(({ runId, directory }) => [runId, directory] as const), ...madeBy(document)],
    )}</div>`,
    raw: { file: 'repeat.json', json: jsonLines(document) },
  });
};
