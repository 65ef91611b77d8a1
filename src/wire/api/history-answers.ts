// The past in the HTTP API: the last quarter of an hour of live series, and profiles from the journal.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import type { HistorySeries } from '../../core/live-history.ts';
import type { GpuProfile } from '../../core/node/gpu-profile.ts';
import type { Unknown } from '../../core/unknown.ts';
import type { RECORD_VERSION } from '../durable-record.ts';
import { gpuProfileSchema, linkProfileSchema } from '../probe-schema.ts';
import { count, figure, nodeIdSchema, type Schema, unknownSchema } from '../schema.ts';

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

/** An hour of measurements: all that is stored after three days. */
export interface HourlySummary {
  readonly version: 1;
  /** Records in the hour. */
  readonly count: number;
  /** Failed attempts among them: they repeat the last good figures, which are left out. */
  readonly failedCount: number;
  /** By name in the payload, nested names joined by a dot: "uploadBitsPerSecond". */
  readonly figures: Readonly<Record<string, FigureSummary>>;
}

export interface FigureSummary {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Records with this figure. */
  readonly count: number;
}

export const hourlySummarySchema: Schema<HourlySummary> = v.object({
  version: v.literal(1),
  count,
  failedCount: count,
  figures: v.record(v.string(), v.object({ min: figure, median: figure, max: figure, count })),
});

/** `atWallMs` is on the clock of the responding machine; for an hour it is its start. */
export type ProfileRow =
  | { readonly isHourly: false; readonly atWallMs: number; readonly record: ProfileRecord | Unknown }
  | { readonly isHourly: true; readonly atWallMs: number; readonly record: HourlySummary | Unknown };

const profileRowSchema: Schema<ProfileRow> = v.variant('isHourly', [
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

export interface ProfileHistoryAnswer {
  readonly node: NodeId;
  readonly slot: 'gpu' | 'link';
  readonly key: string;
  readonly rows: readonly ProfileRow[];
}

export const profileHistoryAnswerSchema: Schema<ProfileHistoryAnswer> = v.object({
  node: nodeIdSchema,
  slot: v.picklist(['gpu', 'link']),
  key: v.string(),
  rows: v.pipe(v.array(profileRowSchema), v.description('Oldest first.')),
});

export const historyAnswerSchema: Schema<LiveHistoryAnswer | ProfileHistoryAnswer> = v.union([
  profileHistoryAnswerSchema,
  liveHistoryAnswerSchema,
]);
