// Several runs of one command in Markdown: each figure over runs, and further notices.

import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { counted } from '../../core/figure/figure.ts';
import { knownOr } from '../../core/unknown.ts';
import { spreadSection } from '../../render/comparison/spread-text.ts';
import { codeCell, documentMarkdown, markdownCode } from './markdown-text.ts';

export const repeatMarkdown = (document: RepeatDocument): string => {
  const { id, plimsoll, model, target, units, spread, notices } = document;
  const figures = spreadSection(spread, units.length);
  return documentMarkdown({
    heading: `${counted(units.length, 'run')} of ${markdownCode(knownOr(model, 'an unknown model'))}`,
    lead: [],
    sections: [{ ...figures, remarks: [...figures.remarks, ...notices] }],
    facts: [
      ['Runs', codeCell(id)],
      ['Target', codeCell(knownOr(target, 'unknown'))],
      ['Plimsoll', codeCell(plimsoll.version)],
    ],
  });
};
