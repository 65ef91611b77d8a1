// How to go on with a comparison that is not complete: what to type, with what was stored nowhere.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown } from '../../core/unknown.ts';

/** "plimsoll compare --resume DIR, and again --a-start" */
export const resumeText = (directory: string, { resume }: Pick<ComparisonDocument, 'resume'>): string => {
  const command = shellCommand`plimsoll compare --resume ${directory}`;
  const again = isUnknown(resume) ? [] : resume.secrets;
  return again.length === 0 ? command : `${command}, and again ${again.join(' and ')}`;
};
