// Splits the chunks of a reply with several choices by choice: its user reads one answer, not all of them
// alternately.

import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';

type Chunks = Pick<EndedSample, 'firstContentNs' | 'chunkGapsNs' | 'chunkChoices'>;

/** From each chunk to the previous one of the same choice; with one choice, the gaps as stamped. */
export const gapsByChoice = ({ firstContentNs, chunkGapsNs, chunkChoices }: Chunks): readonly number[] => {
  if (chunkChoices === undefined) return chunkGapsNs;
  const gaps: number[] = [];
  const lastNs = new Map<number, number>();
  let stampNs = firstContentNs;
  for (const [index, choice] of chunkChoices.entries()) {
    if (index > 0) stampNs += chunkGapsNs[index - 1] ?? 0;
    const beforeNs = lastNs.get(choice);
    if (beforeNs !== undefined) gaps.push(stampNs - beforeNs);
    lastNs.set(choice, stampNs);
  }
  return gaps;
};

export const choiceCount = ({ chunkChoices }: Pick<EndedSample, 'chunkChoices'>): number =>
  chunkChoices === undefined ? 1 : new Set(chunkChoices).size;

/**
 * Summed over the choices: from the first to the last content of each; with one choice, the time of its
 * content.
 */
export const contentNsOf = (sample: Chunks): number =>
  sample.firstContentNs === NO_FIGURE ? NO_FIGURE : gapsByChoice(sample).reduce((sum, gap) => sum + gap, 0);
