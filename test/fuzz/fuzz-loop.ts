// The loop of a coverage-guided fuzzer (after AFL: an input that takes a branch a new order of times is kept and changed further).

import { type SeededRandom, seededRandom } from '../../src/core/random.ts';
import { attempt, type Finding } from './attempt.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutated, picked } from './mutate.ts';

interface FuzzOptions {
  readonly seed: number;
  readonly words: readonly Uint8Array[];
  /** From the start of their buffer. Undefined: no feedback, as where nothing is instrumented. */
  readonly counters?: Uint8Array;
  /** Before each input: what is about to be tried. */
  readonly begins?: (input: Uint8Array, executions: number) => void;
  readonly found: (finding: Finding, input: Uint8Array) => void;
  /** Asked before each input that was made up; seeds are always tried. */
  readonly goesOn: (executions: number) => boolean;
}

interface FuzzOutcome {
  readonly executions: number;
  /** Inputs that were kept. */
  readonly kept: number;
  readonly taken: Uint8Array;
}

export const fuzz = async (target: FuzzTarget, options: FuzzOptions): Promise<FuzzOutcome> => {
  const { counters = NO_COUNTERS, begins, found, goesOn } = options;
  const random = seededRandom(options.seed);
  const seen = new Uint8Array(counters.length);
  const words32 = new Uint32Array(counters.buffer, 0, Math.ceil(counters.length / 4));
  const seeds = target.seeds();
  const corpus: Uint8Array[] = seeds.length === 0 ? [new Uint8Array()] : [...seeds];
  let executions = 0;
  const tryOne = async (input: Uint8Array): Promise<boolean> => {
    begins?.(input, executions);
    executions += 1;
    counters.fill(0);
    const finding = await attempt(target, input);
    if (finding !== undefined) found(finding, input);
    return isNew(counters, words32, seen) && finding === undefined;
  };
  for (const seed of seeds) await tryOne(seed);
  const parts = {
    random,
    words: options.words,
    other: () => picked(corpus, random),
    bytesMax: Math.max(BYTES_MOST, 2 * seeds.reduce((most, seed) => Math.max(most, seed.length), 0)),
  };
  while (goesOn(executions)) {
    const input = mutated(chosen(corpus, random), parts);
    if ((await tryOne(input)) && corpus.length < CORPUS_MOST) corpus.push(input.slice());
  }
  await target.close?.();
  return { executions, kept: corpus.length, taken: seen };
};

/** Of two, the shorter one; every third time one of the newest. */
const chosen = (corpus: readonly Uint8Array[], random: SeededRandom): Uint8Array => {
  const newest = Math.max(0, corpus.length - 16);
  if (random.below(3) === 0)
    return corpus[newest + random.below(corpus.length - newest)] ?? picked(corpus, random);
  const [one, other] = [picked(corpus, random), picked(corpus, random)];
  return one.length < other.length ? one : other;
};

/** Remembers in `seen` a bit for each order of times (1, 2, 3, 4-7, 8-15, 16-31, 32-127, more) that a branch was taken. */
const isNew = (counters: Uint8Array, words32: Uint32Array, seen: Uint8Array): boolean => {
  let isAnyNew = false;
  for (let word = 0; word < words32.length; word += 1) {
    if (words32[word] === 0) continue;
    for (let at = 4 * word; at < 4 * word + 4; at += 1) {
      const bit = ORDERS[counters[at] ?? 0] ?? 0;
      const before = seen[at] ?? 0;
      if ((before | bit) === before) continue;
      seen[at] = before | bit;
      isAnyNew = true;
    }
  }
  return isAnyNew;
};

const ORDERS: Uint8Array = Uint8Array.from({ length: 256 }, (_, times) =>
  times === 0
    ? 0
    : times < 4
      ? 1 << (times - 1)
      : times < 8
        ? 8
        : times < 16
          ? 16
          : times < 32
            ? 32
            : times < 128
              ? 64
              : 128,
);
const NO_COUNTERS = new Uint8Array();
/** Of an input, where no seed is longer. */
const BYTES_MOST = 1_024;
const CORPUS_MOST = 10_000;
