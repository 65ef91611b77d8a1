// How to continue a search or a comparison that is not complete: what to type, with what was stored nowhere.

import type { SweepHead } from '../../core/sweep/sweep-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown } from '../../core/unknown.ts';

/** "plimsoll compare --resume DIR, and again --a-start" */
export const resumeText = (
  command: 'line' | 'compare',
  directory: string,
  { resume }: Pick<SweepHead, 'resume'>,
): string => {
  const words = shellCommand`plimsoll ${command} --resume ${directory}`;
  const again = isUnknown(resume) ? [] : resume.secrets;
  return again.length === 0 ? words : `${words}, and again ${again.join(' and ')}`;
};
