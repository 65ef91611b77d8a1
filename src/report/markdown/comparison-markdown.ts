// A comparison in Markdown, as a comment on a pull request: the result, the gate, each figure with its interval.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonSection, refusalTexts } from '../../render/comparison/comparison-text.ts';
import { gateLines } from '../../render/comparison/gate-text.ts';
import { codeCell, documentMarkdown, markdownList, markdownText } from './markdown-text.ts';

export const comparisonMarkdown = (document: ComparisonDocument): string => {
  const { sentence, a, b, load, mode } = document;
  const figures = comparisonSection(document);
  const refusals = refusalTexts(document);
  return documentMarkdown({
    heading: markdownText(sentence),
    lead: [
      ...gateParts(document),
      ...(refusals.length === 0
        ? []
        : [
            document.isAnyway ? 'Compared anyway, although:' : 'Not comparable:',
            '',
            ...markdownList(refusals),
          ]),
    ],
    sections: [{ ...figures, remarks: figures.remarks.slice(0, REMARKS_SHOWN_MAX) }],
    facts: [
      ['', ''],
      ['A', codeCell(a.label)],
      ['B', codeCell(b.label)],
      ['Load', codeCell(load)],
      ['Units', `${a.units.length} and ${b.units.length} ${mode === 'pairs' ? 'segments' : 'runs'}`],
      ['Plimsoll', codeCell(document.plimsoll.version)],
    ],
  });
};

const gateParts = (document: ComparisonDocument): readonly string[] => {
  const [first, ...rules] = gateLines(document);
  return first === undefined ? [] : [`**${markdownText(first)}**`, '', ...markdownList(rules)];
};

const REMARKS_SHOWN_MAX = 12;
