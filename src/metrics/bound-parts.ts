// The inputs of the error bounds of a run on several machines other than its samples, as each agent packs them for
// its coordinator: its marks in the groups in which they came, and the limits of its gaps. Unsigned LEB128 numbers:
// for each group the count, then each value in ns.

import { pushAll } from '../core/push-all.ts';
import { recordOf } from '../core/record-of.ts';
import { GAP_EDGES, type GapEdge } from '../core/run/event-record.ts';
import type { BoundParts } from '../core/run/snapshot.ts';
import type { Histogram } from '../core/statistics/histogram.ts';
import { decodeVarints, encodeVarints } from '../wire/varints.ts';
import { packCells, unpackCells } from './series-cells.ts';

type MarkGroups = readonly (readonly number[])[];

interface MadeBoundParts {
  readonly lateMarks: MarkGroups;
  readonly blockedMarks: MarkGroups;
  readonly gaps: Readonly<Record<GapEdge, Histogram>>;
}

interface ReportedBoundParts {
  readonly lateMarks: MarkGroups;
  readonly blockedMarks: MarkGroups;
  readonly gaps: Readonly<Record<GapEdge, Iterable<readonly [cell: number, count: number]>>>;
}

export const packBoundParts = ({ lateMarks, blockedMarks, gaps }: MadeBoundParts): BoundParts => ({
  lateMarks: packGroups(lateMarks),
  blockedMarks: packGroups(blockedMarks),
  gaps: recordOf(GAP_EDGES, edge => packCells({ cells: gaps[edge].cells(), zeros: 0, leastAboveZero: 0 })),
});

/** undefined for anything but packed parts. */
export const unpackBoundParts = ({
  lateMarks,
  blockedMarks,
  gaps,
}: BoundParts): ReportedBoundParts | undefined => {
  const [late, blocked] = [groupsOf(lateMarks), groupsOf(blockedMarks)];
  const cells = recordOf(GAP_EDGES, edge => unpackCells(gaps[edge])?.cells);
  const { knownLeast, knownMost, surelyLeast, surelyMost } = cells;
  if (late === undefined || blocked === undefined) return undefined;
  if (!knownLeast || !knownMost || !surelyLeast || !surelyMost) return undefined;
  return { lateMarks: late, blockedMarks: blocked, gaps: { knownLeast, knownMost, surelyLeast, surelyMost } };
};

/** The first marks represent the rest, as in the run itself. */
const packGroups = (groups: MarkGroups): Uint8Array => {
  const numbers: number[] = [];
  for (const group of groups) {
    if (numbers.length + group.length >= MARK_NUMBERS_MAX) break;
    pushAll(numbers, [group.length, ...group.map(ns => Math.ceil(ns))]);
  }
  return encodeVarints(numbers);
};

const groupsOf = (packed: Uint8Array): MarkGroups | undefined => {
  const numbers = decodeVarints(packed);
  if (numbers === undefined) return undefined;
  const groups: (readonly number[])[] = [];
  for (let at = 0; at < numbers.length; ) {
    const count = numbers[at] ?? 0;
    if (at + 1 + count > numbers.length) return undefined;
    groups.push(numbers.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return groups;
};

/** Half an hour of one load thread, in at most 5 bytes each: less than a snapshot may carry in one piece. */
const MARK_NUMBERS_MAX = 160_000;
