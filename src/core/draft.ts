// Writes to State, copying what it changes. A draft that spans several events copies a map once and then writes it in
// place, because nobody sees the states in between: of two hundred nodes a map has two hundred keys, and a batch thousands
// of events. Whoever uses one must call nothing that keeps `state` before the draft is done.

import type { StateField } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import { isAfter } from './position.ts';
import type { Entry, OriginProgress, State, UnknownKind } from './state.ts';

/** Readonly to everybody else; what a draft has made itself it writes in place. */
type Tree = Record<string, unknown>;

export class Draft {
  #state: State;
  /** States and maps made within this draft; undefined where every write copies. */
  readonly #made: Set<object> | undefined;

  /** `isBatch`: it spans several events. */
  constructor(state: State, { isBatch }: { readonly isBatch: boolean }) {
    this.#state = state;
    this.#made = isBatch ? new Set() : undefined;
  }

  get state(): State {
    return this.#state;
  }

  /** The one entry of a node. */
  putOne(field: StateField, origin: NodeId, entry: Entry<unknown>): void {
    this.#replace(field, this.#set(this.#state[field], origin, entry));
  }

  /** Where a node gets more than `entriesMax`, its oldest entry goes. */
  putKeyed(field: StateField, origin: NodeId, key: string, entry: Entry<unknown>, entriesMax: number): void {
    const map: Tree = this.#state[field];
    this.#putInner(field, map, origin, this.#bounded(innerOf(map, origin), key, entry, entriesMax));
  }

  /** Likewise of a pair of nodes. */
  putLinked(
    field: StateField,
    { source, sink, key }: LinkPlace,
    entry: Entry<unknown>,
    entriesMax: number,
  ): void {
    const map: Tree = this.#state[field];
    const sinks = innerOf(map, source);
    const keys = this.#bounded(innerOf(sinks, sink), key, entry, entriesMax);
    this.#putInner(field, map, source, sinks[sink] === keys ? sinks : this.#set(sinks, sink, keys));
  }

  /** `path`: the origin, then keys. Mappings that this empties go with it. */
  drop(field: StateField | 'unknownKinds', path: readonly string[]): void {
    this.#replace(field, without(this.#state[field], path));
  }

  putProgress(origin: NodeId, progress: OriginProgress): void {
    this.#replace('origins', this.#set(this.#state.origins, origin, progress));
  }

  putUnknownKind(origin: NodeId, kind: string, noted: UnknownKind): void {
    const map: Tree = this.#state.unknownKinds;
    this.#putInner('unknownKinds', map, origin, this.#set(innerOf(map, origin), kind, noted));
  }

  #putInner(field: keyof State, map: Tree, key: string, inner: Tree): void {
    if (map[key] !== inner) this.#replace(field, this.#set(map, key, inner));
  }

  #replace(field: keyof State, map: Tree): void {
    if (map === this.#state[field]) return;
    if (this.#made?.has(this.#state) === true) {
      Reflect.set(this.#state, field, map);
      return;
    }
    this.#state = { ...this.#state, [field]: map };
    this.#made?.add(this.#state);
  }

  #bounded(map: Tree, key: string, entry: Entry<unknown>, entriesMax: number): Tree {
    const isNew = !Object.hasOwn(map, key);
    const written = this.#set(map, key, entry);
    return isNew ? withoutOldest(written, entriesMax) : written;
  }

  #set(map: Tree, key: string, value: unknown): Tree {
    // Assigned, "__proto__" would be no key of a mapping: that one is always copied.
    if (this.#made?.has(map) === true && key !== '__proto__') {
      map[key] = value;
      return map;
    }
    const copy = { ...map, [key]: value };
    this.#made?.add(copy);
    return copy;
  }
}

export interface LinkPlace {
  readonly source: NodeId;
  readonly sink: string;
  readonly key: string;
}

const innerOf = (map: Tree, key: string): Tree => {
  const held = Object.hasOwn(map, key) ? map[key] : undefined;
  return isTree(held) ? held : {};
};

const without = (map: Tree, [key = '', ...rest]: readonly string[]): Tree => {
  if (!Object.hasOwn(map, key)) return map;
  const { [key]: held, ...others } = map;
  if (rest.length === 0) return others;
  if (!isTree(held)) return map;
  const inner = without(held, rest);
  if (inner === held) return map;
  return Object.keys(inner).length === 0 ? others : { ...map, [key]: inner };
};

const withoutOldest = (map: Tree, entriesMax: number): Tree => {
  const entries = Object.entries(map);
  if (entries.length <= entriesMax) return map;
  const [oldest] = entries.reduce((a, b) => (isAfter(positionOf(a[1]), positionOf(b[1])) ? b : a));
  return without(map, [oldest]);
};

const positionOf = (entry: unknown): { readonly epoch: number; readonly seq: number } => {
  const isPosition = typeof entry === 'object' && entry !== null && 'epoch' in entry && 'seq' in entry;
  return isPosition && typeof entry.epoch === 'number' && typeof entry.seq === 'number'
    ? { epoch: entry.epoch, seq: entry.seq }
    : { epoch: 0, seq: 0 };
};

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
