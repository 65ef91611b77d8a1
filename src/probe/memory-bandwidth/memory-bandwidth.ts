// How fast this machine's processors read and copy its memory, all of them together: the figure that limits decoding on
// a CPU, measured in a separate child process.

import * as v from 'valibot';
import { maximumOf } from '../../core/extremes.ts';
import { counted } from '../../core/figure/figure.ts';
import { count, figure, type Infer, list, reported } from '../../core/schema.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { MemoryRounds } from './memory-threads.ts';

export const memoryBandwidthOf = (
  plan: MemoryPlan,
  lastLevelCacheBytes: Reported<number>,
  rounds: MemoryRounds,
): MemoryBandwidth => ({
  ...plan,
  lastLevelCacheBytes,
  hasHugePages: rounds.hasHugePages,
  readBytesPerSecond: maximumOf(rounds.read),
  copyBytesPerSecond: maximumOf(rounds.copy),
  gemvBytesPerSecond: maximumOf(rounds.gemv),
  readRounds: rounds.read,
  copyRounds: rounds.copy,
  gemvRounds: rounds.gemv,
  method: methodOf(plan, lastLevelCacheBytes, rounds),
});

export const memoryBandwidthSchema = v.object({
  threads: count,
  bytesPerThread: count,
  lastLevelCacheBytes: reported(count),
  isPastLastLevelCache: v.boolean(),
  hasHugePages: v.boolean(),
  /** Best round of those below. */
  readBytesPerSecond: figure,
  /** Bytes read plus bytes written: twice what mbw counts. */
  copyBytesPerSecond: figure,
  /** Matrix times vector, FP32, bytes of the matrix: as decoding reads weights. */
  gemvBytesPerSecond: figure,
  readRounds: list(figure),
  copyRounds: list(figure),
  gemvRounds: list(figure),
  method: v.string(),
});

export type MemoryBandwidth = Infer<typeof memoryBandwidthSchema>;

const READ_METHODS: Readonly<Record<MemoryRounds['readBy'], string>> = {
  sum: 'sum by 128-bit WebAssembly vectors',
  compare: "the C library's memcmp of one half with the other",
};

const methodOf = (plan: MemoryPlan, cacheBytes: Reported<number>, rounds: MemoryRounds): string => {
  const { threads, bytesPerThread, isPastLastLevelCache } = plan;
  const why = rounds.noForeignCalls === undefined ? '' : ` (${rounds.noForeignCalls})`;
  const pages = rounds.hasHugePages ? 'huge pages' : `ordinary pages${why}`;
  const cache = isPastLastLevelCache ? '' : ', not larger than the last-level cache: too little free memory';
  const assumed = isUnknown(cacheBytes) ? `, cache size unknown (${cacheBytes.reason})` : '';
  return [
    `${counted(threads, 'thread')} with ${Math.round(bytesPerThread / 1024 ** 2)} MiB each in ${pages}${cache}${assumed}`,
    `read: ${READ_METHODS[rounds.readBy]}`,
    "copy: the C library's memmove, read plus written",
    'matrix times vector: FP32 rows of 4,096 by 128-bit WebAssembly vectors',
    `best of ${rounds.read.length}`,
  ].join('; ');
};
