// What a connection carries, measured by a probe that its source started. Upload is source to sink.

import type { NodeId } from '../ids.ts';
import type { Reported } from '../unknown.ts';

export interface LinkProfile {
  readonly sink: NodeId;
  readonly connectionKey: string;
  readonly uploadBitsPerSecond: Reported<number>;
  readonly downloadBitsPerSecond: Reported<number>;
  /** Round trips, nanoseconds. */
  readonly roundTripNsMin: Reported<number>;
  readonly roundTripNsP50: Reported<number>;
  readonly roundTripNsP99: Reported<number>;
  /** Mean absolute difference of consecutive round trips. */
  readonly jitterNs: Reported<number>;
  readonly method: string;
  readonly failure: Reported<'none'>;
}
