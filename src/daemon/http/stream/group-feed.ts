// The state of one group's nodes for all who look at its map: a snapshot, then the events of these nodes, once a second. When
// other nodes make up the group, or state changed in a way that no events tell, there is a new snapshot.

import type { Event } from '../../../core/event.ts';
import type { NodeId } from '../../../core/ids.ts';
import type { State } from '../../../core/state.ts';
import { FIELDS, stateWith } from '../../../core/state.ts';
import type { StreamClient } from './stream-client.ts';

export interface GroupFrames {
  readonly snapshot: (state: State) => Buffer;
  readonly batch: (events: readonly Event[]) => Buffer;
}

export class GroupFeed {
  readonly #frames: GroupFrames;
  readonly #eventsMax: number;
  /** true: it waits for its snapshot. */
  readonly #readers = new Map<StreamClient, boolean>();
  #nodes: ReadonlySet<NodeId> = new Set();
  #events: Event[] = [];
  #isNew = false;

  constructor(frames: GroupFrames, eventsMax: number) {
    this.#frames = frames;
    this.#eventsMax = eventsMax;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  add(client: StreamClient): void {
    this.#readers.set(client, true);
  }

  remove(client: StreamClient): void {
    this.#readers.delete(client);
  }

  take(events: readonly Event[]): void {
    for (const event of events) {
      if (!this.#nodes.has(event.origin)) continue;
      if (this.#events.length >= this.#eventsMax) this.startOver();
      else this.#events.push(event);
    }
  }

  startOver(): void {
    this.#isNew = true;
    this.#events = [];
  }

  send(state: State, nodes: ReadonlySet<NodeId>): void {
    const isSame = nodes.size === this.#nodes.size && [...nodes].every(node => this.#nodes.has(node));
    const isNew = this.#isNew || !isSame;
    const events = this.#events;
    this.#nodes = nodes;
    this.#events = [];
    this.#isNew = false;
    let snapshot: Buffer | undefined;
    const batch = events.length === 0 ? undefined : this.#frames.batch(events);
    for (const [client, isWaiting] of this.#readers) {
      if (isWaiting || isNew) {
        snapshot ??= this.#frames.snapshot(stateOfNodes(state, nodes));
        client.sendSnapshot(snapshot);
        this.#readers.set(client, false);
      } else if (batch !== undefined) client.send(batch);
    }
  }
}

/** What these nodes tell of themselves and of each other. */
export const stateOfNodes = (state: State, nodes: ReadonlySet<NodeId>): State => {
  const ids = new Set<string>(nodes);
  const ofThem = (map: object): object =>
    Object.fromEntries(Object.entries(map).filter(([node]) => ids.has(node)));
  const linked = new Set<string>(FIELDS.filter(({ shape }) => shape === 'linked').map(({ field }) => field));
  return stateWith(
    Object.fromEntries(
      Object.entries(state).map(([field, map]) => [
        field,
        linked.has(field)
          ? Object.fromEntries(Object.entries(ofThem(map)).map(([node, sinks]) => [node, ofThem(sinks)]))
          : ofThem(map),
      ]),
    ),
  );
};
