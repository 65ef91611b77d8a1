// The receiving process of flood.test.ts: counts what arrives until an empty message, then reports.

import type { MessageCodec } from '../../src/messaging/codec.ts';
import { EVERY_MESSAGE } from '../../src/messaging/subscriber.ts';
import { openZeromqSubscriber } from '../../src/messaging/zeromq/zeromq-subscriber.ts';
import { reportParent, watchParent } from '../../src/process/parent-watch.ts';
import { readEventBatch } from '../../src/wire/event-batch.ts';
import { BatchLoss } from '../../src/wire/event-batch-header.ts';

const [endpoint = '', content = ''] = process.argv.slice(2);
const bytesCodec: MessageCodec<Uint8Array> = {
  encode: payload => ({ topic: 'flood', payload }),
  decode: payload => payload,
  onDecodeError: () => undefined,
};

const parent = watchParent(process.env);
if (parent.kind === 'watching') parent.signal.addEventListener('abort', () => process.exit(1));
await using subscriber = await openZeromqSubscriber(endpoint, bytesCodec, {
  ...EVERY_MESSAGE,
  highWaterMark: 100,
});
await subscriber.ready(AbortSignal.timeout(25_000));
reportParent(process.env, { kind: 'ready' });

const loss = new BatchLoss();
let messages = 0;
let outOfOrder = 0;
let records = 0;
for await (const bytes of subscriber.items) {
  if (bytes.length === 0) break;
  if (content === 'batches') {
    const batch = readEventBatch(bytes);
    loss.note(batch);
    records += batch.records.length;
  } else if (Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE(0) !== messages) outOfOrder += 1;
  messages += 1;
}
reportParent(process.env, {
  kind: 'summary',
  messages,
  outOfOrder,
  records,
  lostBatches: loss.lostBatchCount,
});
