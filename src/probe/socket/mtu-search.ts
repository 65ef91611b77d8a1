// The largest packet that passes a path, by trying sizes: from what passed and what did not follow the sizes of the next round, as
// RFC 8899 searches, but a round at a time. No reply of a router is needed, which many paths filter.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { pushAll } from '../../core/push-all.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { INTERVAL_US_MIN } from './control-message.ts';
import type { Trains } from './datagram-trains.ts';
import type { ProbeDirection } from './rate-estimate.ts';

interface MtuSearch {
  readonly mtuBytes: Reported<number>;
  /** By the receiver's socket until now. */
  readonly dropped: number;
}

/** Undefined if not one passes. @throws ProbeError */
export const searchMtu = async (
  trains: Trains,
  direction: ProbeDirection,
  settleMs: number,
): Promise<MtuSearch | undefined> => {
  const tried: number[] = [];
  const passed: number[] = [];
  let sizes = FIRST_SIZES;
  let dropped = 0;
  for (let round = 0; round < ROUNDS_MAX && sizes.length > 0; round += 1) {
    const plan = { sizes, count: sizes.length * TRIES, intervalUs: INTERVAL_US_MIN };
    const { received, isWhole } = await trains.run(direction, plan, settleMs);
    ({ dropped } = received);
    pushAll(tried, sizes);
    pushAll(
      passed,
      received.numbers.flatMap(number => sizes[number % sizes.length] ?? []),
    );
    if (passed.length === 0) return undefined;
    if (isUnknown(isWhole)) return { mtuBytes: isWhole, dropped };
    sizes = nextSizes(tried, passed);
  }
  return { mtuBytes: maximumOf(passed), dropped };
};

/** Bytes of IP packets, ascending: what networks are usually set to, so that most searches end after one round. */
export const FIRST_SIZES: readonly number[] = [
  576, 1_280, 1_380, 1_400, 1_420, 1_450, 1_480, 1_492, 1_500, 1_501, 2_044, 4_092, 8_900, 9_000, 9_001,
  9_216, 16_384, 65_535,
];

/** Empty once the size is exact. `passed` and `tried`: of all rounds so far. */
export const nextSizes = (tried: readonly number[], passed: readonly number[]): readonly number[] => {
  const least = maximumOf([0, ...passed]);
  const most = minimumOf(tried.filter(size => size > least));
  if (least === 0 || !Number.isFinite(most)) return [];
  const between = most - least - 1;
  const count = Math.min(between, SIZES_OF_ROUND);
  return Array.from(
    { length: count },
    (_, at) => least + Math.round(((at + 1) * (between + 1)) / (count + 1)),
  );
};

const SIZES_OF_ROUND = 16;
/** Of each size: on a path that loses 5 %, one of 8,000 sizes is missed. */
const TRIES = 3;
const ROUNDS_MAX = 5;
