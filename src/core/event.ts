// An event is a past-tense, immutable record of one origin node: DESIGN §3.1. State is a fold over events and
// nothing else, so whatever a person should be able to see exists here first.

import type { NodeId } from './ids.ts';
import type { Connection } from './link/connection.ts';
import { connectionKey } from './link/connection.ts';
import type { LinkProfile } from './link/link-profile.ts';
import type { NodeEndpoints } from './node/endpoints.ts';
import type { GpuProfile } from './node/gpu-profile.ts';
import type { NodeConflict, NodeForgotten, NodeStopping } from './node/presence.ts';
import type { Gathered, ReadingConfirmed, ReadingFailed, ReadingValues } from './node/reading.ts';
import { readingKey } from './node/reading.ts';
import type { ProbeBaseline } from './probe/probe-baseline.ts';
import type { ProbeStatus } from './probe/probe-status.ts';
import { probeKey } from './probe/probe-status.ts';
import type { Run, Runner, RunProgress } from './run/run.ts';

/** Kind to payload. A kind reads "<slot>.<past participle>": kinds of one slot and key replace each other. */
export interface EventPayloads {
  'identity.gathered': Gathered<ReadingValues['identity']>;
  'memory.gathered': Gathered<ReadingValues['memory']>;
  'system.gathered': Gathered<ReadingValues['system']>;
  'network.gathered': Gathered<ReadingValues['network']>;
  'thunderbolt.gathered': Gathered<ReadingValues['thunderbolt']>;
  'rdmaDevices.gathered': Gathered<ReadingValues['rdmaDevices']>;
  'disk.gathered': Gathered<ReadingValues['disk']>;
  'gpus.gathered': Gathered<ReadingValues['gpus']>;
  'gpuLoads.gathered': Gathered<ReadingValues['gpuLoads']>;
  'config.gathered': Gathered<ReadingValues['config']>;
  'reading.confirmed': ReadingConfirmed;
  'reading.failed': ReadingFailed;
  'reading.absent': ReadingFailed;
  'gpu.profiled': GpuProfile;
  'connection.opened': Connection;
  'connection.closed': ConnectionClosed;
  'link.profiled': LinkProfile;
  'probe.reported': ProbeStatus;
  'baseline.told': ProbeBaseline;
  'endpoints.told': NodeEndpoints;
  'runner.reported': Runner;
  'run.started': Run;
  'run.ended': Run;
  'progress.reported': RunProgress;
  'node.forgotten': NodeForgotten;
  'node.stopping': NodeStopping;
  'conflict.seen': NodeConflict;
}

export interface ConnectionClosed {
  readonly sink: NodeId;
  readonly connectionKey: string;
  readonly reason: string;
}

export type EventKind = keyof EventPayloads;
export type EventClass = 'durable' | 'live';

export interface EventHead {
  readonly origin: NodeId;
  /**
   * Durable: the number of the journal that the origin writes, greater than every one it had before.
   * Live: the number of the daemon's start, likewise.
   */
  readonly epoch: number;
  readonly class: EventClass;
  /** From 1. Durable: gapless in (origin, epoch). Live: a counter of the daemon's start. */
  readonly seq: number;
  /** Names the entry among those of (origin, slot); '' where a node has one. */
  readonly key: string;
  /** How old the fact was when this process received it, in ms. */
  readonly ageMs: number;
  /** When this process received it, on its own monotonic clock, in ms. Never travels. */
  readonly receivedAtMs: number;
}

export type EventOf<K extends EventKind> = EventHead & {
  readonly kind: K;
  readonly payload: EventPayloads[K];
};

export type KnownEvent = { readonly [K in EventKind]: EventOf<K> }[EventKind];

/** A kind of a newer version: its record is stored and relayed as it came, shown by name, never applied nor looked into. */
export type UnknownEvent = EventHead & {
  readonly kind: 'unknown';
  readonly unknownKind: string;
};

export type Event = KnownEvent | UnknownEvent;

/** A kind with its payload, before an origin has numbered it. */
export type Fact = {
  readonly [K in EventKind]: { readonly kind: K; readonly payload: EventPayloads[K] };
}[EventKind];

export const eventClass = (kind: EventKind): EventClass => EVENT_CLASSES[kind];

export const isEventKind = (kind: string): kind is EventKind => Object.hasOwn(EVENT_CLASSES, kind);

/** What stands before the dot. The journal keeps the newest event of each (origin, slot, key). */
export const eventSlot = (kind: string): string => {
  const dot = kind.indexOf('.');
  return dot === -1 ? kind : kind.slice(0, dot);
};

/** The key that an event of this kind and payload must carry; decoders refuse any other. */
export const factKey = (fact: Fact): string => {
  switch (fact.kind) {
    case 'identity.gathered':
    case 'memory.gathered':
    case 'system.gathered':
    case 'network.gathered':
    case 'thunderbolt.gathered':
    case 'rdmaDevices.gathered':
    case 'disk.gathered':
    case 'config.gathered':
    case 'endpoints.told':
    case 'node.stopping':
      return '';
    case 'gpus.gathered':
    case 'gpuLoads.gathered':
      return fact.payload.value.vendor;
    case 'reading.confirmed':
    case 'reading.failed':
    case 'reading.absent':
      return readingKey(fact.payload);
    case 'gpu.profiled':
      return fact.payload.deviceId;
    case 'connection.opened':
      return `${fact.payload.sink} ${connectionKey(fact.payload)}`;
    case 'connection.closed':
    case 'link.profiled':
      return `${fact.payload.sink} ${fact.payload.connectionKey}`;
    case 'probe.reported':
    case 'baseline.told':
      return probeKey(fact.payload.subject);
    case 'runner.reported':
      return fact.payload.runnerKey;
    case 'run.started':
    case 'run.ended':
    case 'progress.reported':
      return fact.payload.runId;
    case 'node.forgotten':
    case 'conflict.seen':
      return fact.payload.subject;
    default:
      return fact satisfies never;
  }
};

const EVENT_CLASSES: { readonly [K in EventKind]: EventClass } = {
  'identity.gathered': 'durable',
  'memory.gathered': 'live',
  'system.gathered': 'live',
  'network.gathered': 'durable',
  'thunderbolt.gathered': 'durable',
  'rdmaDevices.gathered': 'durable',
  'disk.gathered': 'live',
  'gpus.gathered': 'durable',
  'gpuLoads.gathered': 'live',
  'config.gathered': 'durable',
  'reading.confirmed': 'live',
  'reading.failed': 'live',
  'reading.absent': 'live',
  'gpu.profiled': 'durable',
  'connection.opened': 'durable',
  'connection.closed': 'durable',
  'link.profiled': 'durable',
  'probe.reported': 'live',
  'baseline.told': 'live',
  'endpoints.told': 'live',
  'runner.reported': 'live',
  'run.started': 'durable',
  'run.ended': 'durable',
  'progress.reported': 'live',
  'node.forgotten': 'durable',
  'node.stopping': 'live',
  'conflict.seen': 'live',
};
