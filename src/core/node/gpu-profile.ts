// What a device can do, measured by a probe. Part of the picture only while fresh; the figures of a failed
// probe stay beside its failure.

import type { Reported } from '../unknown.ts';

export interface GpuProfile {
  readonly deviceId: string;
  readonly deviceKind: 'gpu' | 'cpu';
  readonly engine: string;
  readonly fp16FlopsPerSecond: Reported<number>;
  readonly memoryReadBytesPerSecond: Reported<number>;
  readonly memoryCopyBytesPerSecond: Reported<number>;
  /** The engine cannot reach the hardware's peak. */
  readonly isLowerBound: boolean;
  readonly method: string;
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  readonly failure: Reported<'none'>;
}
