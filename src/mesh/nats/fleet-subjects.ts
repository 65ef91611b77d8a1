// The subjects of a fleet: the kind of a message, its cluster, and its publisher. A server that identifies
// nodes by nkey permits each to publish under its own id only. A node that only receives its own rack
// subscribes to the readings of that rack, and to what all publish to all: presence, runs, and the newest
// readings from time to time.

import { createHash } from 'node:crypto';
import { isNodeId, type NodeId, nodeId } from '../../core/ids.ts';
import { base32 } from '../../wire/node-signature.ts';

/** The journal's records in order, of all nodes and of all clusters of an account. */
export const EVENT_STREAM = 'PLIMSOLL_EVENTS';
/** Last values of one node. */
export const stateStreamOf = (cluster: string, node: NodeId): string => `PLIMSOLL_STATE_${cluster}_${node}`;

/** The node whose last values a stream contains; undefined for other streams. */
export const nodeOfStateStream = (cluster: string, name: string): NodeId | undefined => {
  const node = name.slice(name.lastIndexOf('_') + 1);
  return isNodeId(node) && name === stateStreamOf(cluster, node) ? node : undefined;
};

/** The kind of a message: only `state` and `event` are in a stream. */
type FleetChannel = 'state' | 'reading' | 'slow' | 'run' | 'event' | 'ask';

/** A node's location, as tokens of a subject. */
export interface FleetGroup {
  readonly site: string;
  readonly rack: string;
}

/**
 * Readings of all nodes as they arrive; or of one's own rack, and of others the newest every few seconds.
 */
export type FleetSubscriptions = 'all' | 'group';

/** Used in place of a reading's kind: how far a node's journal goes, and that it has just joined. */
export const DIGEST = 'digest';
export const HELLO = 'hello';
/** Verbs of `ask` in addition to requests: records after a position, and the reply. */
export const WANT = 'want';
export const RECORDS = 'records';
/** Origins in one digest: the publisher's own journal, and those of nodes that only it reaches. */
export const DIGEST_ENTRIES_MAX = 256;

export const CLUSTER_NAME: RegExp = /^[A-Za-z0-9_-]{1,32}$/;

export interface FleetSubject {
  readonly channel: FleetChannel;
  readonly publisher: NodeId;
  /**
   * For `state` and `reading` the slot of the kind, for `ask` the verb, for `run` its id; '' for an event.
   */
  readonly what: string;
}

export class FleetSubjects {
  readonly cluster: string;
  readonly #root: string;
  readonly #group: string;
  readonly self: NodeId;

  /** @throws RangeError if a cluster's name cannot be in a subject. */
  constructor(cluster: string, self: NodeId, { site, rack }: FleetGroup = fleetGroup({})) {
    if (!CLUSTER_NAME.test(cluster)) throw new RangeError(`${cluster} cannot be the name of a cluster`);
    this.cluster = cluster;
    this.#root = `plimsoll.v1.${cluster}`;
    this.#group = `${tokenOf(site)}.${tokenOf(rack)}`;
    this.self = self;
  }

  /** Id for all nodes together, made from the name of the cluster: no key hashes to it. */
  get fleetId(): NodeId {
    return nodeId(base32(createHash('sha256').update(this.#root).digest().subarray(0, 16)));
  }

  /** `key` distinguishes several entries of one slot; already a token, '' for none. */
  ownState(slot: string, key: string): string {
    return `${this.#root}.state.${this.self}.${tokenOf(slot)}${key === '' ? '' : `.${key}`}`;
  }

  /** To all: what every node must receive at once. */
  ownReading(slot: string): string {
    return `${this.#root}.reading.${this.self}.${tokenOf(slot)}`;
  }

  /** To those that subscribe to the rack of this node, or to all. */
  ownGroupReading(slot: string): string {
    return `${this.ownReading(slot)}.${this.#group}`;
  }

  /** To those that subscribe to another rack. */
  get ownSlow(): string {
    return `${this.#root}.slow.${this.self}`;
  }

  ownRun(runId: string, what: string): string {
    return `${this.#root}.run.${tokenOf(runId)}.${this.self}.${tokenOf(what)}`;
  }

  /** With an id that no node has: only a server without permissions accepts it. */
  readingOfNobody(slot: string): string {
    return `${this.#root}.reading.nobody.${tokenOf(slot)}`;
  }

  get ownEvent(): string {
    return `${this.#root}.event.${this.self}`;
  }

  /** From this node to another one. */
  requestSubject(node: NodeId, verb: string): string {
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

  /** What this node may subscribe to, as patterns. */
  get hearable(): readonly string[] {
    const { self } = this;
    return [
      ...['reading.>', 'slow.*', 'run.>', 'event.*', `ask.${self}.*.*`].map(tail => `${this.#root}.${tail}`),
    ];
  }

  /** What this node subscribes to, as patterns. */
  received(subscriptions: FleetSubscriptions): readonly string[] {
    const readings = subscriptions === 'all' ? ['reading.*.*.*.*'] : [`reading.*.*.${this.#group}`, 'slow.*'];
    return ['reading.*.*', ...readings, 'run.*.*.*', 'event.*', `ask.${this.self}.*.*`].map(
      tail => `${this.#root}.${tail}`,
    );
  }

  /** Last values: of all, or of one publisher. */
  states(publisher: NodeId | undefined): string {
    return `${this.#root}.state.${publisher ?? '*'}.>`;
  }

  get events(): string {
    return `${this.#root}.event.*`;
  }

  /** Undefined if it does not belong to a fleet of this version, or belongs to another cluster. */
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

/** An unspecified location is a location of its own. */
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
