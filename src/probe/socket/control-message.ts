// What source and sink say to each other on the control connection, one JSON object a line. The source asks, the sink
// answers; of itself the sink tells only what it has received, while an upload runs.

import * as v from 'valibot';

const RUN = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffff));
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const TEXT = v.pipe(v.string(), v.maxLength(300));

export const STREAMS_MAX: number = 8;
/** One measurement of one direction with one number of streams; what a source asks for beyond is cut. */
export const RUN_MS_MAX: number = 10_000;

export const toSinkSchema = v.variant('kind', [
  /** Expect so many data connections; each may carry its share of `bytesMax`. */
  v.object({
    kind: v.literal('prepare'),
    run: RUN,
    job: v.picklist(['echo', 'upload', 'download']),
    streams: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(STREAMS_MAX)),
    bytesMaxPerStream: COUNT,
    durationMsMax: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(RUN_MS_MAX)),
  }),
  v.object({ kind: v.literal('start'), run: RUN }),
  v.object({ kind: v.literal('stop'), run: RUN }),
  v.object({ kind: v.literal('bye') }),
]);

export const toSourceSchema = v.variant('kind', [
  v.object({
    kind: v.literal('hello'),
    engine: v.picklist(['socket-ffi', 'socket-event-loop']),
    /** Why it is not the better engine; '' where it is. */
    reason: TEXT,
    /** Streams that its processor can drive. */
    streamsMax: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(STREAMS_MAX)),
  }),
  v.object({ kind: v.literal('prepared'), run: RUN }),
  v.object({ kind: v.literal('started'), run: RUN }),
  /** Of an upload: received by so long after the first byte, on the sink's clock. */
  v.object({ kind: v.literal('sample'), run: RUN, elapsedUs: COUNT, bytes: COUNT }),
  v.object({
    kind: v.literal('stopped'),
    run: RUN,
    /** Received or sent by the sink. */
    bytes: COUNT,
    /** By the sink's kernel, which counts what it sends; null where it does not tell. */
    retransmits: v.nullable(COUNT),
    /** Why it stopped of itself; '' where the source asked. */
    reason: TEXT,
  }),
]);

export type ToSink = v.InferOutput<typeof toSinkSchema>;
export type ToSource = v.InferOutput<typeof toSourceSchema>;
