// The type of one row of the table of event kinds. The rows are next to the aggregate that they belong to
// (node/node-kinds.ts, link/link-kinds.ts, run/run-kinds.ts); event-kinds.ts joins them and checks them
// against this type.

import type { NodeId, RunId } from './ids.ts';
import type { Gathered } from './node/gathered.ts';
import type { Schema } from './schema.ts';
import type { Unknown } from './unknown.ts';

/** Durable events are journaled and numbered without gaps; of live ones only the newest of each key counts. */
export type EventClass = 'durable' | 'live';

/**
 * Position of a kind's entries in their map of State. `node`: one per node. `keyed`: node → key of the event.
 * `linked`: source → sink → connection key; the event's key is "<sink> <connection key>".
 */
export type EntryShape = 'node' | 'keyed' | 'linked';

/** The content of a text in a payload, so that a recording can be stripped of names, addresses and paths. */
export type TextClass =
  /** A word of a fixed list, or the name of hardware or software: kept. */
  | 'plain'
  /** Text for people: known names, ids, addresses and paths in it are replaced. */
  | 'free'
  | 'nodeName'
  | 'hostName'
  | 'runId'
  | 'key'
  | 'interface'
  | 'guid'
  | 'address'
  | 'directory'
  | 'mountPoint'
  | 'blockDevice'
  /** A server's name of its model, which may be a path. */
  | 'modelName'
  | 'peripheral'
  | 'tag'
  | 'site'
  | 'rack'
  /** A person's name of a kind of machine. */
  | 'machineKind'
  | 'service'
  | 'dataset';

/** How much of a map one node may fill: more than any real machine needs. */
export interface EntryBounds {
  /** Entries per origin. */
  readonly entriesMax: number;
  /** `linked`: per origin and sink. */
  readonly entriesPerSinkMax?: number;
  /**
   * For entries that come and go: a full map drops its oldest entry. Otherwise the additional entry is
   * refused and counted.
   */
  readonly isNewestKept?: boolean;
}

/** Position of an entry of shape `linked` below its source. */
export interface LinkKey {
  readonly sink: NodeId;
  /** Key of the connection. */
  readonly key: string;
}

/** What the value of a simulated machine may depend on. */
export interface MachineSketch {
  readonly platform: 'linux' | 'macos' | 'windows' | 'other';
  /** Mean use of its processors, 0..1. */
  readonly cpuLoad: number;
  /** Smooth, about -1 to 1, of its own for each name. */
  readonly unrest: (name: string) => number;
  /** The payload of a reading. */
  readonly reported: <T>(value: T) => Gathered<T>;
}

/** A row as its aggregate declares it; `P` is the payload, `H` what State contains of it. */
export type KindRow<P, H, Field extends string, Names extends string> = CommonRow<P, H, Field, Names> &
  (
    | { readonly shape: 'node'; readonly key?: never; readonly linkKey?: never }
    | { readonly shape: 'keyed'; readonly key: (payload: P) => string; readonly linkKey?: never }
    | { readonly shape: 'linked'; readonly key?: never; readonly linkKey: (payload: P) => LinkKey }
  );

interface CommonRow<P, H, Field extends string, Names extends string> extends EntryBounds {
  readonly class: EventClass;
  /** The map of State that the kind writes. */
  readonly field: Field;
  /** Every payload from a peer or a journal passes it. */
  readonly schema: Schema<P>;
  /** Title of a reading. Its entry contains the payload's value with source and interval. */
  readonly title?: string;
  /** Platforms that never have the reading, and why. */
  readonly absentOn?: Readonly<Partial<Record<'linux' | 'macos', string>>>;
  /** Of a simulated machine, for the demo and for tests; undefined if it has none. */
  readonly simulated?: (machine: MachineSketch) => P | undefined;
  /** Converts a payload to what State contains; default: the payload itself. */
  readonly fromPayload?: (payload: P) => H;
  /**
   * Converts what State contains back to a payload; undefined if the entry came from another kind of this
   * map.
   */
  readonly toPayload?: (entry: H) => P | undefined;
  /** Ends entries: the event removes its key from these maps and has no entry itself. */
  readonly closes?: readonly Field[];
  /** `linked`: its entry replaces the entries of its key in these maps. */
  readonly replaces?: readonly Field[];
  /** Repeated with little news: pages wait for their beat before they draw it. */
  readonly isSteady?: boolean;
  /** Its arrival shows that the node is up: readings, and reports of their sources. */
  readonly isSignOfLife?: boolean;
  /** The event's key is the name of a reading or of a vendor, and needs no anonymising. */
  readonly isKeyPlain?: boolean;
  /**
   * The class of every text in the payload, by field name. Fields that are not listed are left out of
   * anonymised recordings.
   */
  readonly texts: { readonly [N in Names]: TextClass };
}

/**
 * Names of the fields anywhere in a payload that contain text; ids of nodes are recognised by their form.
 */
export type TextNames<T, Name extends string = never> = T extends Unknown | NodeId
  ? never
  : T extends RunId
    ? Name
    : T extends string
      ? Name
      : T extends number | boolean | undefined
        ? never
        : T extends readonly (infer Item)[]
          ? TextNames<Item, Name>
          : { [N in keyof T & string]: TextNames<T[N], N> }[keyof T & string];
