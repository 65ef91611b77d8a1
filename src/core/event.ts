// An event is a past-tense, immutable record of one origin node: DESIGN §3.1. State is a fold over events and
// nothing else, so whatever a person should be able to see exists here first.

import type { EventKind, EventPayloads } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { EventClass } from './kind-row.ts';

export interface EventHead {
  readonly origin: NodeId;
  /**
   * Durable: the number of the journal that the origin writes, greater than every one it had before.
   * Live: the number of the daemon's start, likewise.
   */
  readonly epoch: number;
  readonly class: EventClass;
  /** From 1. Durable: gapless in (origin, epoch). Live: a counter of the daemon's start. */
  readonly seq: number;
  /** Names the entry among those of (origin, slot); '' where a node has one. */
  readonly key: string;
  /** How old the fact was when this process received it, in ms. */
  readonly ageMs: number;
  /** When this process received it, on its own monotonic clock, in ms. Never travels. */
  readonly receivedAtMs: number;
}

export type KnownEvent<K extends EventKind = EventKind> = {
  [P in K]: EventHead & { readonly kind: P; readonly payload: EventPayloads[P] };
}[K];

/** A kind of a newer version: its record is stored and relayed as it came, shown by name, never applied nor looked into. */
export type UnknownEvent = EventHead & {
  readonly kind: 'unknown';
  readonly unknownKind: string;
};

export type Event = KnownEvent | UnknownEvent;
