// What is being measured now, or why not yet: published by the node that runs the probe, never stored. A
// lease: one older than its announced duration is ignored.

import type { NodeId } from '../ids.ts';
import type { Reported } from '../unknown.ts';

export type ProbeSubject =
  | { readonly kind: 'gpu'; readonly deviceId: string }
  | { readonly kind: 'link'; readonly sink: NodeId; readonly connectionKey: string };

export interface ProbeStatus {
  readonly subject: ProbeSubject;
  readonly stage:
    | { readonly kind: 'running'; readonly expectedMs: number; readonly isByHand: boolean }
    /** Due, but deferred: "a runner is active on juno", "the byte budget is spent". */
    | { readonly kind: 'waiting'; readonly reason: string; readonly nextInMs: Reported<number> }
    | { readonly kind: 'idle'; readonly nextInMs: Reported<number> };
}

/** Key of a status among those of one node. */
export const probeKey = (subject: ProbeSubject): string => {
  switch (subject.kind) {
    case 'gpu':
      return `gpu ${subject.deviceId}`;
    case 'link':
      return `link ${subject.sink} ${subject.connectionKey}`;
    default:
      return subject satisfies never;
  }
};

// The usual figures of a probe of a device or a connection: medians over the last week, computed by the
// prober from its own journal and published live, so that every node and page can show what is unusual
// without requesting history.
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
