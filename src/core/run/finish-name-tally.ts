// How often each unknown finish reason occurred: a server may use any name, so their number is limited.

import * as v from 'valibot';
import { count, type Infer, openObject } from '../schema.ts';
import type { EndedSample } from './ended-sample.ts';

/** Listed in docs/limits.md. */
export const FINISH_NAMES_MAX = 16;

const finishNameCountSchema = openObject({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  count,
});

export type FinishNameCount = Infer<typeof finishNameCountSchema>;

export const finishNamesSchema = v.pipe(v.array(finishNameCountSchema), v.maxLength(FINISH_NAMES_MAX));

export class FinishNameTally {
  readonly #counts: Map<string, number> = new Map();

  /** Counts a completed sample. */
  ended({ remark }: Pick<EndedSample, 'remark'>): void {
    if (remark !== undefined && remark.finishName !== '') this.#add(remark.finishName, 1);
  }

  /** Adds another part of the same run. */
  add(counts: readonly FinishNameCount[]): void {
    for (const { name, count } of counts) this.#add(name, count);
  }

  /** The first FINISH_NAMES_MAX that occurred. */
  counts(): readonly FinishNameCount[] {
    return [...this.#counts].map(([name, count]) => ({ name, count }));
  }

  #add(name: string, count: number): void {
    const known = this.#counts.get(name);
    if (known === undefined && this.#counts.size >= FINISH_NAMES_MAX) return;
    this.#counts.set(name, (known ?? 0) + count);
  }
}

/** Why answers ended, as a report lists it: with the server's own names in place of "other". */
export const finishRows = ({
  finishReasons,
  finishNames = [],
}: {
  readonly finishReasons: Readonly<Record<string, number | undefined>>;
  readonly finishNames?: readonly FinishNameCount[];
}): readonly (readonly [name: string, count: number])[] => {
  const named = finishNames.reduce((sum, { count }) => sum + count, 0);
  return Object.entries(finishReasons).flatMap(([reason, count = 0]) => {
    if (reason !== 'other') return [[reason, count] as const];
    const rest = count - named;
    return [
      ...finishNames.map(one => [one.name, one.count] as const),
      ...(rest > 0 ? [[reason, rest] as const] : []),
    ];
  });
};
