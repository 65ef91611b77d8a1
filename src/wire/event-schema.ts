// From text of unknown origin to an event that the rest of the program may trust. A known kind must have its payload
// and its key; an unknown kind is let through as unknown, because mixed versions share a mesh.

import * as v from 'valibot';
import {
  type EventKind,
  type EventPayloads,
  type Fact,
  factKey,
  factOf,
  isEventKind,
} from '../core/event-kinds.ts';
import {
  type Connection,
  type ConnectionType,
  type LinkForgotten,
  LOSS_CODES,
  type LostConnection,
} from '../core/link/connection.ts';
import type { ConnectionClosed } from '../core/link/link-kinds.ts';
import type { NodeEndpoints } from '../core/node/endpoints.ts';
import type { NodeConflict, NodeForgotten, NodeStopping } from '../core/node/presence.ts';
import { engineCalibrationSchema } from './engine-schema.ts';
import {
  gpuProfileSchema,
  linkProfileSchema,
  probeBaselineSchema,
  probeStatusSchema,
} from './probe-schema.ts';
import { READING_SCHEMAS } from './reading-schema.ts';
import { reportedComparisonSchema, reportedPairsSchema } from './reported-comparison-schema.ts';
import { runnerSchema, runProgressSchema, runSchema } from './run-schema.ts';
import {
  count,
  figure,
  knownPart,
  list,
  nodeIdSchema,
  openObject,
  reported,
  type Schema,
  text,
} from './schema.ts';
import { sweepProgressSchema, sweepSchema } from './sweep-digest-schema.ts';

type DecodedFact =
  | { readonly kind: 'known'; readonly fact: Fact }
  | { readonly kind: 'unknown'; readonly unknownKind: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Checks a kind, its payload and its key. Never throws. */
export const decodeFact = (kind: string, key: string, payload: unknown): DecodedFact => {
  if (!EVENT_KIND.test(kind)) return { kind: 'refused', reason: 'the kind is not of the form slot.verb' };
  if (key.length > KEY_LENGTH_MAX)
    return { kind: 'refused', reason: `the key is longer than ${KEY_LENGTH_MAX}` };
  if (!isEventKind(kind)) return { kind: 'unknown', unknownKind: kind };
  const decoded = checked(kind, payload);
  if (decoded.kind === 'refused') return decoded;
  if (factKey(decoded.fact) !== key)
    return { kind: 'refused', reason: `${kind} does not have the key of its payload` };
  return decoded;
};

/** The part of a payload of a known kind that is known to this version. */
export const knownPayload = (kind: EventKind, payload: unknown): unknown =>
  knownPart(PAYLOAD_SCHEMAS[kind], payload);

/** The fact of a known kind; undefined if the payload does not match it. */
export const factFrom = (kind: EventKind, payload: unknown): Fact | undefined => {
  const decoded = checked(kind, payload);
  return decoded.kind === 'known' ? decoded.fact : undefined;
};

export const connectionTypeSchema: Schema<ConnectionType> = v.picklist([
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
    sinkInterface: reported(text),
    type: reported(connectionTypeSchema),
    negotiatedBitsPerSecond: reported(figure),
  }),
  openObject({
    kind: v.literal('rdma'),
    sink: nodeIdSchema,
    sourceInterface: text,
    sinkInterface: text,
    type: reported(connectionTypeSchema),
    negotiatedBitsPerSecond: reported(figure),
  }),
]);

const lost: Schema<LostConnection> = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  connection,
  code: v.picklist(LOSS_CODES),
  reason: text,
  lostAgeMs: figure,
});

const position = { source: nodeIdSchema, durableEpoch: count, durableSeq: count };
const linkForgotten: Schema<LinkForgotten> = openObject({
  nodes: v.tuple([nodeIdSchema, nodeIdSchema]),
  through: v.tuple([openObject(position), openObject(position)]),
});

const closed: Schema<ConnectionClosed> = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  reason: text,
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

/** The payload of each kind. A kind of core's table without its schema here does not compile. */
export const PAYLOAD_SCHEMAS: { readonly [K in EventKind]: Schema<EventPayloads[K]> } = {
  ...READING_SCHEMAS,
  'gpu.profiled': gpuProfileSchema,
  'connection.opened': connection,
  'connection.lost': lost,
  'connection.closed': closed,
  'link.profiled': linkProfileSchema,
  'probe.reported': probeStatusSchema,
  'baseline.reported': probeBaselineSchema,
  'endpoints.reported': endpoints,
  'runner.reported': runnerSchema,
  'run.started': runSchema,
  'run.ended': runSchema,
  'progress.reported': runProgressSchema,
  'sweep.started': sweepSchema,
  'sweep.ended': sweepSchema,
  'stages.reported': sweepProgressSchema,
  'comparison.started': reportedComparisonSchema,
  'comparison.ended': reportedComparisonSchema,
  'pairs.reported': reportedPairsSchema,
  'engine.calibrated': engineCalibrationSchema,
  'loss.forgotten': linkForgotten,
  'node.forgotten': forgotten,
  'node.stopping': stopping,
  'conflict.seen': conflict,
};

type Checked<K extends EventKind> =
  | { readonly kind: 'known'; readonly fact: Fact<K> }
  | { readonly kind: 'refused'; readonly reason: string };

const checked = <K extends EventKind>(kind: K, payload: unknown): Checked<K> => {
  const schema: Schema<EventPayloads[K]> = PAYLOAD_SCHEMAS[kind];
  const result = v.safeParse(schema, payload);
  if (result.success) return { kind: 'known', fact: factOf(kind, result.output) };
  const [issue] = result.issues;
  const path = ['payload', v.getDotPath(issue)].filter(part => part !== null).join('.');
  return { kind: 'refused', reason: `${kind} ${path}: ${issue.message}` };
};

/** "slot.verb", also for kinds of later versions. */
const EVENT_KIND = /^[a-z][A-Za-z0-9]{0,39}\.[a-z][A-Za-z0-9]{0,39}$/;
export const KEY_LENGTH_MAX = 512;
