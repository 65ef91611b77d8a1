// The streams of a fleet. Last values have a stream for each node, so that none of them can fill the room of
// the others. Records of all nodes share one, whose messages are limited for each node. Written by `fleet
// init`, created by `fleet apply`; a node may read them and add to them.

import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NodeId } from '../../core/ids.ts';
import { EVENT_STREAM, FleetSubjects, stateStreamOf } from './fleet-subjects.ts';

export interface FleetStreamOptions extends FleetStreamSettings {
  readonly cluster: string;
  /** Each has a stream for its last values. */
  readonly nodes: readonly NodeId[];
  /** Since 2.11 a server expires single messages. */
  readonly hasMessageTtl: boolean;
}

/** What an administrator may change in fleet.json. */
export const FLEET_STREAM_DEFAULTS = {
  /** 1, or 3 in a cluster of servers. */
  replicas: 1,
  eventBytesMax: 4_294_967_296,
  eventDaysMax: 7,
};

export type FleetStreamSettings = Readonly<typeof FLEET_STREAM_DEFAULTS>;

export type FleetStreamConfig = Partial<StreamConfig> & { readonly name: string };

export const fleetStreams = (options: FleetStreamOptions): readonly FleetStreamConfig[] => [
  ...stateStreams(options),
  {
    name: EVENT_STREAM,
    subjects: ['plimsoll.v1.*.event.*'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas,
    max_bytes: options.eventBytesMax,
    max_age: options.eventDaysMax * DAY_NS,
    // One subject for each node: a node that publishes more only drops its own records.
    max_msgs_per_subject: NODE_EVENTS_MAX,
    max_msg_size: MESSAGE_BYTES_MAX,
    max_consumers: CONSUMERS_MAX,
    discard: DiscardPolicy.Old,
    duplicate_window: DUPLICATE_WINDOW_NS,
  },
];

const stateStreams = (options: FleetStreamOptions): readonly FleetStreamConfig[] => {
  const { cluster, nodes, replicas, hasMessageTtl } = options;
  // No maximum age: readers assume that a value missing from the last values was replaced by a later one.
  return nodes.map(node => ({
    name: stateStreamOf(cluster, node),
    subjects: [new FleetSubjects(cluster, node).states(node)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_bytes: NODE_STATE_BYTES_MAX,
    max_msgs: NODE_STATES_MAX,
    max_msgs_per_subject: 1,
    max_consumers: CONSUMERS_MAX,
    discard: DiscardPolicy.New,
    discard_new_per_subject: false,
    max_msg_size: MESSAGE_BYTES_MAX,
    allow_direct: true,
    duplicate_window: DUPLICATE_WINDOW_NS,
    ...(hasMessageTtl ? { allow_msg_ttl: true, subject_delete_marker_ttl: DAY_NS } : {}),
  }));
};

/**
 * Creates what is missing and updates the rest to the definition.
 * @returns the names of those it created.
 */
export const applyFleetStreams = async (
  manager: JetStreamManager,
  streams: readonly FleetStreamConfig[],
): Promise<readonly string[]> => {
  const created: string[] = [];
  for (const stream of streams) {
    try {
      await manager.streams.info(stream.name);
    } catch (error) {
      if (!isStreamMissing(error)) throw error;
      await manager.streams.add(stream);
      created.push(stream.name);
      continue;
    }
    // A server changes everything except this in an existing stream.
    const { max_consumers: _, ...changeable } = stream;
    await manager.streams.update(stream.name, changeable);
  }
  return created;
};

/**
 * Removes what a node wrote, which is not needed elsewhere: its journal is authoritative.
 * @returns whether there was anything.
 */
export const purgeNode = async (
  manager: JetStreamManager,
  { cluster, node }: { readonly cluster: string; readonly node: NodeId },
): Promise<boolean> => {
  const subjects = new FleetSubjects(cluster, node);
  const removed = [
    await ifThere(() => manager.streams.delete(stateStreamOf(cluster, node)), false),
    await ifThere(
      async () => (await manager.streams.purge(EVENT_STREAM, { filter: subjects.ownEvent })).purged > 0,
      false,
    ),
  ];
  return removed.includes(true);
};

const ifThere = async <T>(act: () => Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (isStreamMissing(error)) return otherwise;
    throw error;
  }
};

const isStreamMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;

const DAY_NS = 86_400_000_000_000;
/**
 * A server stores the id of each message for this time, in memory: a duplicate costs less than a flood of ids
 * would.
 */
const DUPLICATE_WINDOW_NS = 1_000_000_000;
/** Last values of one node: its own, and for a bridge those of its whole site. */
export const NODE_STATE_BYTES_MAX = 67_108_864;
export const NODE_STATES_MAX = 32_768;
/** In the stream of records, per node. */
const NODE_EVENTS_MAX = 8_192;
/** The largest record, sealed and framed, and the head of a message; a frame of several records is smaller. */
const MESSAGE_BYTES_MAX = 1_310_720;
/** Nodes create none: for the tools of the server's administrator. */
const CONSUMERS_MAX = 8;
