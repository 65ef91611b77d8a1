// Why a table has dashes: the reasons of its unknown cells, each with the rows that it holds for.

import { isUnknown } from '../../../src/core/unknown.ts';

export interface Note {
  readonly reason: string;
  readonly names: readonly string[];
}

/** At most this many, so that a machine with a hundred odd interfaces does not drown its own table. */
export const NOTES_MAX = 6;

export const notesOf = (
  cells: readonly { readonly name: string; readonly value: unknown }[],
): readonly Note[] => {
  const names = new Map<string, string[]>();
  for (const { name, value } of cells) {
    if (!isUnknown(value)) continue;
    const existing = names.get(value.reason);
    if (existing === undefined) names.set(value.reason, [name]);
    else if (!existing.includes(name)) existing.push(name);
  }
  return [...names].slice(0, NOTES_MAX).map(([reason, found]) => ({ reason, names: found }));
};
