// From text of unknown origin to an event that the rest of the program may trust. A known kind must have its payload
// and its key; an unknown kind is let through as unknown, because mixed versions share a mesh.

import * as v from 'valibot';
import type { ConnectionClosed, EventKind, Fact } from '../core/event.ts';
import { factKey, isEventKind } from '../core/event.ts';
import type { Connection } from '../core/link/connection.ts';
import type { LinkProfile } from '../core/link/link-profile.ts';
import type { NodeEndpoints } from '../core/node/endpoints.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';
import type { NodeConflict, NodeForgotten, NodeStopping } from '../core/node/presence.ts';
import type { ProbeBaseline } from '../core/probe/probe-baseline.ts';
import type { ProbeStatus, ProbeSubject } from '../core/probe/probe-status.ts';
import { READING_SCHEMAS } from './reading-schema.ts';
import { runnerSchema, runProgressSchema, runSchema } from './run-schema.ts';
import { count, figure, list, nodeIdSchema, openObject, reported, text, unknownSchema } from './schema.ts';

type Schema<T> = v.GenericSchema<unknown, T>;

export type DecodedFact =
  | { readonly kind: 'known'; readonly fact: Fact }
  | { readonly kind: 'unknown'; readonly unknownKind: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Checks a kind, its payload and its key. Never throws. */
export const decodeFact = (kind: string, key: string, payload: unknown): DecodedFact => {
  if (!EVENT_KIND.test(kind)) return { kind: 'refused', reason: 'the kind is not of the form slot.verb' };
  if (key.length > KEY_LENGTH_MAX)
    return { kind: 'refused', reason: `the key is longer than ${KEY_LENGTH_MAX}` };
  if (!isEventKind(kind)) return { kind: 'unknown', unknownKind: kind };
  const result = v.safeParse(factSchema, { kind, payload });
  if (!result.success) {
    const issue = result.issues[0];
    return { kind: 'refused', reason: `${kind} ${v.getDotPath(issue) ?? ''}: ${issue.message}` };
  }
  const fact: Fact = result.output;
  if (factKey(fact) !== key)
    return { kind: 'refused', reason: `${kind} does not have the key its payload makes` };
  return { kind: 'known', fact };
};

const connectionType = v.picklist([
  'wifi',
  'ethernet',
  'thunderbolt',
  'infiniband',
  'roce',
  'overlay',
  'loopback',
]);

const connection: Schema<Connection> = v.variant('kind', [
  openObject({
    kind: v.literal('socket'),
    sink: nodeIdSchema,
    sinkAddress: text,
    sourceInterface: reported(text),
    type: reported(connectionType),
    negotiatedBitsPerSecond: reported(figure),
  }),
  openObject({
    kind: v.literal('rdma'),
    sink: nodeIdSchema,
    sourceInterface: text,
    sinkInterface: text,
    type: reported(connectionType),
    negotiatedBitsPerSecond: reported(figure),
  }),
]);

const closed: Schema<ConnectionClosed> = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  reason: text,
});

/** Never left out: unknown says here that the probe failed, and why. */
const failure = v.union([v.literal('none'), unknownSchema]);

const linkProfile: Schema<LinkProfile> = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  uploadBitsPerSecond: reported(figure),
  downloadBitsPerSecond: reported(figure),
  roundTripNsMin: reported(figure),
  roundTripNsP50: reported(figure),
  roundTripNsP99: reported(figure),
  jitterNs: reported(figure),
  roundTripCount: reported(figure),
  retransmits: reported(figure),
  uploadStreams: reported(figure),
  downloadStreams: reported(figure),
  bytesUsed: figure,
  engine: text,
  method: text,
  measuredAgeMs: figure,
  intervalMs: reported(figure),
  failure,
});

const gpuProfile: Schema<GpuProfile> = openObject({
  deviceId: text,
  deviceName: text,
  deviceKind: v.picklist(['gpu', 'cpu']),
  engine: text,
  fp16FlopsPerSecond: reported(figure),
  fp32FlopsPerSecond: reported(figure),
  memoryReadBytesPerSecond: reported(figure),
  memoryCopyBytesPerSecond: reported(figure),
  isLowerBound: v.boolean(),
  method: text,
  measuredAgeMs: figure,
  intervalMs: reported(figure),
  failure,
});

const probeSubject: Schema<ProbeSubject> = v.variant('kind', [
  openObject({ kind: v.literal('gpu'), deviceId: text }),
  openObject({ kind: v.literal('link'), sink: nodeIdSchema, connectionKey: text }),
]);

/** As many figures as a profile may have some day. */
export const BASELINE_FIGURES_MAX = 32;
const probeBaseline: Schema<ProbeBaseline> = openObject({
  subject: probeSubject,
  windowMs: figure,
  spanMs: figure,
  count,
  medians: v.pipe(v.record(v.pipe(v.string(), v.maxLength(64)), figure), v.maxEntries(BASELINE_FIGURES_MAX)),
});

const probeStatus: Schema<ProbeStatus> = openObject({
  subject: probeSubject,
  stage: v.variant('kind', [
    openObject({ kind: v.literal('running'), expectedMs: figure, isByHand: v.boolean() }),
    openObject({ kind: v.literal('waiting'), reason: text, nextInMs: reported(figure) }),
    openObject({ kind: v.literal('idle'), nextInMs: reported(figure) }),
  ]),
});

const endpoints: Schema<NodeEndpoints> = openObject({
  meshPort: reported(figure),
  reachabilityPort: reported(figure),
});

const forgotten: Schema<NodeForgotten> = openObject({
  subject: nodeIdSchema,
  durableEpoch: count,
  durableSeq: count,
  liveEpoch: count,
  liveSeq: count,
});

const stopping: Schema<NodeStopping> = openObject({ durableEpoch: count, durableSeq: count });

const conflict: Schema<NodeConflict> = openObject({ subject: nodeIdSchema, addresses: list(text) });

const fact = <K extends EventKind, T>(kind: K, payload: Schema<T>) =>
  openObject({ kind: v.literal(kind), payload });

const factSchema: Schema<Fact> = v.variant('kind', [
  fact('identity.gathered', READING_SCHEMAS['identity.gathered']),
  fact('memory.gathered', READING_SCHEMAS['memory.gathered']),
  fact('system.gathered', READING_SCHEMAS['system.gathered']),
  fact('network.gathered', READING_SCHEMAS['network.gathered']),
  fact('thunderbolt.gathered', READING_SCHEMAS['thunderbolt.gathered']),
  fact('rdmaDevices.gathered', READING_SCHEMAS['rdmaDevices.gathered']),
  fact('disk.gathered', READING_SCHEMAS['disk.gathered']),
  fact('gpus.gathered', READING_SCHEMAS['gpus.gathered']),
  fact('gpuLoads.gathered', READING_SCHEMAS['gpuLoads.gathered']),
  fact('config.gathered', READING_SCHEMAS['config.gathered']),
  fact('reading.confirmed', READING_SCHEMAS['reading.confirmed']),
  fact('reading.failed', READING_SCHEMAS['reading.failed']),
  fact('reading.absent', READING_SCHEMAS['reading.absent']),
  fact('gpu.profiled', gpuProfile),
  fact('connection.opened', connection),
  fact('connection.closed', closed),
  fact('link.profiled', linkProfile),
  fact('probe.reported', probeStatus),
  fact('baseline.told', probeBaseline),
  fact('endpoints.told', endpoints),
  fact('runner.reported', runnerSchema),
  fact('run.started', runSchema),
  fact('run.ended', runSchema),
  fact('progress.reported', runProgressSchema),
  fact('node.forgotten', forgotten),
  fact('node.stopping', stopping),
  fact('conflict.seen', conflict),
]);

/** "slot.verb", also for kinds of versions to come. */
const EVENT_KIND = /^[a-z][A-Za-z0-9]{0,39}\.[a-z][A-Za-z0-9]{0,39}$/;
export const KEY_LENGTH_MAX = 512;
