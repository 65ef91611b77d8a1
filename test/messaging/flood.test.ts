// Floods between two processes. zeromq 6.8.0 was seen to abort a process whose sockets were in worker threads; with the
// sockets on the main threads of two processes 26 floods ran, and they are run again here.

import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { MessageCodec } from '../../src/messaging/codec.ts';
import { LOSSLESS, type MessagePublisher } from '../../src/messaging/publisher.ts';
import { openSocketFolder } from '../../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../src/messaging/zeromq/zeromq-publisher.ts';
import { entryUrl } from '../../src/process/entry.ts';
import { type OwnProcess, startOwnProcess } from '../../src/process/own-process.ts';
import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';
import { longCount } from '../support/counts.ts';

const RECORDS_PER_SECOND = 50_000;
const SECONDS = longCount(1, 60);
const FLUSH_MS = 20;
const FLOODS = longCount(1, 26);

const bytesCodec: MessageCodec<Uint8Array> = {
  encode: payload => ({ topic: 'flood', payload }),
  decode: payload => payload,
  onDecodeError: () => undefined,
};

describe('two processes', () => {
  test(`carry ${RECORDS_PER_SECOND} records a second for ${SECONDS} s without loss`, async () => {
    await using flood = await startFlood('ipc', 'batches', LOSSLESS.highWaterMark);
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0 });
    const flush = (): void => {
      const bytes = writer.take();
      if (bytes !== undefined) expect(flood.publisher.publish(bytes)).toBe(true);
    };
    const total = RECORDS_PER_SECOND * SECONDS;
    const startedMs = performance.now();
    for (let sent = 0; sent < total; ) {
      const due = Math.min(total, ((performance.now() - startedMs) * RECORDS_PER_SECOND) / 1_000);
      for (; sent < due; sent += 1) {
        if (!writer.writeRecvFirst(sent, sent * 20_000, sent * 20_000)) {
          flush();
          writer.writeRecvFirst(sent, sent * 20_000, sent * 20_000);
        }
      }
      flush();
      await pause(FLUSH_MS);
    }
    flood.publisher.publish(new Uint8Array(0));
    expect((await flood.subscriber.exited).lastMessage).toMatchObject({ records: total, lostBatches: 0 });
    expect(flood.publisher.droppedCount).toBe(0);
  }, 120_000);

  test('part when one is killed: the publisher forgets it, and what waited for it', async () => {
    await using flood = await startFlood('ipc', 'numbers', 4);
    process.kill(flood.subscriber.pid, 'SIGSTOP');
    while (flood.publisher.publish(Buffer.alloc(1024 * 1024))) await pause(1);
    expect(flood.publisher.queuedBytes).toBeGreaterThan(0);
    await flood.subscriber.kill();
    while (flood.publisher.queuedBytes > 0 || flood.publisher.subscriberCount > 0) await pause(1);
    expect(flood.publisher.publish(Buffer.alloc(1))).toBe(true);
  });

  test.each(floodCases())(
    'survive flood %i: %i messages of %i bytes over %s',
    async (_, count, size, kind) => {
      await using flood = await startFlood(kind, 'numbers', 100);
      for (let sent = 0; sent < count; ) {
        const message = Buffer.alloc(size);
        message.writeUInt32LE(sent);
        if (flood.publisher.queuedBytes > 32 * 1024 * 1024) await pause(1);
        else if (flood.publisher.publish(message)) sent += 1;
      }
      flood.publisher.publish(new Uint8Array(0));
      expect(await flood.subscriber.exited).toMatchObject({
        // Its exit code shows whether it survived; on a busy machine the library warns that it waits for its
        // threads.
        code: 0,
        signal: null,
        lastMessage: { messages: count, outOfOrder: 0 },
      });
    },
    120_000,
  );
});

interface Flood extends AsyncDisposable {
  readonly publisher: MessagePublisher<Uint8Array>;
  readonly subscriber: OwnProcess;
}

const startFlood = async (
  kind: 'ipc' | 'tcp',
  content: 'batches' | 'numbers',
  highWaterMark: number,
): Promise<Flood> => {
  const folder = await openSocketFolder(tmpdir());
  const endpoint = kind === 'ipc' ? folder.endpoint('flood') : 'tcp://127.0.0.1:*';
  const publisher = await openZeromqPublisher(endpoint, bytesCodec, { ...LOSSLESS, highWaterMark });
  const subscriber = await startOwnProcess({
    entry: entryUrl(import.meta.url, './flood-subscriber.ts'),
    args: [publisher.endpoint, content],
    nodePath: process.execPath,
    env: process.env,
    readyTimeoutMs: 25_000,
    signal: AbortSignal.timeout(25_000),
  });
  await publisher.waitForSubscribers(1, AbortSignal.timeout(25_000));
  return {
    publisher,
    subscriber,
    [Symbol.asyncDispose]: async () => {
      await publisher.close(1_000);
      await subscriber[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};

function floodCases(): [number, number, number, 'ipc' | 'tcp'][] {
  return Array.from({ length: FLOODS }, (_, index) => {
    const kind = index % 2 === 0 ? 'ipc' : 'tcp';
    return index % 4 < 2
      ? [index + 1, longCount(50_000, 200_000), 200, kind]
      : [index + 1, 40_000, 32_768, kind];
  });
}
