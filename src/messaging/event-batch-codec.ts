// Event batches as messages. The sender and the event logger pass bytes on unchanged; the aggregator decodes
// records. A batch that cannot be decoded yields nothing, is counted by the subscriber, and is visible as a
// gap in the batch numbers.

import { type EventBatch, readEventBatch } from '../wire/event-batch.ts';
import { readEventBatchHeader } from '../wire/event-batch-header.ts';
import type { MessageCodec } from './codec.ts';

const EVENT_BATCH_TOPIC = 'batch';

/** Checks the header only. */
export const eventBatchBytesCodec: MessageCodec<Uint8Array> = {
  encode: bytes => ({ topic: EVENT_BATCH_TOPIC, payload: bytes }),
  decode: payload => {
    readEventBatchHeader(payload);
    return payload;
  },
  onDecodeError: () => undefined,
};

/** Whole batches or none. */
export const eventBatchCodec: MessageCodec<EventBatch> = {
  encode: batch => ({ topic: EVENT_BATCH_TOPIC, payload: batch.bytes }),
  decode: readEventBatch,
  onDecodeError: () => undefined,
};
