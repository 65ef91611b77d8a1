// What one row of the table of event kinds says. The rows stand beside the aggregate that they belong to
// (node/node-kinds.ts, link/link-kinds.ts, run/run-kinds.ts); event-kinds.ts joins them and checks them against this.

import type { NodeId, RunId } from './ids.ts';
import type { Unknown } from './unknown.ts';

/** Durable events are journaled and numbered without gaps; of live ones only the newest of each key counts. */
export type EventClass = 'durable' | 'live';

/**
 * Where the entries of a kind stand in their map of State.
 * `node`: one a node. `keyed`: node → key of the event. `linked`: source → sink → connection key; the event's key is
 * "<sink> <connection key>".
 */
export type EntryShape = 'node' | 'keyed' | 'linked';

/** What a text in a payload says, so that a recording can be freed of names, addresses and paths. */
export type TextClass =
  /** A word of a fixed list, or what hardware and software are called: stays. */
  | 'plain'
  /** Words for people: known names, ids, addresses and paths in it are replaced. */
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
  /** What a server calls its model, which may be a path. */
  | 'modelName'
  | 'peripheral'
  | 'tag'
  | 'site'
  | 'rack'
  /** What a person calls a machine of this kind. */
  | 'machineKind'
  | 'service'
  | 'dataset';

/** How much of a map one node may fill: more than any real machine has to tell. */
export interface EntryBounds {
  /** Entries of one origin. */
  readonly entriesMax: number;
  /** `linked`: of one origin and sink. */
  readonly entriesPerSinkMax?: number;
  /** What comes and goes: where the map is full, its oldest entry goes. Elsewhere one more is refused and counted. */
  readonly isNewestKept?: boolean;
}

/** Where an entry of shape `linked` stands below its source. */
export interface LinkPlace {
  readonly sink: NodeId;
  /** The connection's. */
  readonly key: string;
}

/** A row as its aggregate writes it; `P` is the payload, `H` what State holds of it. */
export type KindRow<P, H, Field extends string, Names extends string> = CommonRow<P, H, Field, Names> &
  (
    | { readonly shape: 'node' | 'keyed'; readonly place?: never }
    | { readonly shape: 'linked'; readonly place: (payload: P) => LinkPlace }
  );

interface CommonRow<P, H, Field extends string, Names extends string> extends EntryBounds {
  readonly class: EventClass;
  /** The map of State that the kind writes. */
  readonly field: Field;
  /** The key that an event of this payload must carry; '' where a node has one. Decoders refuse any other. */
  readonly key: (payload: P) => string;
  /** A reading: what the entry holds is the payload's value with its source and interval, and this is its title. */
  readonly title?: string;
  /** What State holds of a payload; the payload itself where it is missing. */
  readonly hold?: (payload: P) => H;
  /** The payload back from what State holds; undefined where another kind of this map tells it. */
  readonly tell?: (held: H) => P | undefined;
  /** It ends entries: the event removes its key from these maps and holds nothing. */
  readonly closes?: readonly Field[];
  /** `linked`: its entry takes the place of the entries of its key in these maps. */
  readonly replaces?: readonly Field[];
  /** It comes again and again with hardly any news: pages wait for their beat before they draw it. */
  readonly isSteady?: boolean;
  /** Hearing it means that the node is there: readings, and what their sources say. */
  readonly isSignOfLife?: boolean;
  /** The event's key is the name of a reading or of a vendor, and hides nothing. */
  readonly isKeyPlain?: boolean;
  /** Every text in the payload by the name of its field. One that is not here is left out of recordings without names. */
  readonly texts: { readonly [N in Names]: TextClass };
}

/** Names of the fields anywhere in a payload that hold text; ids of nodes are known by their form. */
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
