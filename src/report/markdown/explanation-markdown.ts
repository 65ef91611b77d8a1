// Why two results differ, in Markdown: as a comment under the figures that people disagree about.

import type { ExplanationDocument } from '../../core/explanation/explanation-document.ts';
import {
  differenceTexts,
  explanationFacts,
  explanationSections,
  explanationSentence,
} from '../../render/explanation/explanation-text.ts';
import { codeCell, documentMarkdown, markdownList, markdownText } from './markdown-text.ts';

export const explanationMarkdown = (document: ExplanationDocument): string =>
  documentMarkdown({
    heading: markdownText(explanationSentence(document)),
    lead: markdownList(differenceTexts(document)),
    sections: explanationSections(document).map(section => ({
      ...section,
      lead: section.count === undefined ? [] : [`${section.title}: ${section.count}`],
    })),
    facts: [['', ''], ...explanationFacts(document).map(([name, text]) => [name, codeCell(text)] as const)],
    remarks: [document.order],
  });
