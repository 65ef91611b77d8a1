// Writes to State, copying what it changes. A draft that spans several events copies a map once and then writes it in
// place, because nobody sees the states in between: of two hundred nodes a map has two hundred keys, and a batch thousands
// of events. So an event costs the same however many keys its node has. `release` ends that: whoever hands `state` out
// calls it first.

import type { StateField } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { EntryBounds } from './kind-row.ts';
import type { Position } from './position.ts';
import { isAfter } from './position.ts';
import type { Entry, OriginProgress, State, UnknownKind } from './state.ts';

/** Readonly to everybody else; what a draft has made itself it writes in place. */
type Tree = Record<string, unknown>;

export class Draft {
  #state: State;
  /** States and maps made since the last release; undefined where every write copies. */
  #made: Set<object> | undefined;
  /** How many keys a map has, or a map of maps has in all, where that was counted. */
  readonly #sizes = new WeakMap<object, number>();
  #changes = 0;
  #copies = 0;

  /** `isBatch`: it spans several events. */
  constructor(state: State, { isBatch }: { readonly isBatch: boolean }) {
    this.#state = state;
    this.#made = isBatch ? new Set() : undefined;
  }

  get state(): State {
    return this.#state;
  }

  /** Grows with every change of the state. */
  get changes(): number {
    return this.#changes;
  }

  /** Maps copied so far: what a draft is there to save. */
  get copies(): number {
    return this.#copies;
  }

  /** From now on nothing that was made so far is written again: the state may be kept by anybody. */
  release(): void {
    if (this.#made !== undefined && this.#made.size > 0) this.#made = new Set();
  }

  /** The one entry of a node. */
  putOne(field: StateField, origin: NodeId, entry: Entry<unknown>): void {
    this.#replace(field, this.#set(this.#state[field], origin, entry));
  }

  /** False where it was refused: the node has as many entries as it may, and this would be one more. */
  putKeyed(field: StateField, place: KeyedPlace, entry: Entry<unknown>, bounds: EntryBounds): boolean {
    const { origin, key } = place;
    const map: Tree = this.#state[field];
    let keys = innerOf(map, origin);
    if (Object.hasOwn(keys, key)) keys = this.#set(keys, key, entry);
    else {
      let size = this.#sizeOf(keys);
      if (size >= bounds.entriesMax) {
        if (bounds.isNewestKept !== true) return false;
        const oldest = oldestKey(keys);
        if (isAfter(positionOf(keys[oldest]), entry)) return true;
        keys = this.#without(keys, oldest);
        size -= 1;
      }
      keys = this.#set(keys, key, entry);
      this.#sizes.set(keys, size + 1);
    }
    this.#putInner(field, map, origin, keys);
    return true;
  }

  /** Likewise, where a node has also a bound for each other node. */
  putLinked(field: StateField, place: LinkPlace, entry: Entry<unknown>, bounds: EntryBounds): boolean {
    const { source, sink, key } = place;
    const map: Tree = this.#state[field];
    const sinks = innerOf(map, source);
    const keys = innerOf(sinks, sink);
    const isNew = !Object.hasOwn(keys, key);
    const size = isNew ? this.#sizeOfAll(sinks) : 0;
    const sizeOfPair = isNew ? this.#sizeOf(keys) : 0;
    const { entriesMax, entriesPerSinkMax = entriesMax } = bounds;
    if (isNew && (size >= entriesMax || sizeOfPair >= entriesPerSinkMax)) return false;
    const written = this.#set(keys, key, entry);
    if (isNew) this.#sizes.set(written, sizeOfPair + 1);
    const writtenSinks = sinks[sink] === written ? sinks : this.#set(sinks, sink, written);
    if (isNew) this.#sizes.set(writtenSinks, size + 1);
    this.#putInner(field, map, source, writtenSinks);
    return true;
  }

  /** Everything of a node in one map. */
  dropNode(field: StateField | NotedField, origin: NodeId): void {
    const map: Tree = this.#state[field];
    if (Object.hasOwn(map, origin)) this.#replace(field, this.#without(map, origin));
  }

  /** Mappings that this empties go with it. */
  dropLinked(field: StateField, { source, sink, key }: LinkPlace): void {
    const map: Tree = this.#state[field];
    const sinks = innerOf(map, source);
    const keys = innerOf(sinks, sink);
    if (!Object.hasOwn(keys, key)) return;
    const [size, sizeOfPair] = [this.#sizeOfAll(sinks), this.#sizeOf(keys)];
    if (size === 1) {
      this.#replace(field, this.#without(map, source));
      return;
    }
    const fewer = sizeOfPair === 1 ? undefined : this.#without(keys, key);
    if (fewer !== undefined) this.#sizes.set(fewer, sizeOfPair - 1);
    const left = fewer === undefined ? this.#without(sinks, sink) : this.#put(sinks, sink, fewer);
    this.#sizes.set(left, size - 1);
    this.#putInner(field, map, source, left);
  }

  putProgress(origin: NodeId, progress: OriginProgress): void {
    this.#replace('origins', this.#set(this.#state.origins, origin, progress));
  }

  /** Beside the entries: what of an origin was not taken over, by kind. */
  putNoted(field: NotedField, origin: NodeId, kind: string, noted: UnknownKind): void {
    const map: Tree = this.#state[field];
    this.#putInner(field, map, origin, this.#set(innerOf(map, origin), kind, noted));
  }

  dropNoted(field: NotedField, origin: NodeId, kind: string): void {
    const map: Tree = this.#state[field];
    const kinds = innerOf(map, origin);
    if (!Object.hasOwn(kinds, kind)) return;
    const left = this.#without(kinds, kind);
    if (isEmpty(left)) this.#replace(field, this.#without(map, origin));
    else this.#putInner(field, map, origin, left);
  }

  #putInner(field: keyof State, map: Tree, key: string, inner: Tree): void {
    this.#replace(field, this.#put(map, key, inner));
  }

  #put(map: Tree, key: string, inner: Tree): Tree {
    return map[key] === inner ? map : this.#set(map, key, inner);
  }

  #replace(field: keyof State, map: Tree): void {
    this.#changes += 1;
    if (map === this.#state[field]) return;
    if (this.#made?.has(this.#state) === true) {
      Reflect.set(this.#state, field, map);
      return;
    }
    this.#state = { ...this.#state, [field]: map };
    this.#made?.add(this.#state);
  }

  #set(map: Tree, key: string, value: unknown): Tree {
    // Assigned, "__proto__" would be no key of a mapping: that one is always copied.
    if (this.#made?.has(map) === true && key !== '__proto__') {
      map[key] = value;
      return map;
    }
    const copy = { ...map, [key]: value };
    this.#copied(map, copy);
    return copy;
  }

  #without(map: Tree, key: string): Tree {
    if (this.#made?.has(map) === true) {
      delete map[key];
      return map;
    }
    const { [key]: _gone, ...others } = map;
    this.#copied(map, others);
    return others;
  }

  #copied(map: Tree, copy: Tree): void {
    this.#copies += 1;
    this.#made?.add(copy);
    const size = this.#sizes.get(map);
    if (size !== undefined) this.#sizes.set(copy, size);
  }

  #sizeOf(keys: Tree): number {
    return this.#sizes.get(keys) ?? Object.keys(keys).length;
  }

  #sizeOfAll(sinks: Tree): number {
    const held = this.#sizes.get(sinks);
    if (held !== undefined) return held;
    let size = 0;
    for (const keys of Object.values(sinks)) if (isTree(keys)) size += this.#sizeOf(keys);
    return size;
  }
}

export interface KeyedPlace {
  readonly origin: NodeId;
  readonly key: string;
}

export interface LinkPlace {
  readonly source: NodeId;
  readonly sink: string;
  readonly key: string;
}

/** Maps of State beside those of the table: what was left out, origin by origin and kind by kind. */
export type NotedField = 'unknownKinds' | 'refusedKinds';

const innerOf = (map: Tree, key: string): Tree => {
  const held = Object.hasOwn(map, key) ? map[key] : undefined;
  return isTree(held) ? held : {};
};

const isEmpty = (map: Tree): boolean => {
  for (const _key in map) return false;
  return true;
};

/** Only where a map is full and its newest entries count: those maps are small. */
const oldestKey = (keys: Tree): string => {
  let oldest = '';
  let position: Position | undefined;
  for (const key in keys) {
    const here = positionOf(keys[key]);
    if (position !== undefined && !isAfter(position, here)) continue;
    oldest = key;
    position = here;
  }
  return oldest;
};

const positionOf = (entry: unknown): Position => (isPosition(entry) ? entry : START);

const isPosition = (entry: unknown): entry is Position =>
  typeof entry === 'object' &&
  entry !== null &&
  'epoch' in entry &&
  'seq' in entry &&
  typeof entry.epoch === 'number' &&
  typeof entry.seq === 'number';

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

const START: Position = { epoch: 0, seq: 0 };
