// The subjects of a fleet: what a message is, of which cluster, and who published it. A server that knows a node by its
// nkey lets it publish under its own id only, so the third and later tokens are where permissions are granted.

import { createHash } from 'node:crypto';
import type { NodeId } from '../../core/ids.ts';
import { isNodeId, nodeId } from '../../core/ids.ts';
import { base32 } from '../../wire/node-signature.ts';

/** Last values, and the journal's records in order: one stream each, of all nodes and of all clusters of an account. */
export const STATE_STREAM = 'PLIMSOLL_STATE';
export const EVENT_STREAM = 'PLIMSOLL_EVENTS';

/** What a message is: `reading` and `ask` are in no stream. */
export type FleetChannel = 'state' | 'reading' | 'event' | 'ask';

/** What stands where a reading has its kind: how far a node's journal goes, and that it has just come. */
export const DIGEST = 'digest';
export const HELLO = 'hello';
/** Verbs of `ask` besides requests: records that follow a place, and the answer. */
export const WANT = 'want';
export const RECORDS = 'records';
/** Origins in one digest: the publisher's own journal, and those of nodes that only it reaches. */
export const DIGEST_ENTRIES_MAX = 256;

export const CLUSTER_NAME: RegExp = /^[A-Za-z0-9_-]{1,32}$/;

export interface FleetSubject {
  readonly channel: FleetChannel;
  readonly publisher: NodeId;
  /** Of `state` and `reading` the slot of the kind, of `ask` the verb; '' of an event. */
  readonly what: string;
}

export class FleetSubjects {
  readonly #root: string;
  readonly self: NodeId;

  /** @throws RangeError for a name of a cluster that cannot be in a subject. */
  constructor(cluster: string, self: NodeId) {
    if (!CLUSTER_NAME.test(cluster)) throw new RangeError(`${cluster} cannot be the name of a cluster`);
    this.#root = `plimsoll.v1.${cluster}`;
    this.self = self;
  }

  /** Of all nodes together, made from the name of the cluster: no key hashes to it. */
  get fleetId(): NodeId {
    return nodeId(base32(createHash('sha256').update(this.#root).digest().subarray(0, 16)));
  }

  /** `key` tells apart what one slot holds several of; already a token, '' for none. */
  ownState(slot: string, key: string): string {
    return `${this.#root}.state.${this.self}.${tokenOf(slot)}${key === '' ? '' : `.${key}`}`;
  }

  ownReading(slot: string): string {
    return `${this.#root}.reading.${this.self}.${tokenOf(slot)}`;
  }

  /** Of an id that no node has: only a server that checks nothing takes it. */
  readingOfNobody(slot: string): string {
    return `${this.#root}.reading.nobody.${tokenOf(slot)}`;
  }

  get ownEvent(): string {
    return `${this.#root}.event.${this.self}`;
  }

  /** From this node to another one. */
  ask(node: NodeId, verb: string): string {
    return `${this.#root}.ask.${node}.${tokenOf(verb)}.${this.self}`;
  }

  /** What this node publishes, as patterns: under its own id only. */
  get published(): readonly string[] {
    const { self } = this;
    return [
      `${this.#root}.state.${self}.>`,
      `${this.#root}.reading.${self}.*`,
      this.ownEvent,
      `${this.#root}.ask.*.*.${self}`,
    ];
  }

  /** What this node must hear. */
  get heard(): readonly string[] {
    return [`${this.#root}.reading.*.*`, `${this.#root}.event.*`, `${this.#root}.ask.${this.self}.*.*`];
  }

  /** Last values: of everybody, or of one publisher. */
  states(publisher: NodeId | undefined): string {
    return `${this.#root}.state.${publisher ?? '*'}.>`;
  }

  get events(): string {
    return `${this.#root}.event.*`;
  }

  /** Undefined for what belongs to no fleet of this version, or to another cluster. */
  parse(subject: string): FleetSubject | undefined {
    if (!subject.startsWith(`${this.#root}.`)) return undefined;
    const [channel, ...rest] = subject.slice(this.#root.length + 1).split('.');
    switch (channel) {
      case 'state':
      case 'reading':
        return of(channel, rest[0], rest[1]);
      case 'event':
        return of(channel, rest[0], '');
      case 'ask':
        return of(channel, rest[2], rest[1]);
      default:
        return undefined;
    }
  }
}

/** Letters, digits, - and _; anything else becomes _. */
export const tokenOf = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, TOKEN_LENGTH_MAX);

const of = (
  channel: FleetChannel,
  publisher: string | undefined,
  what: string | undefined,
): FleetSubject | undefined =>
  isNodeId(publisher) && what !== undefined ? { channel, publisher, what } : undefined;

const TOKEN_LENGTH_MAX = 64;
