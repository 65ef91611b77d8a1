// What is measured, where, and its progress, as sent between processes: in events, in rows of the journal,
// and in a person's requests.

import * as v from 'valibot';
import type { LinkProfile } from '../core/link/link-profile.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';
import type { ProbeBaseline, ProbeStatus, ProbeSubject } from '../core/probe/probe-status.ts';
import {
  count,
  figure,
  nodeIdSchema,
  openObject,
  reported,
  type Schema,
  text,
  unknownSchema,
} from './schema.ts';

/** Never left out: unknown means that the probe failed, with the reason. */
const failure = v.union([v.literal('none'), unknownSchema]);

export const linkProfileSchema: Schema<LinkProfile> = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  uploadBitsPerSecond: reported(figure),
  downloadBitsPerSecond: reported(figure),
  roundTripNsMin: reported(figure),
  roundTripNsP50: reported(figure),
  roundTripNsP99: reported(figure),
  jitterNs: reported(figure),
  roundTripCount: reported(figure),
  allReduceNs16Kib: reported(figure),
  allReduceNs1Mib: reported(figure),
  uploadQueueNs: reported(figure),
  downloadQueueNs: reported(figure),
  extrasAgeMs: reported(figure),
  retransmits: reported(figure),
  uploadStreams: reported(figure),
  downloadStreams: reported(figure),
  bytesUsed: figure,
  extrasBytes: reported(figure),
  engine: text,
  method: text,
  measuredAgeMs: figure,
  intervalMs: reported(figure),
  failure,
});

export const gpuProfileSchema: Schema<GpuProfile> = openObject({
  deviceId: text,
  deviceName: text,
  deviceKind: v.picklist(['gpu', 'cpu']),
  engine: text,
  fp16FlopsPerSecond: reported(figure),
  fp32FlopsPerSecond: reported(figure),
  memoryReadBytesPerSecond: reported(figure),
  memoryCopyBytesPerSecond: reported(figure),
  memoryGemvBytesPerSecond: reported(figure),
  int8OperationsPerSecond: reported(figure),
  fp8FlopsPerSecond: reported(figure),
  isLowerBound: v.boolean(),
  method: text,
  measuredAgeMs: figure,
  intervalMs: reported(figure),
  failure,
});

export const probeSubjectSchema: Schema<ProbeSubject> = v.variant('kind', [
  openObject({ kind: v.literal('gpu'), deviceId: text }),
  openObject({ kind: v.literal('link'), sink: nodeIdSchema, connectionKey: text }),
]);

/** As many figures as a profile may have in the future. */
const BASELINE_FIGURES_MAX = 32;
export const probeBaselineSchema: Schema<ProbeBaseline> = openObject({
  subject: probeSubjectSchema,
  windowMs: figure,
  spanMs: figure,
  count,
  medians: v.pipe(v.record(v.pipe(v.string(), v.maxLength(64)), figure), v.maxEntries(BASELINE_FIGURES_MAX)),
});

export const probeStatusSchema: Schema<ProbeStatus> = openObject({
  subject: probeSubjectSchema,
  stage: v.variant('kind', [
    openObject({ kind: v.literal('running'), expectedMs: figure, isByHand: v.boolean() }),
    openObject({ kind: v.literal('waiting'), reason: text, nextInMs: reported(figure) }),
    openObject({ kind: v.literal('idle'), nextInMs: reported(figure) }),
  ]),
});
