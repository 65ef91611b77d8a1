// What can happen to a journal, as values that a property test draws, and how one of them is carried out.

import fc from 'fast-check';
import type { NodeId } from '../../src/core/ids.ts';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import type { DurableRecord } from '../../src/wire/durable-record.ts';
import { OTHER, OWN, PEER, record } from './journal-records.ts';

export interface Fact {
  readonly kind: string;
  readonly key: string;
  readonly payload: { readonly rate: number };
  readonly ageMs: number;
}

export type JournalStep =
  | {
      readonly kind: 'append';
      readonly origin: NodeId;
      readonly facts: readonly Fact[];
      /** 0 the next number, 1 one too far, -1 held already. */
      readonly shift: number;
      readonly epochShift: number;
    }
  | {
      readonly kind: 'catch-up';
      readonly origin: NodeId;
      readonly facts: readonly Fact[];
      readonly stride: number;
      readonly tail: number;
      readonly epochShift: number;
    }
  | { readonly kind: 'new-epoch'; readonly floorShift: number }
  | { readonly kind: 'compact' }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'advance'; readonly hours: number };

/** Its result: 'done', the numbers it returned, or the code of the refusal. */
export const carryOut = (journal: Journal, step: JournalStep): unknown => {
  try {
    switch (step.kind) {
      case 'append':
        return journal.append(appended(journal, step)) ?? 'done';
      case 'catch-up': {
        const records = caughtUp(journal, step);
        const position = positionOf(journal, step.origin, step.epochShift);
        const last = records.at(-1)?.seq ?? position.through;
        return journal.appendCatchUp({ ...position, through: last + step.tail }, records) ?? 'done';
      }
      case 'new-epoch':
        return journal.startNewEpoch(journal.ownEpoch + step.floorShift);
      case 'compact': {
        const { sizeBytes: _, ...compacted } = journal.compact();
        return compacted;
      }
      case 'reopen':
      case 'advance':
        return 'done';
      default:
        return step satisfies never;
    }
  } catch (error) {
    if (error instanceof JournalError) return error.code;
    throw error;
  }
};

/** Everything readable from a journal except its size. */
export const pictureOf = (journal: Journal): unknown => ({
  ownEpoch: journal.ownEpoch,
  startNumber: journal.startNumber,
  notices: journal.notices,
  origins: journal.origins(),
  records: journal.origins().map(({ origin }) => [...journal.recordsAfter(origin, 0)]),
  history: ORIGINS.flatMap(origin =>
    SLOTS.flatMap(slot =>
      KEYS.map(key =>
        journal.history({ origin, slot, key: key.toWellFormed(), sinceWallMs: 0, limit: 1000 }),
      ),
    ),
  ),
});

const positionOf = (journal: Journal, origin: NodeId, epochShift: number) => {
  const position = journal.origins().find(one => one.origin === origin) ?? { origin, epoch: 5, through: 0 };
  return epochShift === 0 ? position : { origin, epoch: position.epoch + epochShift, through: 0 };
};

const appended = (
  journal: Journal,
  { origin, facts, shift, epochShift }: JournalStep & { kind: 'append' },
): readonly DurableRecord[] => {
  const { epoch, through } = positionOf(journal, origin, epochShift);
  return facts.map((fact, index) => record({ ...fact, origin, epoch, seq: through + 1 + shift + index }));
};

const caughtUp = (
  journal: Journal,
  { origin, facts, stride, epochShift }: JournalStep & { kind: 'catch-up' },
): readonly DurableRecord[] => {
  const { epoch, through } = positionOf(journal, origin, epochShift);
  return facts.map((fact, index) => record({ ...fact, origin, epoch, seq: through + (index + 1) * stride }));
};

const KINDS = [
  'identity.gathered',
  'connection.opened',
  'connection.closed',
  'link.profiled',
  'gpu.profiled',
  'newer.kind',
];
const SLOTS = ['link', 'gpu', 'identity'];
const KEYS = ['', 'a', 'é\u0000x', '\ud800'];
const ORIGINS = [OWN, PEER, OTHER];
const HOUR_MS = 3_600_000;

const origin = fc.constantFrom(...ORIGINS);
const facts: fc.Arbitrary<readonly Fact[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    key: fc.constantFrom(...KEYS),
    payload: fc.record({ rate: fc.integer({ min: -9, max: 9 }) }),
    ageMs: fc.constantFrom(0, 0, 1, HOUR_MS, 90 * HOUR_MS),
  }),
  { maxLength: 6 },
);

const append: fc.Arbitrary<JournalStep> = fc.record({
  kind: fc.constant('append'),
  origin,
  facts,
  shift: fc.constantFrom(0, 0, 0, 0, 0, -1, 1),
  epochShift: fc.constantFrom(0, 0, 0, 0, 1, -1),
});

const catchUp: fc.Arbitrary<JournalStep> = fc.record({
  kind: fc.constant('catch-up'),
  origin,
  facts,
  stride: fc.integer({ min: 1, max: 3 }),
  tail: fc.integer({ min: -1, max: 3 }),
  epochShift: fc.constantFrom(0, 0, 0, 1, -1),
});

const newEpoch: fc.Arbitrary<JournalStep> = fc.record({
  kind: fc.constant('new-epoch'),
  floorShift: fc.integer({ min: -3, max: 3 }),
});

const advance: fc.Arbitrary<JournalStep> = fc.record({
  kind: fc.constant('advance'),
  hours: fc.constantFrom(0.3, 1, 30, 80, 800),
});

export const journalSteps: fc.Arbitrary<readonly JournalStep[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: append },
    { weight: 3, arbitrary: catchUp },
    { weight: 2, arbitrary: fc.constant<JournalStep>({ kind: 'compact' }) },
    { weight: 2, arbitrary: advance },
    { weight: 1, arbitrary: fc.constant<JournalStep>({ kind: 'reopen' }) },
    { weight: 1, arbitrary: newEpoch },
  ),
  { maxLength: 25 },
);
