// The rules of the event log: when it flushes, what it drops, how it ends. Against a scripted sink in memory.

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EventLog, type EventLogOptions, type EventLogSink } from '../../src/metrics/event-log.ts';
import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { SampleBatches } from './event-batches.ts';

class MemorySink implements EventLogSink {
  readonly appended: string[] = [];
  isClosed = false;
  /** What an append waits for, and may be refused by. */
  before: () => Promise<void> = async () => undefined;

  get lines(): readonly Record<string, unknown>[] {
    return this.appended
      .join('')
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line));
  }

  async append(text: string): Promise<void> {
    await this.before();
    this.appended.push(text);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const open = (changes: Partial<EventLogOptions> = {}) => {
  const clock = new VirtualClock();
  const sink = new MemorySink();
  const log = new EventLog(sink, { clock, queueBytesMax: 1024 * 1024, drainMs: 1_000, ...changes });
  return { clock, sink, log, running: log.run() };
};

describe('the event log', () => {
  test('is written when 100 records are there, and not before', async () => {
    const { clock, sink, log } = open();
    const batches = new SampleBatches();
    log.take(batches.issued(99));
    await clock.advance(0);
    expect(sink.appended).toEqual([]);
    log.take(batches.issued(1));
    await clock.advance(0);
    expect(sink.appended.length).toBe(1);
    expect(sink.lines.length).toBe(101);
  });

  test('is written half a second after the first record that waits', async () => {
    const { clock, sink, log } = open();
    const batches = new SampleBatches();
    log.take(batches.issued(1));
    await clock.advance(300);
    log.take(batches.issued(1));
    await clock.advance(199);
    expect(sink.appended).toEqual([]);
    await clock.advance(1);
    expect(sink.lines.length).toBe(3);
  });

  test('reports what its times count from, and ends with an account of itself', async () => {
    const { sink, log, running } = open();
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 77 });
    writer.write({
      kind: 'sample.complete',
      sampleId: 4,
      atNs: 9,
      outcome: 'cancelled',
      firstAnswerNs: -1,
      firstByteNs: -1,
      inputTokens: -1,
      outputTokens: 12,
      chunkCount: 0,
      finishReason: 'missing',
      bytesSent: 10,
      bytesReceived: 0,
      answerHash: 1,
    });
    writer.write({ kind: 'session.ended', atNs: 10 });
    log.take(writer.take() ?? new Uint8Array());
    expect(await running).toEqual({
      kind: 'summary',
      ending: 'ended',
      recordsWritten: 2,
      recordsDropped: 0,
      recordsMissed: 0,
    });
    expect(sink.isClosed).toBe(true);
    expect(sink.lines).toEqual([
      { kind: 'log.opened', schema: 'plimsoll.events/1', runZeroNs: 77 },
      {
        kind: 'sample.complete',
        sampleId: 4,
        atNs: 9,
        outcome: 'cancelled',
        firstAnswerNs: null,
        firstByteNs: null,
        inputTokens: null,
        outputTokens: 12,
        chunkCount: 0,
        finishReason: 'missing',
        bytesSent: 10,
        bytesReceived: 0,
        answerHash: 1,
      },
      { kind: 'session.ended', atNs: 10 },
      { kind: 'log.closed', recordsWritten: 2, recordsDropped: 0, recordsMissed: 0 },
    ]);
  });

  test('drops and counts what its queue cannot hold while the disk is slow', async () => {
    const { clock, sink, log, running } = open({ queueBytesMax: 20_000 });
    const batches = new SampleBatches();
    const disk = Promise.withResolvers<void>();
    sink.before = () => disk.promise;
    log.take(batches.issued(100));
    await clock.advance(0);
    for (let index = 0; index < 50; index += 1) log.take(batches.issued(100));
    disk.resolve();
    await clock.advance(0);
    log.take(batches.ended());
    const summary = await running;
    expect(summary.recordsDropped).toBeGreaterThan(0);
    expect(summary.recordsWritten + summary.recordsDropped).toBe(batches.recordsWritten);
    expect(sink.lines.length).toBe(summary.recordsWritten + 2);
  });

  test('counts what a full disk refused, and goes on when there is room', async () => {
    const { clock, sink, log, running } = open();
    const batches = new SampleBatches();
    sink.before = async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    log.take(batches.issued(100));
    await clock.advance(0);
    sink.before = async () => undefined;
    log.take(batches.issued(150));
    log.take(batches.ended());
    expect(await running).toEqual({
      kind: 'summary',
      ending: 'ended',
      recordsWritten: 151,
      recordsDropped: 100,
      recordsMissed: 0,
      errorCode: 'ENOSPC',
    });
    expect(sink.lines[0]?.['kind']).toBe('log.opened');
  });

  test('counts what never came', async () => {
    const { log, running } = open();
    const batches = new SampleBatches();
    log.take(batches.issued(5));
    batches.issued(7);
    batches.issued(8);
    log.take(batches.ended());
    expect(await running).toMatchObject({ recordsWritten: 6, recordsDropped: 0, recordsMissed: 15 });
  });

  test('counts a batch whose records cannot be read', async () => {
    const { log, running } = open();
    const batches = new SampleBatches();
    const broken = batches.issued(3);
    broken[40] = 99;
    log.take(broken);
    log.take(batches.ended());
    expect(await running).toMatchObject({ recordsWritten: 1, recordsDropped: 3 });
  });

  test('writes what waits when it is stopped, then closes', async () => {
    const { sink, log, running } = open();
    const batches = new SampleBatches();
    for (let index = 0; index < 30; index += 1) log.take(batches.issued(10));
    log.stop();
    log.take(batches.issued(1));
    expect(await running).toMatchObject({ ending: 'stopped', recordsWritten: 300, recordsDropped: 1 });
    expect(sink.isClosed).toBe(true);
  });

  test('gives a stuck disk one second when it is stopped', async () => {
    const { clock, sink, log, running } = open();
    const batches = new SampleBatches();
    sink.before = () => new Promise(() => undefined);
    for (let index = 0; index < 3; index += 1) log.take(batches.issued(100));
    await clock.advance(0);
    log.stop();
    await clock.advance(999);
    let isDone = false;
    const ended = running.then(summary => {
      isDone = true;
      return summary;
    });
    await clock.advance(0);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(await ended).toMatchObject({ ending: 'stopped', recordsWritten: 0, recordsDropped: 300 });
  });
});

test('a file on a full disk holds whole lines only, and takes more once there is room', context => {
  if (!canMount()) context.skip('needs a mount namespace of its own (unshare --mount)');
  using directory = temporaryDirectory();
  const script = `mount -t tmpfs -o size=1m plimsoll "$1" && exec "$2" "$3" "$1"`;
  const filler = fileURLToPath(new URL('./event-log-filler.ts', import.meta.url));
  const ran = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-ec', script, 'sh', directory.path, process.execPath, filler],
    { encoding: 'utf8' },
  );
  expect(ran.stderr).toBe('');
  const { code, accepted, whole, acceptedAfterwards } = JSON.parse(ran.stdout);
  expect(code).toBe('ENOSPC');
  expect(accepted).toBeGreaterThan(5);
  expect(whole).toBe(accepted + acceptedAfterwards);
  expect(acceptedAfterwards).toBe(1);
});

const canMount = (): boolean => {
  try {
    execFileSync('unshare', ['--map-root-user', '--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
