import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { MessagingError } from '../../src/messaging/messaging-error.ts';
import { openSocketFolder, removeOtherSockets } from '../../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../src/messaging/zeromq/zeromq-publisher.ts';
import { openZeromqSubscriber } from '../../src/messaging/zeromq/zeromq-subscriber.ts';
import { describeMessaging, noteCodec, withDefaults } from '../contract/messaging-contract.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describeMessaging('the transport over ZeroMQ', async () => {
  const folder = await openSocketFolder(tmpdir());
  const endpoint = folder.endpoint('notes');
  return {
    publisher: (options, codec = noteCodec) =>
      openZeromqPublisher(endpoint, codec, withDefaults.publisher(options)),
    subscriber: (options, codec = noteCodec) =>
      openZeromqSubscriber(endpoint, codec, withDefaults.subscriber(options)),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
});

test('TCP is there for those who ask, on a port of its own', async () => {
  await using publisher = await openZeromqPublisher('tcp://127.0.0.1:*', noteCodec, withDefaults.publisher());
  expect(publisher.endpoint).toMatch(/^tcp:\/\/127\.0\.0\.1:\d+$/);
  await using subscriber = await openZeromqSubscriber(
    publisher.endpoint,
    noteCodec,
    withDefaults.subscriber(),
  );
  await subscriber.ready(AbortSignal.timeout(25_000));
  publisher.publish({ topic: 'note', text: 'over TCP' });
  for await (const { text } of subscriber.items) {
    expect(text).toBe('over TCP');
    break;
  }
});

test('an endpoint that cannot be had is an error with its reason', async () => {
  await using publisher = await openZeromqPublisher('tcp://127.0.0.1:*', noteCodec, withDefaults.publisher());
  const taken = openZeromqPublisher(publisher.endpoint, noteCodec, withDefaults.publisher());
  await expect(taken).rejects.toThrow(/EADDRINUSE/);
  const missing = openZeromqPublisher('ipc:///nowhere/at/all/notes', noteCodec, withDefaults.publisher());
  await expect(missing).rejects.toMatchObject({ code: 'endpoint' } satisfies Partial<MessagingError>);
  const nonsense = openZeromqSubscriber('carrier pigeon', noteCodec, withDefaults.subscriber());
  await expect(nonsense).rejects.toMatchObject({ code: 'endpoint' });
});

test('a worker thread is refused before the addon is loaded', async () => {
  const source = new URL('../../src/messaging/zeromq/load-zeromq.ts', import.meta.url).href;
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     import(${JSON.stringify(source)})
       .then(({ loadZeromq }) => loadZeromq())
       .then(() => 'loaded', error => error.code)
       .then(answer => parentPort.postMessage(answer));`,
    { eval: true },
  );
  const answer = await new Promise(resolve => worker.once('message', resolve));
  await worker.terminate();
  expect(answer).toBe('thread');
});

test('sockets lie in a folder that only their owner can enter, and that goes with them', async () => {
  const folder = await openSocketFolder(tmpdir());
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  await folder.remove();
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('the sockets of a killed process are removed, and nothing else', async () => {
  using directory = temporaryDirectory();
  const orphan = join(directory.path, 'plimsoll-orphan');
  await mkdir(orphan);
  await using publisher = await openZeromqPublisher(
    `ipc://${join(orphan, 'notes')}`,
    noteCodec,
    withDefaults.publisher(),
  );
  const note = join(orphan, 'note.txt');
  await writeFile(note, 'somebody keeps this');
  await removeOtherSockets(publisher.endpoint);
  expect(readdirSync(orphan)).toEqual(['note.txt']);
  await rm(note);
  await removeOtherSockets(publisher.endpoint);
  expect(existsSync(orphan)).toBe(false);
  await removeOtherSockets(publisher.endpoint);
  await removeOtherSockets('tcp://127.0.0.1:1');
  const foreign = join(directory.path, 'foreign');
  await mkdir(foreign);
  await removeOtherSockets(`ipc://${join(foreign, 'notes')}`);
  expect(existsSync(foreign)).toBe(true);
});

test('a temporary folder with a long path gives way to /tmp', async () => {
  const long = join(await mkdtemp(join(tmpdir(), 'long-')), 'x'.repeat(90));
  await mkdir(long);
  await using folder = await openSocketFolder(long);
  expect(folder.path).toMatch(/^\/tmp\/plimsoll-/);
  expect(Buffer.byteLength(folder.endpoint('a-name-of-23-characters'))).toBeLessThan(103 + 'ipc://'.length);
  expect(() => folder.endpoint('x'.repeat(100))).toThrow(RangeError);
  await rm(join(long, '..'), { recursive: true });
});
