// The messages between the ends of an RDMA probe on the control connection, one JSON object per line. The source
// requests runs of a closed list of tests; nothing it sends becomes an argument of a tool except bounded numbers.

import * as v from 'valibot';
import { type Infer, nonNegative } from '../../core/schema.ts';
import type { RdmaEngineName, RdmaTest } from './rdma-tool.ts';

export const RUNS_MAX: number = 16;
export const ROUND_TRIPS_MAX: number = 10_000;
export const MESSAGE_BYTES_MAX: number = 16 * 1024 * 1024;
export const MESSAGES_MAX: number = 1_000_000;

const whole = (max: number): v.GenericSchema<unknown, number> =>
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));
const RUN = whole(RUNS_MAX);
const ENGINE: v.GenericSchema<unknown, RdmaEngineName> = v.picklist(['perftest', 'ucx', 'mlx-jaccl']);

const TEST: v.GenericSchema<unknown, RdmaTest> = v.variant('kind', [
  v.object({ kind: v.literal('latency'), roundTrips: whole(ROUND_TRIPS_MAX) }),
  v.object({
    kind: v.literal('bandwidth'),
    messageBytes: whole(MESSAGE_BYTES_MAX),
    messages: whole(MESSAGES_MAX),
  }),
]);

export const toRdmaSinkSchema = v.variant('kind', [
  v.object({
    kind: v.literal('run'),
    run: RUN,
    /** One of those that the sink has reported. */
    engine: ENGINE,
    test: TEST,
    role: v.picklist(['waits', 'dials']),
  }),
  v.object({ kind: v.literal('stop'), run: RUN }),
  v.object({ kind: v.literal('bye') }),
]);

export type ToRdmaSink = Infer<typeof toRdmaSinkSchema>;

export const toRdmaSourceSchema = v.variant('kind', [
  v.object({ kind: v.literal('hello'), engines: v.pipe(v.array(ENGINE), v.maxLength(8)) }),
  v.object({ kind: v.literal('started'), run: RUN }),
  v.object({
    kind: v.literal('ended'),
    run: RUN,
    /** Why the tool failed; '' if it did not. */
    reason: v.pipe(v.string(), v.maxLength(300)),
    /** It was asked to stop, and did not fail by itself. */
    wasStopped: v.boolean(),
    /** If its end dialled a bandwidth test; otherwise null. */
    bitsPerSecond: v.nullable(nonNegative),
  }),
]);

export type ToRdmaSource = Infer<typeof toRdmaSourceSchema>;
