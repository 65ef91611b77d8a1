// The subjects of a fleet: what a message is, of which cluster, and who published it. A server that knows a node by its
// nkey lets it publish under its own id only. A node that hears its own rack alone subscribes to the readings of that rack, and
// to what everybody tells everybody: who is there, runs, and the newest of the readings once in a while.

import { createHash } from 'node:crypto';
import { isNodeId, type NodeId, nodeId } from '../../core/ids.ts';
import { base32 } from '../../wire/node-signature.ts';

/** The journal's records in order, of all nodes and of all clusters of an account. */
export const EVENT_STREAM = 'PLIMSOLL_EVENTS';
/** Last values of all nodes, where they have no streams of their own. */
export const STATE_STREAM = 'PLIMSOLL_STATE';

/** Last values of one node. */
export const stateStreamOf = (cluster: string, node: NodeId): string => `${STATE_STREAM}_${cluster}_${node}`;

/** Whose last values a stream has; undefined for other streams. */
export const nodeOfStateStream = (cluster: string, name: string): NodeId | undefined => {
  const node = name.slice(`${STATE_STREAM}_${cluster}_`.length);
  return isNodeId(node) && name === stateStreamOf(cluster, node) ? node : undefined;
};

/** What a message is: only `state` and `event` are in a stream. */
type FleetChannel = 'state' | 'reading' | 'slow' | 'run' | 'event' | 'ask';

/** Where a node stands, as tokens of a subject. */
export interface FleetGroup {
  readonly site: string;
  readonly rack: string;
}

/** Readings of everybody as they come; or of one's own rack, and of others the newest every few seconds. */
export type FleetHearing = 'all' | 'group';

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
  /** Of `state` and `reading` the slot of the kind, of `ask` the verb, of `run` its id; '' of an event. */
  readonly what: string;
}

export class FleetSubjects {
  readonly cluster: string;
  readonly #root: string;
  readonly #place: string;
  readonly self: NodeId;

  /** @throws RangeError for a name of a cluster that cannot be in a subject. */
  constructor(cluster: string, self: NodeId, { site, rack }: FleetGroup = fleetGroup({})) {
    if (!CLUSTER_NAME.test(cluster)) throw new RangeError(`${cluster} cannot be the name of a cluster`);
    this.cluster = cluster;
    this.#root = `plimsoll.v1.${cluster}`;
    this.#place = `${tokenOf(site)}.${tokenOf(rack)}`;
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

  /** To everybody. Nodes of versions before there were groups know no other reading. */
  ownReading(slot: string): string {
    return `${this.#root}.reading.${this.self}.${tokenOf(slot)}`;
  }

  /** To those that hear the rack of this node, or all. */
  ownGroupReading(slot: string): string {
    return `${this.ownReading(slot)}.${this.#place}`;
  }

  /** To those that hear another rack. */
  get ownSlow(): string {
    return `${this.#root}.slow.${this.self}`;
  }

  ownRun(runId: string, what: string): string {
    return `${this.#root}.run.${tokenOf(runId)}.${this.self}.${tokenOf(what)}`;
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
      `${this.#root}.reading.${self}.>`,
      this.ownSlow,
      `${this.#root}.run.*.${self}.*`,
      this.ownEvent,
      `${this.#root}.ask.*.*.${self}`,
    ];
  }

  /** What this node may hear, as patterns. */
  get hearable(): readonly string[] {
    const { self } = this;
    return [
      ...['reading.>', 'slow.*', 'run.>', 'event.*', `ask.${self}.*.*`].map(tail => `${this.#root}.${tail}`),
    ];
  }

  /** What this node must hear. */
  get heard(): readonly string[] {
    return [`${this.#root}.reading.*.*`, `${this.#root}.event.*`, `${this.#root}.ask.${this.self}.*.*`];
  }

  /** What it hears besides, where the server lets it: one written by an earlier version does not. */
  heardOfGroups(hearing: FleetHearing): readonly string[] {
    const runs = `${this.#root}.run.*.*.*`;
    return hearing === 'all'
      ? [`${this.#root}.reading.*.*.*.*`, runs]
      : [`${this.#root}.reading.*.*.${this.#place}`, `${this.#root}.slow.*`, runs];
  }

  /** Whether a subject, or a pattern of them, is one that there was not before there were groups. */
  isOfGroups(subject: string): boolean {
    const [channel, ...rest] = subject.slice(this.#root.length + 1).split('.');
    return channel === 'slow' || channel === 'run' || (channel === 'reading' && rest.length > 2);
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
      case 'slow':
        return of(channel, rest[0], '');
      case 'run':
        return of(channel, rest[1], rest[0]);
      case 'ask':
        return of(channel, rest[2], rest[1]);
      default:
        return undefined;
    }
  }
}

/** What a node does not say is a place of its own. */
export const fleetGroup = ({
  site,
  rack,
}: {
  readonly site?: string | undefined;
  readonly rack?: string | undefined;
}): FleetGroup => ({
  site: tokenOf(site ?? NOWHERE),
  rack: tokenOf(rack ?? NOWHERE),
});

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
const NOWHERE = '-';
