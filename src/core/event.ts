// An event is a past-tense, immutable record of one origin node: DESIGN §3.1. State is a fold over events and
// nothing else, so anything that a person can see exists here first.

import type { EventKind, EventPayloads } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { EventClass } from './kind-row.ts';

export interface EventHead {
  readonly origin: NodeId;
  /**
   * Durable: the number of the journal that the origin writes, greater than all previous ones. Live: the
   * number of the daemon's start, also increasing.
   */
  readonly epoch: number;
  readonly class: EventClass;
  /** From 1. Durable: gapless in (origin, epoch). Live: a counter of the daemon's start. */
  readonly seq: number;
  /** Identifies the entry among those of (origin, slot); '' if a node has only one. */
  readonly key: string;
  /** Age of the fact when this process received it, ms. */
  readonly ageMs: number;
  /** When this process received it: its own monotonic clock, ms. Never sent. */
  readonly receivedAtMs: number;
}

export type KnownEvent<K extends EventKind = EventKind> = {
  [P in K]: EventHead & { readonly kind: P; readonly payload: EventPayloads[P] };
}[K];

/**
 * A kind of a newer version: its record is stored and relayed unchanged, shown by name, never applied or
 * inspected.
 */
export type UnknownEvent = EventHead & {
  readonly kind: 'unknown';
  readonly unknownKind: string;
};

export type Event = KnownEvent | UnknownEvent;
