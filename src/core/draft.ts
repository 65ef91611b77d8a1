// Writes to State, copying what it changes. A draft that spans several events copies a map once and then
// writes it in place, because nothing reads the states in between: a map of two hundred nodes has two hundred
// keys, and a batch thousands of events. So the cost of an event does not grow with the keys of its node.
// `release` ends that: call it before `state` is passed on.

import type { StateField } from './event-kinds.ts';
import { isAfter, type NodeId, type Position } from './ids.ts';
import type { EntryBounds, LinkKey } from './kind-row.ts';
import type { Entry, OriginProgress, State, UnknownKind } from './state.ts';

/** Readonly to all other code; a draft writes the maps that it made itself in place. */
type Tree = Record<string, unknown>;

export class Draft {
  #state: State;
  /** The same object if it was copied since the last release, writable. */
  #maps: Tree | undefined;
  /** Maps made since the last release; undefined if every write copies. */
  #made: Set<object> | undefined;
  /** How many keys a map has, or a map of maps in total, if counted. */
  #sizes: WeakMap<object, number> | undefined;
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

  /** Increases with every change of the state. */
  get changes(): number {
    return this.#changes;
  }

  /** Maps copied so far: what a draft is meant to save. */
  get copies(): number {
    return this.#copies;
  }

  /** After this, no map made so far is written again: the state may be stored anywhere. */
  release(): void {
    this.#maps = undefined;
    if (this.#made !== undefined && this.#made.size > 0) this.#made = new Set();
  }

  /** Sets the only entry of a node. */
  putOne(field: StateField, origin: NodeId, entry: Entry<unknown>): void {
    const map: Tree = this.#state[field];
    this.#replace(field, map, this.#set(map, origin, entry));
  }

  /** False if refused: the node is at its limit of entries. */
  putKeyed(field: StateField, slot: KeyedSlot, entry: Entry<unknown>, bounds: EntryBounds): boolean {
    const { origin, key } = slot;
    const map: Tree = this.#state[field];
    const current = ownTree(map, origin);
    let keys: Tree;
    if (current !== undefined && Object.hasOwn(current, key)) keys = this.#set(current, key, entry);
    else {
      keys = current ?? {};
      let size = this.#sizeOf(keys);
      if (size >= bounds.entriesMax) {
        if (bounds.isNewestKept !== true) return false;
        const oldest = oldestKey(keys);
        if (isAfter(positionOf(keys[oldest]), entry)) return true;
        keys = this.#without(keys, oldest);
        size -= 1;
      }
      keys = this.#set(keys, key, entry);
      this.#noteSize(keys, size + 1);
    }
    this.#replace(field, map, keys === current ? map : this.#set(map, origin, keys));
    return true;
  }

  /** As `putKeyed`, with a second limit for each other node. */
  putLinked(
    field: StateField,
    source: NodeId,
    { sink, key }: LinkKey,
    entry: Entry<unknown>,
    bounds: EntryBounds,
  ): boolean {
    const map: Tree = this.#state[field];
    const currentSinks = ownTree(map, source);
    const current = currentSinks === undefined ? undefined : ownTree(currentSinks, sink);
    if (currentSinks !== undefined && current !== undefined && Object.hasOwn(current, key)) {
      const keys = this.#set(current, key, entry);
      const sinks = keys === current ? currentSinks : this.#set(currentSinks, sink, keys);
      this.#replace(field, map, sinks === currentSinks ? map : this.#set(map, source, sinks));
      return true;
    }
    const { entriesMax, entriesPerSinkMax = entriesMax } = bounds;
    const size = this.#sizeOfAll(currentSinks);
    const sizeOfPair = this.#sizeOf(current);
    if (size >= entriesMax || sizeOfPair >= entriesPerSinkMax) return false;
    const keys = this.#set(current, key, entry);
    this.#noteSize(keys, sizeOfPair + 1);
    const sinks =
      keys === current && currentSinks !== undefined ? currentSinks : this.#set(currentSinks, sink, keys);
    this.#noteSize(sinks, size + 1);
    this.#replace(field, map, sinks === currentSinks ? map : this.#set(map, source, sinks));
    return true;
  }

  /** Removes all entries of a node from one map. */
  dropNode(field: StateField | NotedField | 'origins', origin: NodeId): void {
    const map: Tree = this.#state[field];
    if (Object.hasOwn(map, origin)) this.#replace(field, map, this.#without(map, origin));
  }

  /** Removes maps that become empty too. */
  dropLinked(field: StateField, source: NodeId, { sink, key }: LinkKey): void {
    const map: Tree = this.#state[field];
    const sinks = ownTree(map, source);
    const keys = sinks === undefined ? undefined : ownTree(sinks, sink);
    if (sinks === undefined || keys === undefined || !Object.hasOwn(keys, key)) return;
    const [size, sizeOfPair] = [this.#sizeOfAll(sinks), this.#sizeOf(keys)];
    if (size === 1) {
      this.#replace(field, map, this.#without(map, source));
      return;
    }
    const fewer = sizeOfPair === 1 ? undefined : this.#without(keys, key);
    if (fewer !== undefined) this.#noteSize(fewer, sizeOfPair - 1);
    const left = fewer === undefined ? this.#without(sinks, sink) : this.#put(sinks, sink, fewer);
    this.#noteSize(left, size - 1);
    this.#replace(field, map, this.#put(map, source, left));
  }

  putProgress(origin: NodeId, progress: OriginProgress): void {
    const { origins } = this.#state;
    this.#replace('origins', origins, this.#set(origins, origin, progress));
  }

  /** Counts what was not taken over of an origin, by kind; not an entry. */
  putNoted(field: NotedField, origin: NodeId, kind: string, noted: UnknownKind): void {
    const map: Tree = this.#state[field];
    this.#replace(field, map, this.#put(map, origin, this.#set(ownTree(map, origin), kind, noted)));
  }

  dropNoted(field: NotedField, origin: NodeId, kind: string): void {
    const map: Tree = this.#state[field];
    const kinds = ownTree(map, origin);
    if (kinds === undefined || !Object.hasOwn(kinds, kind)) return;
    const left = this.#without(kinds, kind);
    this.#replace(field, map, isEmpty(left) ? this.#without(map, origin) : this.#put(map, origin, left));
  }

  #put(map: Tree, key: string, inner: Tree): Tree {
    return map[key] === inner ? map : this.#set(map, key, inner);
  }

  /** `current`: the current map; the same object as `map` if that was written in place. */
  #replace(field: keyof State, current: Tree, map: Tree): void {
    this.#changes += 1;
    if (map === current) return;
    if (this.#maps === undefined) {
      const copy = { ...this.#state };
      this.#state = copy;
      this.#maps = copy;
    }
    this.#maps[field] = map;
  }

  #set(map: Tree | undefined, key: string, value: unknown): Tree {
    // With an assignment, "__proto__" would not become a key: that map is always copied.
    if (map !== undefined && key !== '__proto__' && this.#made?.has(map) === true) {
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

  #copied(map: Tree | undefined, copy: Tree): void {
    this.#copies += 1;
    this.#made?.add(copy);
    const size = map === undefined ? undefined : this.#sizes?.get(map);
    if (size !== undefined) this.#noteSize(copy, size);
  }

  #noteSize(map: Tree, size: number): void {
    this.#sizes ??= new WeakMap();
    this.#sizes.set(map, size);
  }

  #sizeOf(keys: Tree | undefined): number {
    return keys === undefined ? 0 : (this.#sizes?.get(keys) ?? Object.keys(keys).length);
  }

  #sizeOfAll(sinks: Tree | undefined): number {
    if (sinks === undefined) return 0;
    const known = this.#sizes?.get(sinks);
    if (known !== undefined) return known;
    let size = 0;
    for (const keys of Object.values(sinks)) if (isTree(keys)) size += this.#sizeOf(keys);
    return size;
  }
}

interface KeyedSlot {
  readonly origin: NodeId;
  readonly key: string;
}

/** Maps of State in addition to those of the table: what was left out, by origin and kind. */
export type NotedField = 'unknownKinds' | 'refusedKinds';

/** Inherited values are not trees, except Object.prototype, which is under "__proto__". */
const ownTree = (map: Tree, key: string): Tree | undefined => {
  const value = map[key];
  return isTree(value) && value !== Object.prototype ? value : undefined;
};

const isEmpty = (map: Tree): boolean => {
  for (const _key in map) return false;
  return true;
};

/** Only used if a map is full and its newest entries count: those maps are small. */
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
