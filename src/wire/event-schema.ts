// From text of unknown origin to an event that the rest of the program may trust. A known kind must have its payload
// and its key; an unknown kind is let through as unknown, because mixed versions share a mesh.

import * as v from 'valibot';
import { reportedComparisonSchema, reportedPairsSchema } from '../core/comparison/reported-comparison.ts';
import { plainDigestSchema, plainUpdateSchema } from '../core/document/plain-document.ts';
import {
  type EventKind,
  type EventPayloads,
  type Fact,
  factKey,
  factOf,
  isEventKind,
} from '../core/event-kinds.ts';
import { connectionSchema, linkForgottenSchema, lostConnectionSchema } from '../core/link/connection.ts';
import { connectionClosedSchema } from '../core/link/link-kinds.ts';
import { linkProfileSchema } from '../core/link/link-profile.ts';
import { engineCalibrationSchema } from '../core/model/engine-calibration.ts';
import { nodeEndpointsSchema } from '../core/node/endpoints.ts';
import { gpuProfileSchema } from '../core/node/gpu-profile.ts';
import { nodeConflictSchema, nodeForgottenSchema, nodeStoppingSchema } from '../core/node/presence.ts';
import { probeBaselineSchema, probeStatusSchema } from '../core/probe/probe-status.ts';
import { runnerSchema } from '../core/run/run.ts';
import { knownPart, type Schema } from '../core/schema.ts';
import { sweepProgressSchema } from '../core/sweep/sweep.ts';
import { READING_SCHEMAS } from './reading-schema.ts';
import { runProgressSchema, runSchema } from './run-schema.ts';
import { sweepSchema } from './sweep-digest-schema.ts';

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

/** The payload of each kind. A kind of core's table without its schema here does not compile. */
export const PAYLOAD_SCHEMAS: { readonly [K in EventKind]: Schema<EventPayloads[K]> } = {
  ...READING_SCHEMAS,
  'gpu.profiled': gpuProfileSchema,
  'connection.opened': connectionSchema,
  'connection.lost': lostConnectionSchema,
  'connection.closed': connectionClosedSchema,
  'link.profiled': linkProfileSchema,
  'probe.reported': probeStatusSchema,
  'baseline.reported': probeBaselineSchema,
  'endpoints.reported': nodeEndpointsSchema,
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
  'document.started': plainDigestSchema,
  'document.ended': plainDigestSchema,
  'parts.reported': plainUpdateSchema,
  'engine.calibrated': engineCalibrationSchema,
  'loss.forgotten': linkForgottenSchema,
  'node.forgotten': nodeForgottenSchema,
  'node.stopping': nodeStoppingSchema,
  'conflict.seen': nodeConflictSchema,
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
