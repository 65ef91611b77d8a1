// The usual figures of a probe of a device or a connection: medians over the last week, computed by the
// prober from its own journal and published live, so that every node and page can show what is unusual
// without requesting history.

import type { ProbeSubject } from './probe-status.ts';

export interface ProbeBaseline {
  readonly subject: ProbeSubject;
  /** How far back, ms. */
  readonly windowMs: number;
  /** From the oldest to the newest of them, ms. */
  readonly spanMs: number;
  /** Number of good measurements in the medians. */
  readonly count: number;
  /** By the name of the figure in the profile: "uploadBitsPerSecond". */
  readonly medians: Readonly<Record<string, number>>;
}

export const BASELINE_WINDOW_MS: number = 7 * 24 * 3_600_000;
