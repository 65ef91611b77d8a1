// Rows of the journal as /api/history returns them, with the figures that a test names.

import { nodeId } from '../../src/core/ids.ts';
import { type LinkProfile, noLinkFigures } from '../../src/core/link/link-profile.ts';
import type { GpuProfile } from '../../src/core/node/gpu-profile.ts';
import { unknown } from '../../src/core/unknown.ts';
import type { ProfileRow } from '../../src/wire/api/history-answers.ts';

export const linkRow = (atWallMs: number, figures: Partial<LinkProfile>): ProfileRow => ({
  atWallMs,
  isHourly: false,
  record: {
    ...HEAD,
    kind: 'link.profiled',
    payload: {
      sink: HEAD.origin,
      connectionKey: 'socket 10.0.0.2',
      ...noLinkFigures(NONE),
      extrasAgeMs: NONE,
      extrasBytes: 0,
      bytesUsed: 0,
      engine: 'test',
      method: 'test',
      measuredAgeMs: 0,
      intervalMs: NONE,
      failure: 'none',
      ...figures,
    },
  },
});

export const gpuRow = (atWallMs: number, figures: Partial<GpuProfile>): ProfileRow => ({
  atWallMs,
  isHourly: false,
  record: {
    ...HEAD,
    kind: 'gpu.profiled',
    payload: {
      deviceId: 'GPU-0',
      deviceName: 'card',
      deviceKind: 'gpu',
      engine: 'test',
      fp16FlopsPerSecond: NONE,
      fp32FlopsPerSecond: NONE,
      memoryReadBytesPerSecond: NONE,
      memoryCopyBytesPerSecond: NONE,
      memoryGemvBytesPerSecond: NONE,
      int8OperationsPerSecond: NONE,
      fp8FlopsPerSecond: NONE,
      isLowerBound: false,
      method: 'test',
      measuredAgeMs: 0,
      intervalMs: NONE,
      failure: 'none',
      ...figures,
    },
  },
});

/** An hour in which each figure was reported three times, by its median. */
export const hourRow = (atWallMs: number, medians: Readonly<Record<string, number>>): ProfileRow => ({
  atWallMs,
  isHourly: true,
  record: {
    version: 1,
    count: 3,
    failedCount: 0,
    figures: Object.fromEntries(
      Object.entries(medians).map(([name, median]) => [
        name,
        { min: median / 2, median, max: median * 2, count: 3 },
      ]),
    ),
  },
});

const NONE = unknown('not measured');
const HEAD = { version: 1, origin: nodeId('n'.padEnd(26, 'a')), epoch: 1, seq: 1, key: 'x' } as const;
