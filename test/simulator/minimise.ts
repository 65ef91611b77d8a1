// Makes a failing plan small: takes away halves, then quarters, down to single steps, as long as it still fails (delta
// debugging: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).

import type { Plan, Step } from './step.ts';

/** @returns a plan of which no single step can be left out, or the best found within `triesMax`. */
export const minimise = async (
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  triesMax = 400,
): Promise<Plan> => {
  let steps = plan.steps;
  let size = Math.ceil(steps.length / 2);
  let tries = 0;
  while (size >= 1 && tries < triesMax) {
    let isSmaller = false;
    for (let from = 0; from < steps.length && tries < triesMax; ) {
      const fewer = without(steps, from, size);
      tries += 1;
      if (fewer.length < steps.length && (await fails({ ...plan, steps: fewer }))) {
        steps = fewer;
        isSmaller = true;
      } else from += size;
    }
    if (size === 1 && !isSmaller) break;
    if (!isSmaller) size = Math.ceil(size / 2);
    else size = Math.min(size, Math.max(1, Math.ceil(steps.length / 2)));
  }
  return { ...plan, steps };
};

/** What comes later happens when it did: its wait takes in those of the steps that are gone. */
const without = (steps: readonly Step[], from: number, count: number): readonly Step[] => {
  const gone = steps.slice(from, from + count);
  const waitedMs = gone.reduce((sum, { afterMs }) => sum + afterMs, 0);
  const [next, ...rest] = steps.slice(from + count);
  const later = next === undefined ? [] : [{ ...next, afterMs: next.afterMs + waitedMs }, ...rest];
  return [...steps.slice(0, from), ...later];
};
