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
