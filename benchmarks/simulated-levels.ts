// The level of each of several looks at which the whole has a false alarm in 5 %: by making up comparisons in which nothing differs.

import { seededRandom } from '../src/core/random.ts';
import { twoSidedStudent } from '../src/core/statistics/student-quantile.ts';

/** The 5 % quantile of the least chance over all looks. */
export const simulatedLookAlpha = (looks: readonly number[], comparisons: number, seed: number): number => {
  const random = seededRandom(seed);
  const tables = looks.map(pairs =>
    Float64Array.from({ length: TABLE_STEPS + 2 }, (_, index) => twoSidedStudent(index * T_STEP, pairs - 1)),
  );
  const bins = new Float64Array(BINS + 1);
  let spare: number | undefined;
  const normal = (): number => {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log1p(-random.next()));
    const angle = 2 * Math.PI * random.next();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
  for (let comparison = 0; comparison < comparisons; comparison += 1) {
    let sum = 0;
    let squares = 0;
    let least = 1;
    let pairs = 0;
    for (const [index, look] of looks.entries()) {
      for (; pairs < look; pairs += 1) {
        const value = normal();
        sum += value;
        squares += value * value;
      }
      const mean = sum / pairs;
      const error = Math.sqrt((squares - pairs * mean * mean) / (pairs - 1) / pairs);
      least = Math.min(least, chanceOf(tables[index], Math.abs(mean) / error));
    }
    const bin = Math.min(BINS, Math.floor(least * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  let counted = 0;
  for (let bin = 0; bin <= BINS; bin += 1) {
    counted += bins[bin] ?? 0;
    if (counted >= WHOLE * comparisons) return bin / BINS;
  }
  return 1;
};

/** Between two entries of the table. */
const chanceOf = (table: Float64Array | undefined, t: number): number => {
  const at = Math.min(TABLE_STEPS, t / T_STEP);
  const below = Math.floor(at);
  const low = table?.[below] ?? 0;
  return low + ((table?.[below + 1] ?? low) - low) * (at - below);
};

const WHOLE = 0.05;
const T_STEP = 0.001;
const TABLE_STEPS = 40_000;
const BINS = 1_000_000;
