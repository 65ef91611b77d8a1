// The messages between source and sink on the control connection, one JSON object per line. The source sends requests,
// the sink replies; unasked, the sink only reports what it has received, while an upload runs.

import * as v from 'valibot';
import { NUMBERS_MAX, type ReceivedTrain, SECRET_LENGTH, TRAINS_MAX, type Train } from './datagram-end.ts';
import { DATAGRAMS_MAX } from './datagram-tally.ts';
import { CHUNK_BYTES } from './stream.ts';

/** Messages of a source. */
export type ToSink =
  /** The number of data connections to expect, and the bytes that each may carry. */
  | {
      readonly kind: 'prepare';
      readonly run: number;
      readonly job: 'echo' | 'upload' | 'download' | 'exchange';
      readonly streams: number;
      readonly bytesMaxPerStream: number;
      /** For an exchange, what each end sends at once; a chunk if missing. */
      readonly messageBytes?: number;
      readonly durationMsMax: number;
    }
  | { readonly kind: 'start' | 'stop'; readonly run: number }
  /** Opens a UDP socket for datagrams that carry the secret. */
  | { readonly kind: 'datagrams'; readonly secret: string }
  /** Sends a train of them to where the source's came from. */
  | ({ readonly kind: 'send-train' } & Train)
  /** Reports what arrived of a train of the source. */
  | { readonly kind: 'count-train'; readonly train: number }
  /** Answered at once, during any measurement. */
  | { readonly kind: 'ping'; readonly sequence: number }
  | { readonly kind: 'bye' };

/** Messages of a sink. */
export type ToSource =
  | {
      readonly kind: 'hello';
      readonly engine: 'socket-ffi' | 'socket-event-loop';
      /** Why it is not the better engine; '' if it is. */
      readonly reason: string;
      /** Streams that its processor can drive. */
      readonly streamsMax: number;
      /** It understands `datagrams`; missing from versions before. */
      readonly hasDatagrams?: boolean;
    }
  /** `port`: null if it has none, and then why. */
  | { readonly kind: 'datagrams-ready'; readonly port: number | null; readonly reason: string }
  /** `isWhole`: '' if its packets are never divided, otherwise why they may be. */
  | { readonly kind: 'train-sent'; readonly train: number; readonly sent: number; readonly isWhole: string }
  | ({ readonly kind: 'train-counted'; readonly train: number } & ReceivedTrain)
  | { readonly kind: 'pong'; readonly sequence: number }
  | { readonly kind: 'prepared' | 'started'; readonly run: number }
  /** For an upload: received by this long after the first byte, on the sink's clock. */
  | { readonly kind: 'sample'; readonly run: number; readonly elapsedUs: number; readonly bytes: number }
  | {
      readonly kind: 'stopped';
      readonly run: number;
      /** Received or sent by the sink. */
      readonly bytes: number;
      /** By the sink's kernel, which counts what it sends; null if it does not report it. */
      readonly retransmits: number | null;
      /** Why it stopped by itself; '' if the source asked. */
      readonly reason: string;
    };

const RUN = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffff));
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const TEXT = v.pipe(v.string(), v.maxLength(300));
const TRAIN = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(TRAINS_MAX));
const PORT = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
const PACKET_BYTES = v.pipe(v.number(), v.integer(), v.minValue(64), v.maxValue(65_535));

export const STREAMS_MAX: number = 8;
/** Between two datagrams: 2,000 a second. */
export const INTERVAL_US_MIN: number = 500;
/** One measurement of one direction with one number of streams; what a source requests beyond this is cut. */
export const RUN_MS_MAX: number = 10_000;

export const toSinkSchema: v.GenericSchema<unknown, ToSink> = v.variant('kind', [
  v.object({
    kind: v.literal('prepare'),
    run: RUN,
    job: v.picklist(['echo', 'upload', 'download', 'exchange']),
    streams: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(STREAMS_MAX)),
    bytesMaxPerStream: COUNT,
    messageBytes: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(CHUNK_BYTES))),
    durationMsMax: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(RUN_MS_MAX)),
  }),
  v.object({ kind: v.literal('start'), run: RUN }),
  v.object({ kind: v.literal('stop'), run: RUN }),
  v.object({
    kind: v.literal('datagrams'),
    secret: v.pipe(v.string(), v.length(SECRET_LENGTH), v.hexadecimal()),
  }),
  v.object({
    kind: v.literal('send-train'),
    train: TRAIN,
    sizes: v.pipe(v.array(PACKET_BYTES), v.minLength(1), v.maxLength(NUMBERS_MAX)),
    count: v.pipe(COUNT, v.minValue(1), v.maxValue(DATAGRAMS_MAX)),
    intervalUs: v.pipe(COUNT, v.minValue(INTERVAL_US_MIN), v.maxValue(1_000_000)),
  }),
  v.object({ kind: v.literal('count-train'), train: TRAIN }),
  v.object({ kind: v.literal('ping'), sequence: COUNT }),
  v.object({ kind: v.literal('bye') }),
]);

export const toSourceSchema: v.GenericSchema<unknown, ToSource> = v.variant('kind', [
  v.object({
    kind: v.literal('hello'),
    engine: v.picklist(['socket-ffi', 'socket-event-loop']),
    reason: TEXT,
    streamsMax: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(STREAMS_MAX)),
    hasDatagrams: v.exactOptional(v.boolean()),
  }),
  v.object({ kind: v.literal('datagrams-ready'), port: v.nullable(PORT), reason: TEXT }),
  v.object({ kind: v.literal('train-sent'), train: TRAIN, sent: COUNT, isWhole: TEXT }),
  v.object({
    kind: v.literal('train-counted'),
    train: TRAIN,
    count: COUNT,
    reordered: COUNT,
    dropped: COUNT,
    numbers: v.pipe(v.array(COUNT), v.maxLength(NUMBERS_MAX)),
  }),
  v.object({ kind: v.literal('pong'), sequence: COUNT }),
  v.object({ kind: v.literal('prepared'), run: RUN }),
  v.object({ kind: v.literal('started'), run: RUN }),
  v.object({ kind: v.literal('sample'), run: RUN, elapsedUs: COUNT, bytes: COUNT }),
  v.object({
    kind: v.literal('stopped'),
    run: RUN,
    bytes: COUNT,
    retransmits: v.nullable(COUNT),
    reason: TEXT,
  }),
]);
