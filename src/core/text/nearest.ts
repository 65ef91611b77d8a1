// The word probably meant by a mistyped one.

/**
 * The nearest of the candidates by edit distance (with swaps), else the shortest that the word is the beginning of;
 * undefined if there is none.
 */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  // Texts far too long for a typing mistake are not compared.
  if (word.length > WORD_LENGTH_MAX) return undefined;
  const all = [...candidates];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of all) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? (word.length < BEGINNING_LEAST ? undefined : shortestFrom(word.toLowerCase(), all));
};

const shortestFrom = (beginning: string, candidates: readonly string[]): string | undefined =>
  candidates
    .filter(candidate => candidate.toLowerCase().startsWith(beginning))
    .toSorted((a, b) => a.length - b.length)[0];

/** Insertions, deletions, replacements and swaps of adjacent characters (optimal string alignment). */
export const editDistance = (a: string, b: string): number => {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(beforePrevious, j - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, at(previous, j) + 1, at(current, j - 1) + 1, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
};

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

const WORD_LENGTH_MAX = 64;
/** Of "--conc" and "sch"; "--" is the beginning of everything. */
const BEGINNING_LEAST = 3;
