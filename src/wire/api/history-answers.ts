// The past in the HTTP API: the last quarter of an hour of live series, and profiles from the journal.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import { type LinkProfile, linkProfileSchema } from '../../core/link/link-profile.ts';
import type { HistorySeries } from '../../core/live-history.ts';
import { type GpuProfile, gpuProfileSchema } from '../../core/node/gpu-profile.ts';
import { count, figure, type Infer, nodeIdSchema, type Schema, unknownSchema } from '../../core/schema.ts';
import type { RECORD_VERSION } from '../durable-record.ts';

export type LiveHistoryAnswer = HistorySeries & {
  readonly node: NodeId;
  readonly nowMs: number;
};

export const liveHistoryAnswerSchema: Schema<LiveHistoryAnswer> = v.object({
  node: nodeIdSchema,
  nowMs: figure,
  stepMs: v.literal(1_000),
  series: v.pipe(
    v.record(v.string(), v.array(v.nullable(figure))),
    v.description('Oldest first, ending with the second of nowMs; null where no value was reported.'),
  ),
});

/** One attempt at a measurement, as recorded by the node that made it. */
export type ProfileRecord = {
  readonly [K in 'gpu.profiled' | 'link.profiled']: {
    readonly version: typeof RECORD_VERSION;
    readonly origin: NodeId;
    readonly epoch: number;
    readonly seq: number;
    readonly kind: K;
    readonly key: string;
    readonly payload: { 'gpu.profiled': GpuProfile; 'link.profiled': LinkProfile }[K];
  };
}['gpu.profiled' | 'link.profiled'];

/** A schema of its own, so that a page need not know every event. */
const RECORD: Schema<typeof RECORD_VERSION> = v.literal(1);

const record = {
  version: RECORD,
  origin: nodeIdSchema,
  epoch: count,
  seq: count,
  key: v.string(),
} as const;

export const profileRecordSchema: Schema<ProfileRecord> = v.variant('kind', [
  v.object({ ...record, kind: v.literal('gpu.profiled'), payload: gpuProfileSchema }),
  v.object({ ...record, kind: v.literal('link.profiled'), payload: linkProfileSchema }),
]);

export interface FigureSummary {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Records with this figure. */
  readonly count: number;
}

export const hourlySummarySchema = v.object({
  version: v.literal(1),
  /** Records in the hour. */
  count,
  /** Failed attempts among them: they repeat the last good figures, which are left out. */
  failedCount: count,
  /** By name in the payload, nested names joined by a dot: "uploadBitsPerSecond". */
  figures: v.record(v.string(), v.object({ min: figure, median: figure, max: figure, count })),
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

export const historyAnswerSchema: Schema<LiveHistoryAnswer | ProfileHistoryAnswer> = v.union([
  profileHistoryAnswerSchema,
  liveHistoryAnswerSchema,
]);
