// Which records may be stored next, the same rule for every adapter, decided before anything is written, so a refused
// batch leaves no trace; and the numbers that a journal gives its own node when it is opened. Those come from the wall
// clock, so a new journal is above a lost one, and they only grow. Pure.

import { maximumOf } from '../core/extremes.ts';
import type { NodeId } from '../core/ids.ts';
import type { DurableRecord } from '../wire/durable-record.ts';
import type { OriginPosition } from '../wire/version-vector.ts';
import { JournalError, type JournalNotice } from './journal.ts';

export interface JournalNumbers {
  readonly ownNode: NodeId;
  readonly ownEpoch: number;
  position(origin: NodeId): OriginPosition | undefined;
}

export interface Admitted {
  /** In storage order. */
  readonly records: readonly DurableRecord[];
  /** The positions of the origins afterwards; only those that move. */
  readonly positions: readonly OriginPosition[];
}

/** @throws JournalError `out-of-order`, `own-future` */
export const admit = (numbers: JournalNumbers, records: readonly DurableRecord[]): Admitted => {
  const admitted: DurableRecord[] = [];
  const moved = new Map<NodeId, OriginPosition>();
  for (const record of records) {
    const position = moved.get(record.origin) ?? numbers.position(record.origin);
    if (isStored(position, record)) continue;
    refuseOtherOwnEpoch(numbers, record);
    const isNewEpoch = position === undefined || record.epoch > position.epoch;
    const next = isNewEpoch ? 1 : position.through + 1;
    if (!isWhole(record.epoch) || record.seq !== next) throw notNext(record, next);
    moved.set(record.origin, { origin: record.origin, epoch: record.epoch, through: record.seq });
    admitted.push(record);
  }
  return { records: admitted, positions: [...moved.values()] };
};

/** @throws JournalError `out-of-order`, `own-future` */
export const admitCatchUp = (
  numbers: JournalNumbers,
  answer: OriginPosition,
  records: readonly DurableRecord[],
): Admitted => {
  const position = numbers.position(answer.origin);
  if (!isWhole(answer.epoch) || !isWhole(answer.through))
    throw outOfOrder(`The catch-up position of ${answer.origin} is not a whole number.`);
  let before = 0;
  for (const record of records) {
    const isOfAnswer = record.origin === answer.origin && record.epoch === answer.epoch;
    if (!isOfAnswer || !isWhole(record.seq) || record.seq <= before || record.seq > answer.through)
      throw notNext(record, before + 1);
    before = record.seq;
  }
  const isBehind =
    position !== undefined &&
    (answer.epoch < position.epoch ||
      (answer.epoch === position.epoch && answer.through <= position.through));
  if (isBehind) return { records: [], positions: [] };
  if (answer.origin === numbers.ownNode) throw ownFuture(numbers, answer.epoch);
  const from = position?.epoch === answer.epoch ? position.through : 0;
  return { records: records.filter(record => record.seq > from), positions: [answer] };
};

/**
 * A number for a new epoch or start: from the wall clock, but greater than all previous ones, regardless of
 * the clock.
 */
export const numberAbove = (wallMs: number, ...floors: readonly number[]): number => {
  const number = maximumOf([Math.floor(wallMs), ...floors.map(floor => floor + 1)]);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`not a whole number above ${floors.join(', ')}`);
};

/** Ages and wall times are stored in whole milliseconds; an age is never negative. */
export const wholeAgeMs = (ageMs: number): number =>
  Number.isFinite(ageMs) ? Math.min(Math.max(0, Math.round(ageMs)), Number.MAX_SAFE_INTEGER) : 0;

export interface OwnNumbers {
  readonly ownNode: string;
  readonly ownEpoch: number;
  readonly startNumber: number;
}

interface Opening {
  readonly ownNode: NodeId;
  readonly wallMs: number;
  readonly epochFloor: number;
  /** The epoch of this node in the journal, possibly recorded as another node's. */
  readonly storedEpoch: number;
  /** What could be read from a journal that this one replaces. */
  readonly lost?: OwnNumbers | undefined;
}

export interface Opened {
  readonly numbers: OwnNumbers;
  readonly isNewEpoch: boolean;
  readonly notices: readonly JournalNotice[];
}

export const openOwnNumbers = (stored: OwnNumbers | undefined, opening: Opening): Opened => {
  const { ownNode, wallMs, epochFloor, storedEpoch, lost } = opening;
  const startNumber = numberAbove(wallMs, stored?.startNumber ?? 0, lost?.startNumber ?? 0);
  const isSameNode = stored?.ownNode === ownNode;
  if (stored !== undefined && isSameNode && stored.ownEpoch >= epochFloor)
    return { numbers: { ownNode, ownEpoch: stored.ownEpoch, startNumber }, isNewEpoch: false, notices: [] };
  const before = [isSameNode ? stored.ownEpoch : 0, lost?.ownNode === ownNode ? lost.ownEpoch : 0];
  const ownEpoch = numberAbove(wallMs, epochFloor, storedEpoch, ...before);
  const notices: readonly JournalNotice[] =
    stored === undefined || isSameNode
      ? []
      : [
          {
            code: 'journal-of-other-node',
            problem: `The journal was written by node ${stored.ownNode}, and this is ${ownNode}: its records are stored as another node's.`,
            advice: '',
          },
        ];
  return { numbers: { ownNode, ownEpoch, startNumber }, isNewEpoch: true, notices };
};

const isStored = (position: OriginPosition | undefined, record: DurableRecord): boolean =>
  position !== undefined &&
  (record.epoch < position.epoch || (record.epoch === position.epoch && record.seq <= position.through));

const isWhole = (number: number): boolean => Number.isSafeInteger(number) && number >= 0;

const refuseOtherOwnEpoch = (numbers: JournalNumbers, record: DurableRecord): void => {
  if (record.origin === numbers.ownNode && record.epoch !== numbers.ownEpoch)
    throw ownFuture(numbers, record.epoch);
};

const ownFuture = (numbers: JournalNumbers, epoch: number): JournalError =>
  new JournalError({
    code: 'own-future',
    problem: `Other nodes have more of epoch ${epoch} than this journal (epoch ${numbers.ownEpoch}): the journal was restored from a copy.`,
    advice: 'Start a new epoch.',
  });

const notNext = (record: DurableRecord, next: number): JournalError =>
  outOfOrder(
    `Record ${record.seq} of ${record.origin}, epoch ${record.epoch}, is out of order: ${next} was expected.`,
  );

const outOfOrder = (problem: string): JournalError =>
  new JournalError({ code: 'out-of-order', problem, advice: '' });
