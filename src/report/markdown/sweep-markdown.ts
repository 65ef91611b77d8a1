// A load line or a sweep in Markdown: the result, its stages, and how to repeat it.

import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { isUnknown } from '../../core/unknown.ts';
import { lineCostSection } from '../../render/run/cost-rows.ts';
import { objectivesText } from '../../render/sweep/line-text.ts';
import { picturedAfterwards } from '../../render/sweep/pictured-stage.ts';
import { stageSection } from '../../render/sweep/stage-columns.ts';
import { cutText, sweepAnswer } from '../../render/sweep/sweep-text.ts';
import { answerLead, codeCell, documentMarkdown } from './markdown-text.ts';

export const sweepMarkdown = (document: SweepDocument | LineDocument): string => {
  const stages = picturedAfterwards(document.stages);
  const cost = 'line' in document ? lineCostSection(document.cost) : undefined;
  return documentMarkdown({
    heading: 'line' in document ? 'Load line' : 'Sweep',
    lead: answerLead(cutText(document), sweepAnswer(document)),
    sections: [
      stageSection(stages, 'line' in document ? 'line' : 'sweep'),
      ...[cost].filter(section => section !== undefined),
    ],
    facts: [
      ['Run', codeCell(document.id)],
      ['Model', isUnknown(document.model) ? 'unknown' : codeCell(document.model)],
      ['Target', codeCell(document.target)],
      ['Objectives', document.objectives.length === 0 ? 'none' : codeCell(objectivesText(document))],
      ['Again', codeCell(document.command)],
    ],
  });
};
