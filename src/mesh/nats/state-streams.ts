// Last values read from the streams of nodes: one message for each request, a few nodes at a time, so that no consumer is
// needed and nothing arrives that was not requested. What does not open under the cluster key costs its publisher: past a
// limit the rest of that stream is left out, and the others are read all the same.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { errors, type Msg, type NatsConnection } from '@nats-io/nats-core';
import * as v from 'valibot';
import { type NodeId, nodeId } from '../../core/ids.ts';
import { FLEET_MEMBERS_MAX } from './fleet-members.ts';
import { NODE_STATE_BYTES_MAX, NODE_STATES_MAX } from './fleet-streams.ts';
import {
  EVENT_STREAM,
  FleetSubjects,
  nodeOfStateStream,
  STATE_STREAM,
  stateStreamOf,
} from './fleet-subjects.ts';
import { type FleetServer, refusedSubject } from './server-connection.ts';
import { UnopenedCounts } from './unopened-counts.ts';

export interface StateStreamsParts {
  readonly connection: Pick<NatsConnection, 'request'>;
  readonly subjects: FleetSubjects;
  readonly signal: AbortSignal;
}

export interface StateStreams {
  readonly nodes: readonly NodeId[];
  /** There is one for all. */
  readonly isShared: boolean;
}

/** @throws what the server answers; nothing where it lets this node list no streams, as one of an earlier version does. */
export const listStateStreams = async ({
  connection,
  subjects,
  signal,
}: StateStreamsParts): Promise<StateStreams> => {
  const nodes = new Set<NodeId>();
  let isShared = false;
  for (let offset = 0; offset < FLEET_MEMBERS_MAX + 1; ) {
    signal.throwIfAborted();
    const query = { offset, subject: subjects.states(undefined) };
    let reply: Msg;
    try {
      reply = await connection.request('$JS.API.STREAM.NAMES', JSON.stringify(query), TIMEOUT);
    } catch (error) {
      if (refusedSubject(error) !== undefined) return { nodes: [], isShared: true };
      throw error;
    }
    const names = namesIn(reply);
    for (const name of names) {
      isShared ||= name === STATE_STREAM;
      const node = nodeOfStateStream(subjects.cluster, name);
      if (node !== undefined && nodes.size < FLEET_MEMBERS_MAX) nodes.add(node);
    }
    if (names.length === 0) break;
    offset += names.length;
  }
  return { nodes: [...nodes], isShared };
};

/** Whose last values or records are on the server, as its administrator sees it. @throws what the server answers. */
export const listWriters = async (
  { connection, manager }: Pick<FleetServer, 'connection' | 'manager'>,
  cluster: string,
): Promise<readonly NodeId[]> => {
  const subjects = new FleetSubjects(cluster, NOBODY);
  const { nodes } = await listStateStreams({ connection, subjects, signal: new AbortController().signal });
  const { state } = await manager.streams.info(EVENT_STREAM, { subjects_filter: subjects.events });
  const publishers = Object.keys(state.subjects ?? {}).map(subject => subjects.parse(subject)?.publisher);
  return [...new Set([...nodes, ...publishers])].filter(node => node !== undefined);
};

export interface ReadNodeStatesParts extends StateStreamsParts {
  readonly nodes: readonly NodeId[];
  /** Returns false for what does not open. */
  readonly take: (subject: string, data: Uint8Array, storedAtMs: number) => boolean;
  /** The rest of what a node wrote is not read. */
  readonly skipped: (node: NodeId) => void;
}

/** @throws what the server answers, or the signal's reason. */
export const readNodeStates = async (parts: ReadNodeStatesParts): Promise<void> => {
  const waiting = parts.nodes.values();
  const unopened = new UnopenedCounts(parts.skipped);
  const readNext = async (): Promise<void> => {
    for (const node of waiting) await readNode(parts, node, unopened);
  };
  await Promise.all(Array.from({ length: NODES_AT_ONCE }, readNext));
};

const readNode = async (
  parts: ReadNodeStatesParts,
  node: NodeId,
  unopened: UnopenedCounts,
): Promise<void> => {
  const { connection, subjects, signal, take, skipped } = parts;
  const request = `$JS.API.DIRECT.GET.${stateStreamOf(subjects.cluster, node)}`;
  const filter = subjects.states(node);
  let [seq, bytes] = [0, 0];
  for (let count = 0; count <= NODE_STATES_MAX; count += 1) {
    signal.throwIfAborted();
    const query = JSON.stringify({ seq: seq + 1, next_by_subj: filter });
    const found = storedIn(await requested(connection, request, query));
    if (found === undefined) return;
    bytes += found.data.length;
    const isOfNode = subjects.parse(found.subject)?.publisher === node;
    if (!isOfNode || found.seq <= seq || bytes > NODE_STATE_BYTES_MAX) break;
    seq = found.seq;
    if (!take(found.subject, found.data, found.storedAtMs)) unopened.add(node, found.data.length);
    if (unopened.isPast(node)) return;
    if (count % TURN_MESSAGES === 0) await nextTurn();
  }
  skipped(node);
};

/** Undefined: the stream is gone, or gives nothing away. */
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

interface StoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly storedAtMs: number;
  readonly data: Uint8Array;
}

/** Undefined: there is no other. */
const storedIn = (message: Msg | undefined): StoredMessage | undefined => {
  const headers = message?.headers;
  if (message === undefined || headers === undefined || headers.code !== 0) return undefined;
  const seq = Number(headers.get('Nats-Sequence'));
  const storedAtMs = Date.parse(headers.get('Nats-Time-Stamp'));
  if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
  return {
    subject: headers.get('Nats-Subject'),
    seq,
    storedAtMs: Number.isFinite(storedAtMs) ? storedAtMs : 0,
    data: message.data,
  };
};

const namesIn = (reply: Msg): readonly string[] => {
  let said: unknown;
  try {
    said = JSON.parse(reply.string());
  } catch {
    return [];
  }
  const parsed = v.safeParse(STREAM_NAMES, said);
  return parsed.success ? (parsed.output.streams ?? []) : [];
};

const STREAM_NAMES = v.object({ streams: v.nullish(v.array(v.string())) });
/** Of an administrator, who has no id. */
const NOBODY = nodeId('a'.repeat(26));
const TIMEOUT = { timeout: 5_000 };
const NODES_AT_ONCE = 64;
/** Each takes a moment to open; others have their turn between them. */
const TURN_MESSAGES = 16;
