// The past in the HTTP API: the last quarter of an hour of live series, and profiles from the journal.

import * as v from 'valibot';
import { linkProfileSchema } from '../../core/link/link-profile.ts';
import { gpuProfileSchema } from '../../core/node/gpu-profile.ts';
import { count, figure, type Infer, nodeIdSchema, type Schema, unknownSchema } from '../../core/schema.ts';
import type { RECORD_VERSION } from '../durable-record.ts';

export const liveHistoryAnswerSchema = v.object({
  node: nodeIdSchema,
  nowMs: figure,
  stepMs: v.literal(1_000),
  series: v.pipe(
    v.record(v.string(), v.array(v.nullable(figure))),
    v.description('Oldest first, ending with the second of nowMs; null where no value was reported.'),
  ),
});

export type LiveHistoryAnswer = Infer<typeof liveHistoryAnswerSchema>;

/** A schema of its own, so that a page need not know every event. */
const RECORD: Schema<typeof RECORD_VERSION> = v.literal(1);

const record = {
  version: RECORD,
  origin: nodeIdSchema,
  epoch: count,
  seq: count,
  key: v.string(),
} as const;

/** One attempt at a measurement, as recorded by the node that made it. */
export const profileRecordSchema = v.variant('kind', [
  v.object({ ...record, kind: v.literal('gpu.profiled'), payload: gpuProfileSchema }),
  v.object({ ...record, kind: v.literal('link.profiled'), payload: linkProfileSchema }),
]);

export type ProfileRecord = Infer<typeof profileRecordSchema>;

const figureSummarySchema = v.object({
  min: figure,
  median: figure,
  max: figure,
  /** Records with this figure. */
  count,
});

export type FigureSummary = Infer<typeof figureSummarySchema>;

export const hourlySummarySchema = v.object({
  version: v.literal(1),
  /** Records in the hour. */
  count,
  /** Failed attempts among them: they repeat the last good figures, which are left out. */
  failedCount: count,
  /** By name in the payload, nested names joined by a dot: "uploadBitsPerSecond". */
  figures: v.record(v.string(), figureSummarySchema),
});

/** An hour of measurements: all that is stored after three days. */
export type HourlySummary = Infer<typeof hourlySummarySchema>;

const profileRowSchema = v.variant('isHourly', [
  v.object({
    isHourly: v.literal(false),
    atWallMs: figure,
    record: v.union([unknownSchema, profileRecordSchema]),
  }),
  v.object({
    isHourly: v.literal(true),
    atWallMs: figure,
    record: v.union([unknownSchema, hourlySummarySchema]),
  }),
]);

/** `atWallMs` is on the clock of the responding machine; for an hour it is its start. */
export type ProfileRow = Infer<typeof profileRowSchema>;

export const profileHistoryAnswerSchema = v.object({
  node: nodeIdSchema,
  slot: v.picklist(['gpu', 'link']),
  key: v.string(),
  rows: v.pipe(v.array(profileRowSchema), v.description('Oldest first.')),
});

export type ProfileHistoryAnswer = Infer<typeof profileHistoryAnswerSchema>;

export const historyAnswerSchema = v.union([profileHistoryAnswerSchema, liveHistoryAnswerSchema]);
