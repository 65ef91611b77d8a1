// A part of State for all its readers: a snapshot, then its events, once a second. When the part covers other nodes, or state
// changed without events, there is a new snapshot.

import type { Event } from '../../../core/event.ts';
import {
  isEventOfPart,
  isSamePart,
  partOfNodes,
  type StatePart,
  stateOfPart,
} from '../../../core/fleet/state-part.ts';
import type { State } from '../../../core/state.ts';
import type { StreamClient } from './stream-client.ts';

interface StateFrames {
  readonly snapshot: (state: State) => Buffer;
  readonly batch: (events: readonly Event[]) => Buffer;
}

export class StateFeed {
  readonly #frames: StateFrames;
  readonly #eventsMax: number;
  /** true: it waits for its snapshot. */
  readonly #readers = new Map<StreamClient, boolean>();
  #part: StatePart = partOfNodes([], 'none');
  #events: Event[] = [];
  #isNew = false;

  constructor(frames: StateFrames, eventsMax: number) {
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
      if (!isEventOfPart(this.#part, event)) continue;
      if (this.#events.length >= this.#eventsMax) this.startOver();
      else this.#events.push(event);
    }
  }

  startOver(): void {
    this.#isNew = true;
    this.#events = [];
  }

  send(state: State, part: StatePart): void {
    const isNew = this.#isNew || !isSamePart(part, this.#part);
    const events = this.#events;
    this.#part = part;
    this.#events = [];
    this.#isNew = false;
    let snapshot: Buffer | undefined;
    const batch = events.length === 0 ? undefined : this.#frames.batch(events);
    for (const [client, isWaiting] of this.#readers) {
      if (isWaiting || isNew) {
        snapshot ??= this.#frames.snapshot(stateOfPart(state, part));
        client.sendSnapshot(snapshot);
        this.#readers.set(client, false);
      } else if (batch !== undefined) client.send(batch);
    }
  }
}
