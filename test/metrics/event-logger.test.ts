// The event logger as a process: what it writes, and that nothing that happens to it, its disk or its parent keeps it
// alive or the run waiting.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eventBatchBytesCodec } from '../../src/messaging/event-batch-codec.ts';
import { LOSSLESS, type MessagePublisher } from '../../src/messaging/publisher.ts';
import { openSocketFolder } from '../../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../src/messaging/zeromq/zeromq-publisher.ts';
import { entryUrl } from '../../src/process/entry.ts';
import { type OwnProcess, startOwnProcess } from '../../src/process/own-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { SampleBatches } from './event-batches.ts';

describe('the event logger', () => {
  test('writes every record of a session, then reports how many and ends', async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'events.jsonl');
    await using run = await startRun(file);
    const batches = new SampleBatches();
    for (let index = 0; index < 200; index += 1) run.publisher.publish(batches.issued(73));
    run.publisher.publish(batches.ended());
    const exit = await run.logger.exited;
    expect(exit).toMatchObject({
      code: 0,
      stderr: '',
      lastMessage: {
        kind: 'summary',
        ending: 'ended',
        recordsWritten: batches.recordsWritten,
        recordsDropped: 0,
        recordsMissed: 0,
      },
    });
    const lines = linesOf(file);
    expect(lines[0]).toEqual({ kind: 'log.opened', schema: 'plimsoll.events/1', runZeroNs: 1_000 });
    expect(lines.slice(1, -2).map(line => line['sampleId'])).toEqual(
      Array.from({ length: 200 * 73 }, (_, index) => index),
    );
    expect(lines.at(-2)?.['kind']).toBe('session.ended');
    expect(lines.at(-1)).toMatchObject({ kind: 'log.closed', recordsWritten: batches.recordsWritten });
  });

  test('closes its file when its parent asks, and lets signals be the business of the main process', async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'events.jsonl');
    await using run = await startRun(file);
    const batches = new SampleBatches();
    run.publisher.publish(batches.issued(30));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(run.logger.pid, signal);
    run.publisher.publish(batches.issued(90));
    while (linesOf(file).length < 1 + 120) await pause(10);
    const exit = await run.logger.stop(20_000);
    expect(exit).toMatchObject({
      code: 0,
      lastMessage: { kind: 'summary', ending: 'stopped', recordsWritten: 120 },
    });
    expect(linesOf(file).at(-1)).toMatchObject({ kind: 'log.closed', recordsWritten: 120 });
  });

  test('counts what a full disk does not take, and holds nobody up', async context => {
    if (!existsSync('/dev/full')) context.skip('needs /dev/full');
    await using run = await startRun('/dev/full');
    const batches = new SampleBatches();
    for (let index = 0; index < 100; index += 1) run.publisher.publish(batches.issued(500));
    run.publisher.publish(batches.ended());
    expect(await run.logger.exited).toMatchObject({
      code: 0,
      stderr: 'events.jsonl: ENOSPC\n',
      lastMessage: { recordsWritten: 0, recordsDropped: batches.recordsWritten, errorCode: 'ENOSPC' },
    });
    expect(run.publisher.droppedCount).toBe(0);
  });

  test('takes everything from the publisher while its disk is stuck, and still ends on request', async context => {
    if (process.platform === 'win32') context.skip('needs named pipes');
    using directory = temporaryDirectory();
    const pipe = join(directory.path, 'events.jsonl');
    execFileSync('mkfifo', [pipe]);
    // Held open and never read: the first 64 KiB are taken, then every write waits.
    const reader = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    await using run = await startRun(pipe);
    const batches = new SampleBatches();
    for (let index = 0; index < 400; index += 1) {
      run.publisher.publish(batches.issued(500));
      while (run.publisher.queuedBytes > 0) await pause(1);
    }
    expect(run.publisher.droppedCount).toBe(0);
    const exit = await run.logger.stop(20_000);
    expect(exit.lastMessage).toMatchObject({ kind: 'summary', ending: 'stopped' });
    expect(JSON.stringify(exit.lastMessage)).toMatch(/"recordsDropped":[1-9]/);
    await reader.close();
  });

  test('that cannot open its file reports it and ends', async () => {
    await expect(startRun('/nowhere/events.jsonl')).rejects.toThrow(/ENOENT.*\/nowhere\/events\.jsonl/);
  });

  test('closes its file, removes the sockets and ends when its parent is killed', async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'events.jsonl');
    const parent = spawn(
      process.execPath,
      [fileURLToPath(new URL('./event-log-parent.ts', import.meta.url)), file],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const { loggerPid, folder } = JSON.parse(String(line));
    // What is queued in a socket is lost with its process.
    while (linesOf(file).length < 2) await pause(10);
    parent.kill('SIGKILL');
    await once(parent, 'close');
    while (isAlive(loggerPid)) await pause(10);
    const lines = linesOf(file);
    // What the dead process had not put into its socket yet is gone with it.
    const recordsWritten = lines.length - 2;
    expect(lines.at(-1)).toMatchObject({ kind: 'log.closed', recordsWritten });
    expect(recordsWritten).toBeGreaterThan(0);
    expect(existsSync(folder)).toBe(false);
  });
});

interface Run extends AsyncDisposable {
  readonly publisher: MessagePublisher<Uint8Array>;
  readonly logger: OwnProcess;
}

const startRun = async (file: string): Promise<Run> => {
  const folder = await openSocketFolder(tmpdir());
  const publisher = await openZeromqPublisher(folder.endpoint('events'), eventBatchBytesCodec, LOSSLESS);
  const close = async (): Promise<void> => {
    await publisher.close(0);
    await folder.remove();
  };
  try {
    const logger = await startOwnProcess({
      entry: entryUrl(import.meta.url, '../../src/metrics/event-logger-process.ts'),
      args: [JSON.stringify({ endpoint: publisher.endpoint, file })],
      nodePath: process.execPath,
      env: process.env,
      readyTimeoutMs: 25_000,
      signal: AbortSignal.timeout(25_000),
    });
    await publisher.waitForSubscribers(1, AbortSignal.timeout(25_000));
    return {
      publisher,
      logger,
      [Symbol.asyncDispose]: async () => {
        await logger[Symbol.asyncDispose]();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

/** A process that nobody has waited for yet is dead all the same. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
