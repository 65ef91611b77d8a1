// The messages between the ends of an RDMA probe on the control connection, one JSON object per line. The source
// requests runs of a closed list of tests; nothing it sends becomes an argument of a tool except bounded numbers.

import * as v from 'valibot';
import type { RdmaEngineName, RdmaTest, ToolRole } from './rdma-tool.ts';

export const RUNS_MAX: number = 16;
export const ROUND_TRIPS_MAX: number = 10_000;
export const MESSAGE_BYTES_MAX: number = 16 * 1024 * 1024;
export const MESSAGES_MAX: number = 1_000_000;

export type ToRdmaSink =
  /** Start your end; a data connection follows for its rendezvous. */
  | {
      readonly kind: 'run';
      readonly run: number;
      /** One of those that the sink has reported. */
      readonly engine: RdmaEngineName;
      readonly test: RdmaTest;
      readonly role: ToolRole;
    }
  /** The source's end has finished: end yours. */
  | { readonly kind: 'stop'; readonly run: number }
  | { readonly kind: 'bye' };

export type ToRdmaSource =
  /** What is installed there. */
  | { readonly kind: 'hello'; readonly engines: readonly RdmaEngineName[] }
  | { readonly kind: 'started'; readonly run: number }
  | {
      readonly kind: 'ended';
      readonly run: number;
      /** Why the tool failed; '' if it did not. */
      readonly reason: string;
      /** It was asked to stop, and did not fail by itself. */
      readonly wasStopped: boolean;
      /** If its end dialled a bandwidth test; otherwise null. */
      readonly bitsPerSecond: number | null;
    };

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

export const toRdmaSinkSchema: v.GenericSchema<unknown, ToRdmaSink> = v.variant('kind', [
  v.object({
    kind: v.literal('run'),
    run: RUN,
    engine: ENGINE,
    test: TEST,
    role: v.picklist(['waits', 'dials']),
  }),
  v.object({ kind: v.literal('stop'), run: RUN }),
  v.object({ kind: v.literal('bye') }),
]);

export const toRdmaSourceSchema: v.GenericSchema<unknown, ToRdmaSource> = v.variant('kind', [
  v.object({ kind: v.literal('hello'), engines: v.pipe(v.array(ENGINE), v.maxLength(8)) }),
  v.object({ kind: v.literal('started'), run: RUN }),
  v.object({
    kind: v.literal('ended'),
    run: RUN,
    reason: v.pipe(v.string(), v.maxLength(300)),
    wasStopped: v.boolean(),
    bitsPerSecond: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
  }),
]);
