// The chunks of a reply with several choices, taken apart by choice: its user reads one answer, not all of them in turn.

import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';

type Chunks = Pick<EndedSample, 'firstContentNs' | 'chunkGapsNs' | 'chunkChoices'>;

/** From each chunk to the one before it of the same choice; of one choice they are the gaps that were stamped. */
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

/** Of all choices together: from the first to the last content of each; of one choice the time that its content took. */
export const contentNsOf = (sample: Chunks): number =>
  sample.firstContentNs === NO_FIGURE ? NO_FIGURE : gapsByChoice(sample).reduce((sum, gap) => sum + gap, 0);
