// Last values read from the streams of nodes: one message for each request, a few nodes at a time, so that no consumer is
// needed and nothing arrives that was not requested. What does not open under the cluster key costs its publisher: past a
// limit the rest of that stream is left out, and the others are read all the same.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { errors, type Msg, type NatsConnection } from '@nats-io/nats-core';
import * as v from 'valibot';
import { type NodeId, nodeId } from '../../core/ids.ts';
import { FLEET_MEMBERS_MAX } from './fleet-members.ts';
import { NODE_STATE_BYTES_MAX, NODE_STATES_MAX } from './fleet-streams.ts';
import { EVENT_STREAM, FleetSubjects, nodeOfStateStream, stateStreamOf } from './fleet-subjects.ts';
import { type StoredMessage, storedIn } from './misdirected-reply.ts';
import type { FleetServer } from './server-connection.ts';

interface StateStreamsParts {
  readonly connection: Pick<NatsConnection, 'request'>;
  readonly subjects: FleetSubjects;
  readonly signal: AbortSignal;
}

/**
 * Nodes that have a stream for their last values.
 * @throws the server's error.
 */
export const listStateStreams = async ({
  connection,
  subjects,
  signal,
}: StateStreamsParts): Promise<readonly NodeId[]> => {
  const nodes = new Set<NodeId>();
  for (let offset = 0; offset < FLEET_MEMBERS_MAX + 1; ) {
    signal.throwIfAborted();
    const query = { offset, subject: subjects.states(undefined) };
    const names = namesIn(await connection.request('$JS.API.STREAM.NAMES', JSON.stringify(query), TIMEOUT));
    for (const name of names) {
      const node = nodeOfStateStream(subjects.cluster, name);
      if (node !== undefined && nodes.size < FLEET_MEMBERS_MAX) nodes.add(node);
    }
    if (names.length === 0) break;
    offset += names.length;
  }
  return [...nodes];
};

/**
 * Nodes whose last values or records are on the server, as its administrator sees it.
 * @throws the server's error.
 */
export const listWriters = async (
  { connection, manager }: Pick<FleetServer, 'connection' | 'manager'>,
  cluster: string,
): Promise<readonly NodeId[]> => {
  const subjects = new FleetSubjects(cluster, NOBODY);
  const nodes = await listStateStreams({ connection, subjects, signal: new AbortController().signal });
  const { state } = await manager.streams.info(EVENT_STREAM, { subjects_filter: subjects.events });
  const publishers = Object.keys(state.subjects ?? {}).map(subject => subjects.parse(subject)?.publisher);
  return [...new Set([...nodes, ...publishers])].filter(node => node !== undefined);
};

interface ReadNodeStatesParts extends StateStreamsParts {
  readonly nodes: readonly NodeId[];
  /** Returns false for what does not open. */
  readonly take: (subject: string, data: Uint8Array, storedAtMs: number) => boolean;
  /** The rest of what a node wrote is not read. */
  readonly skipped: (node: NodeId) => void;
  /** Replies of the server are stored as last values of a node; once for each. */
  readonly misdirected: (node: NodeId) => void;
}

/** @throws the server's error, or the signal's reason. */
export const readNodeStates = async (parts: ReadNodeStatesParts): Promise<void> => {
  const waiting = parts.nodes.values();
  const given = { unopened: new UnopenedCounts(parts.skipped), misdirected: { messages: 0, bytes: 0 } };
  const readNext = async (): Promise<void> => {
    for (const node of waiting) await readNode(parts, node, given);
  };
  await Promise.all(Array.from({ length: NODES_AT_ONCE }, readNext));
};

const readNode = async (
  parts: ReadNodeStatesParts,
  node: NodeId,
  {
    unopened,
    misdirected,
  }: { readonly unopened: UnopenedCounts; readonly misdirected: { messages: number; bytes: number } },
): Promise<void> => {
  const { subjects, signal, take, skipped } = parts;
  let [bytes, count, isReported] = [0, 0, false];
  for await (const found of storedOf(parts, node)) {
    signal.throwIfAborted();
    if (found.isMisdirected) {
      if (!isReported) parts.misdirected(node);
      isReported = true;
      misdirected.messages += 1;
      misdirected.bytes += found.data.length;
      // What is left out here is requested from the node itself, which is not at fault.
      if (misdirected.messages > MISDIRECTED_MAX || misdirected.bytes > MISDIRECTED_BYTES_MAX) return;
      continue;
    }
    bytes += found.data.length;
    count += 1;
    const isOfNode = subjects.parse(found.subject)?.publisher === node;
    if (!isOfNode || bytes > NODE_STATE_BYTES_MAX || count > NODE_STATES_MAX) {
      skipped(node);
      return;
    }
    if (!take(found.subject, found.data, found.storedAtMs)) unopened.add(node, found.data.length);
    if (unopened.isPast(node)) return;
    if (count % TURN_MESSAGES === 0) await nextTurn();
  }
};

/** What is stored as last values of a node, in order of its numbers. The reader limits how much. */
async function* storedOf(
  { connection, subjects }: Pick<StateStreamsParts, 'connection' | 'subjects'>,
  node: NodeId,
): AsyncGenerator<StoredMessage, void, void> {
  const request = `$JS.API.DIRECT.GET.${stateStreamOf(subjects.cluster, node)}`;
  for (let seq = 0; ; ) {
    const query = JSON.stringify({ seq: seq + 1, next_by_subj: subjects.states(node) });
    const found = storedIn(await requested(connection, request, query));
    if (found === undefined || found.seq <= seq) return;
    seq = found.seq;
    yield found;
  }
}

/**
 * As its administrator: removes from the streams of nodes what none of them stored.
 * @returns the nodes concerned.
 */
export const removeMisdirected = async (
  { connection, manager }: Pick<FleetServer, 'connection' | 'manager'>,
  { cluster, nodes }: { readonly cluster: string; readonly nodes: readonly NodeId[] },
): Promise<readonly NodeId[]> => {
  const subjects = new FleetSubjects(cluster, NOBODY);
  const waiting = nodes.values();
  const cleaned = new Set<NodeId>();
  const cleanNext = async (): Promise<void> => {
    for (const node of waiting)
      for await (const { seq, isMisdirected } of storedOf({ connection, subjects }, node)) {
        if (!isMisdirected) continue;
        await manager.streams.deleteMessage(stateStreamOf(cluster, node), seq, false);
        cleaned.add(node);
      }
  };
  await Promise.all(Array.from({ length: NODES_AT_ONCE }, cleanNext));
  return [...cleaned];
};

/** Undefined: the stream is gone, or contains nothing more. */
const requested = async (
  connection: StateStreamsParts['connection'],
  subject: string,
  query: string,
): Promise<Msg | undefined> => {
  try {
    return await connection.request(subject, query, TIMEOUT);
  } catch (error) {
    if (error instanceof errors.NoRespondersError) return undefined;
    if (error instanceof errors.RequestError && error.isNoResponders()) return undefined;
    throw error;
  }
};

const namesIn = (reply: Msg): readonly string[] => {
  let reported: unknown;
  try {
    reported = JSON.parse(reply.string());
  } catch {
    return [];
  }
  const parsed = v.safeParse(STREAM_NAMES, reported);
  return parsed.success ? (parsed.output.streams ?? []) : [];
};

const STREAM_NAMES = v.object({ streams: v.nullish(v.array(v.string())) });
/** For an administrator, who has no id. */
const NOBODY = nodeId('a'.repeat(26));
const TIMEOUT = { timeout: 5_000 };
const NODES_AT_ONCE = 64;
/**
 * Replies of the server that are stored as last values, over all nodes: above the limit, those of a node are
 * read up to the first.
 */
const MISDIRECTED_MAX = 8_192;
const MISDIRECTED_BYTES_MAX = 67_108_864;
/** Each takes a moment to open; others have their turn between them. */
const TURN_MESSAGES = 16;

// How much of what each publisher left on a server does not open under the cluster key. A few are from before
// the key was rotated; above a limit it is published without the key to fill the server, and the rest of that
// publisher is not read.
class UnopenedCounts {
  readonly #skipped: (node: NodeId) => void;
  readonly #counts = new Map<NodeId, { messages: number; bytes: number }>();

  /** `skipped`: a publisher is above the limit; once for each. */
  constructor(skipped: (node: NodeId) => void) {
    this.#skipped = skipped;
  }

  /** No more of it is opened; nor of further publishers, if there are as many as a fleet can have. */
  isPast(publisher: NodeId): boolean {
    const count = this.#counts.get(publisher);
    if (count === undefined) return this.#counts.size >= PUBLISHERS_MAX;
    return count.messages > UNOPENED_MAX || count.bytes > UNOPENED_BYTES_MAX;
  }

  add(publisher: NodeId, bytes: number): void {
    if (this.isPast(publisher)) return;
    const count = this.#counts.get(publisher) ?? { messages: 0, bytes: 0 };
    count.messages += 1;
    count.bytes += bytes;
    this.#counts.set(publisher, count);
    if (this.isPast(publisher)) this.#skipped(publisher);
  }
}

const UNOPENED_MAX = 4_096;
const UNOPENED_BYTES_MAX = 4_194_304;
/** Limit of publishers with something that does not open. */
const PUBLISHERS_MAX = 4_096;
