// What a probe of a device or a connection usually finds: medians over the last week, made by the prober of its own journal
// and told live, so that every node and page can say what is unusual without asking for history.

import type { ProbeSubject } from './probe-status.ts';

export interface ProbeBaseline {
  readonly subject: ProbeSubject;
  /** How far back, ms. */
  readonly windowMs: number;
  /** From the oldest to the newest of them, ms. */
  readonly spanMs: number;
  /** Good measurements that the medians are of. */
  readonly count: number;
  /** By the name of the figure in the profile: "uploadBitsPerSecond". */
  readonly medians: Readonly<Record<string, number>>;
}

export const BASELINE_WINDOW_MS: number = 7 * 24 * 3_600_000;
