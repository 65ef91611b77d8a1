// A load process without load: starts an event logger that writes to the given file, publishes some batches, and lives on.
// event-logger.test.ts kills it.

import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { eventBatchBytesCodec } from '../../src/messaging/event-batch-codec.ts';
import { LOSSLESS } from '../../src/messaging/publisher.ts';
import { openSocketFolder } from '../../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../src/messaging/zeromq/zeromq-publisher.ts';
import { entryUrl } from '../../src/process/entry.ts';
import { startOwnProcess } from '../../src/process/own-process.ts';
import { SampleBatches } from './event-batches.ts';

const [file = ''] = process.argv.slice(2);
const folder = await openSocketFolder(tmpdir());
const publisher = await openZeromqPublisher(folder.endpoint('events'), eventBatchBytesCodec, LOSSLESS);
const logger = await startOwnProcess({
  entry: entryUrl(import.meta.url, '../../src/metrics/event-logger-process.ts'),
  args: [JSON.stringify({ endpoint: publisher.endpoint, file })],
  nodePath: process.execPath,
  env: process.env,
  readyTimeoutMs: 25_000,
  signal: AbortSignal.timeout(25_000),
});
await publisher.waitForSubscribers(1, AbortSignal.timeout(25_000));
const batches = new SampleBatches();
for (let index = 0; index < 50; index += 1) publisher.publish(batches.issued(50));
while (publisher.queuedBytes > 0) await pause(1);
process.stdout.write(`${JSON.stringify({ loggerPid: logger.pid, folder: folder.path })}\n`);
await pause(120_000);
