// The two streams of a fleet, for all nodes and all clusters of an account: streams and consumers are what a server has
// few of. Written by `fleet init`, created by `fleet apply`; a node may read them and add to them, never change them.

import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { EVENT_STREAM, STATE_STREAM } from './fleet-subjects.ts';

export interface FleetStreamOptions {
  /** 1, or 3 in a cluster of servers. */
  readonly replicas: number;
  /** Of last values; 0 for no bound of its own. */
  readonly stateBytesMax: number;
  readonly eventBytesMax: number;
  readonly eventDaysMax: number;
  /** Since 2.11 a server drops single messages after a time. */
  readonly hasMessageTtl: boolean;
}

export const FLEET_STREAM_DEFAULTS: FleetStreamOptions = {
  replicas: 1,
  stateBytesMax: 1_073_741_824,
  eventBytesMax: 4_294_967_296,
  eventDaysMax: 7,
  hasMessageTtl: false,
};

export type FleetStreamConfig = Partial<StreamConfig> & { readonly name: string };

export const fleetStreams = (options: FleetStreamOptions): readonly FleetStreamConfig[] => [
  {
    name: STATE_STREAM,
    subjects: ['plimsoll.v1.*.state.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas,
    max_msgs_per_subject: 1,
    max_bytes: options.stateBytesMax,
    discard: DiscardPolicy.New,
    discard_new_per_subject: false,
    allow_direct: true,
    duplicate_window: DUPLICATE_WINDOW_NS,
    ...(options.hasMessageTtl ? { allow_msg_ttl: true, subject_delete_marker_ttl: DAY_NS } : {}),
  },
  {
    name: EVENT_STREAM,
    subjects: ['plimsoll.v1.*.event.*'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas,
    max_bytes: options.eventBytesMax,
    max_age: options.eventDaysMax * DAY_NS,
    discard: DiscardPolicy.Old,
    duplicate_window: DUPLICATE_WINDOW_NS,
  },
];

/** Creates what is missing and brings the rest to the definition. @returns the names of those it created. */
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
    await manager.streams.update(stream.name, stream);
  }
  return created;
};

export const isStreamMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;

const DAY_NS = 86_400_000_000_000;
const DUPLICATE_WINDOW_NS = 120_000_000_000;
