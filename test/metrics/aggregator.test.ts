import { describe, expect, onTestFinished, test } from 'vitest';
import type { EventRecord } from '../../src/core/run/event-record.ts';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { eventBatchCodec } from '../../src/messaging/event-batch-codec.ts';
import { LOSSLESS, NEWEST_WINS } from '../../src/messaging/publisher.ts';
import { snapshotCodec } from '../../src/messaging/snapshot-message-codec.ts';
import { EVERY_MESSAGE, type MessageSubscriber } from '../../src/messaging/subscriber.ts';
import { Aggregator, type AggregatorOptions } from '../../src/metrics/aggregator.ts';
import type { FinalDelivery } from '../../src/metrics/metrics-publisher.ts';
import { recordsLost } from '../../src/metrics/report-sources.ts';
import { type EventBatch, readEventBatch } from '../../src/wire/event-batch.ts';
import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';
import { MemoryHub } from '../support/memory-hub.ts';
import { named } from '../support/run-metrics.ts';
import { complete, failed, issued, session } from '../support/run-records.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const START = session('session.started');
const TRACK = session('session.start_performance_tracking');
const END = session('session.ended', 100);

/** An aggregator in memory, on a clock that the test advances. */
class Bench {
  readonly clock = new VirtualClock();
  readonly terminate = new AbortController();
  readonly interrupt = new AbortController();
  readonly parentGone = new AbortController();
  readonly snapshots: MetricsSnapshot[] = [];
  readonly files: MetricsSnapshot[] = [];
  readonly lookedAt: boolean[] = [];
  readonly aggregator: Aggregator;
  readonly running: Promise<FinalDelivery>;
  readonly #hub = new MemoryHub();
  readonly #events = this.#hub.openPublisher('events', eventBatchCodec, LOSSLESS);
  readonly #writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });

  constructor(
    options: Partial<AggregatorOptions> = {},
    writeFile: (snapshot: MetricsSnapshot) => Promise<void> = async snapshot =>
      void this.files.push(snapshot),
  ) {
    const viewer = this.#hub.openSubscriber('snapshots', snapshotCodec, EVERY_MESSAGE);
    void (async () => {
      for await (const snapshot of viewer.items) this.snapshots.push(snapshot);
    })();
    this.aggregator = new Aggregator(
      {
        clock: this.clock,
        monotonicNs: () => BigInt(Math.round(this.clock.nowMs() * 1e6)),
        subscriber: this.#hub.openSubscriber('events', eventBatchCodec, EVERY_MESSAGE),
        publisher: this.#hub.openPublisher('snapshots', snapshotCodec, NEWEST_WINS),
        writeFile,
        lookedAt: isLookedAt => this.lookedAt.push(isLookedAt),
      },
      { pattern: { kind: 'max-throughput' }, isStreaming: true, objectives: [], ...options },
    );
    this.running = this.aggregator.run({
      terminate: this.terminate.signal,
      interrupt: this.interrupt.signal,
      parentGone: this.parentGone.signal,
    });
    onTestFinished(async () => {
      this.terminate.abort();
      await this.running.catch(() => undefined);
      await viewer.close();
      await this.#events.close(0);
    });
  }

  batch(...records: readonly EventRecord[]): EventBatch {
    for (const record of records) this.#writer.write(record);
    const bytes = this.#writer.take();
    if (bytes === undefined) throw new Error('an empty batch');
    return readEventBatch(bytes);
  }

  /** Resolves when the aggregator has taken them. */
  async send(...records: readonly EventRecord[]): Promise<void> {
    this.publish(this.batch(...records));
    await this.advance(0);
  }

  /** Moves time on, and lets what was published meanwhile arrive. */
  async advance(durationMs: number): Promise<void> {
    await this.clock.advance(durationMs);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve));
  }

  look(): MessageSubscriber<MetricsSnapshot> {
    return this.#hub.openSubscriber('snapshots', snapshotCodec, EVERY_MESSAGE);
  }

  publish(batch: EventBatch): void {
    this.#events.publish(batch);
  }

  get last(): MetricsSnapshot | undefined {
    return this.snapshots.at(-1);
  }
}

describe('snapshots', () => {
  test('come at a fixed rate from the start of the session on, however long one takes', async () => {
    const bench = new Bench();
    await bench.advance(1_000);
    expect(bench.snapshots).toEqual([]);
    await bench.send(START);
    await bench.advance(1_000);
    expect(bench.snapshots.map(({ timestampNs }) => timestampNs / 1e6)).toEqual([
      1_200, 1_400, 1_600, 1_800, 2_000,
    ]);
    expect(bench.snapshots.map(({ seq, state }) => [seq, state])).toEqual(
      [1, 2, 3, 4, 5].map(seq => [seq, 'live']),
    );
  });

  test('show what was counted up to then', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10), issued(2, 10), complete(1, 30));
    await bench.advance(200);
    const { counters, series } = named(bench.last?.metrics ?? []);
    expect(counters).toMatchObject({ samplesIssued: 2, trackedSamplesCompleted: 1, windowNs: 20 });
    expect(series['latencyNs']).toMatchObject({ count: 1, isExact: false });
  });

  test('of a run that its owner does not look at come each 5 s unless somebody else looks', async () => {
    const bench = new Bench({ isLookedAt: false });
    await bench.send(START, TRACK, issued(1, 10));
    await bench.advance(5_200);
    const watcher = bench.look();
    await bench.advance(400);
    await watcher.close();
    await bench.advance(5_000);
    expect(bench.snapshots.map(({ timestampNs }) => timestampNs / 1e6)).toEqual([
      5_000, 5_400, 5_600, 10_600,
    ]);
    expect(bench.lookedAt).toEqual([true, false]);
    await bench.send(complete(1, 30), END);
    await bench.running;
    expect(bench.last).toMatchObject({ state: 'complete' });
  });

  test('refuse a rate that nobody could want', () => {
    expect(() => new Bench({ refreshHz: 0 })).toThrow(RangeError);
  });
});

describe('the end of a session', () => {
  test('gives one complete account by message and to disk, and nothing after it', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10), complete(1, 30), END);
    const delivery = await bench.running;
    expect(delivery).toEqual({ state: 'complete', message: { kind: 'done' }, disk: { kind: 'done' } });
    await bench.advance(5_000);
    expect(bench.files).toEqual([bench.last]);
    expect(bench.last).toMatchObject({ state: 'complete', pendingTasks: 0 });
    expect(bench.snapshots.filter(({ state }) => state === 'complete').length).toBe(1);
    expect(named(bench.last?.metrics ?? []).series['latencyNs']).toMatchObject({ isExact: true });
  });

  test('waits for background tasks, and reports draining meanwhile', async () => {
    const bench = new Bench();
    await bench.send(START);
    const slow = Promise.withResolvers<void>();
    bench.aggregator.table.startTask(() => slow.promise);
    await bench.send(END);
    await bench.advance(10_000);
    expect(bench.last).toMatchObject({ state: 'draining', pendingTasks: 1 });
    slow.resolve();
    await expect(bench.running).resolves.toMatchObject({ state: 'complete' });
    expect(bench.files[0]).toMatchObject({ state: 'complete', pendingTasks: 0 });
  });

  test('cancels what has not finished after 30 s, and the account reports how many', async () => {
    const bench = new Bench();
    await bench.send(START);
    const cancelled: string[] = [];
    for (const name of ['one', 'two'])
      bench.aggregator.table.startTask(
        signal =>
          new Promise(resolve =>
            signal.addEventListener('abort', () => {
              cancelled.push(name);
              resolve();
            }),
          ),
      );
    bench.aggregator.table.startTask(() => Promise.resolve());
    await bench.send(END);
    await bench.advance(29_999);
    expect(cancelled).toEqual([]);
    await bench.advance(1);
    await bench.running;
    expect(cancelled).toEqual(['one', 'two']);
    expect(bench.files[0]).toMatchObject({ state: 'complete', pendingTasks: 2 });
  });

  test('counts what comes after it', async () => {
    const bench = new Bench();
    await bench.send(START);
    bench.aggregator.table.startTask(() => new Promise(() => {}));
    await bench.send(END);
    await bench.send(issued(9, 200), failed(9, 300));
    await bench.advance(30_000);
    await bench.running;
    expect(named(bench.files[0]?.metrics ?? []).counters).toMatchObject({
      recordsAfterEnd: 2,
      samplesIssued: 0,
    });
  });
});

describe('the final account', () => {
  test('goes by message when the disk refuses, and reports it', async () => {
    const bench = new Bench({}, () => Promise.reject(new Error('ENOSPC: no space left on device')));
    await bench.send(START, END);
    expect((await bench.running).disk).toEqual({ kind: 'failed', reason: 'ENOSPC: no space left on device' });
    expect(bench.last?.state).toBe('complete');
    expect(named(bench.last?.metrics ?? []).counters['finalFileFailed']).toBe(1);
  });

  test('goes by message when the disk hangs', async () => {
    const bench = new Bench({}, () => new Promise(() => {}));
    await bench.send(START, END);
    await bench.advance(2_000);
    expect((await bench.running).disk).toMatchObject({ kind: 'failed' });
    expect(bench.last?.state).toBe('complete');
  });
});

describe('an account that is cut short', () => {
  test('by SIGTERM is interrupted, with everything that was counted', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10), complete(1, 30), issued(2, 40));
    bench.terminate.abort();
    expect((await bench.running).state).toBe('interrupted');
    expect(bench.files[0]?.state).toBe('interrupted');
    expect(named(bench.files[0]?.metrics ?? []).counters).toMatchObject({
      samplesIssued: 2,
      samplesCompleted: 1,
    });
  });

  test('before anything began is interrupted too', async () => {
    const bench = new Bench();
    bench.terminate.abort();
    expect((await bench.running).state).toBe('interrupted');
    expect(bench.files).toHaveLength(1);
  });

  test('by SIGTERM while it drains is complete with tasks pending', async () => {
    const bench = new Bench();
    await bench.send(START);
    bench.aggregator.table.startTask(() => new Promise(() => {}));
    await bench.send(END);
    bench.terminate.abort();
    await bench.running;
    expect(bench.files[0]).toMatchObject({ state: 'complete', pendingTasks: 1 });
  });

  test('by Ctrl-C takes records until the session ends, and is interrupted', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10));
    bench.interrupt.abort();
    await bench.advance(4_000);
    await bench.send(complete(1, 30, { outcome: 'cancelled' }), END);
    expect((await bench.running).state).toBe('interrupted');
    expect(named(bench.files[0]?.metrics ?? []).counters).toMatchObject({ trackedSamplesCancelled: 1 });
  });

  test('by Ctrl-C waits 5 s at most for a session that does not end', async () => {
    const bench = new Bench();
    await bench.send(START);
    bench.interrupt.abort();
    await bench.advance(4_999);
    expect(bench.files).toEqual([]);
    await bench.advance(1);
    expect((await bench.running).state).toBe('interrupted');
  });

  test("by its parent's death is written to disk as interrupted", async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10));
    bench.parentGone.abort();
    expect((await bench.running).disk).toEqual({ kind: 'done' });
    expect(bench.files[0]?.state).toBe('interrupted');
  });
});

describe('batches', () => {
  test('that are missing are counted by the records they held', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK);
    bench.batch(issued(1, 10), issued(2, 10), complete(1, 20));
    await bench.send(issued(3, 30), complete(3, 50), END);
    await bench.running;
    expect(named(bench.files[0]?.metrics ?? []).counters).toMatchObject({
      droppedEvents: 3,
      samplesIssued: 1,
    });
  });

  test('that are lost behind the last one of their sender show by its own count', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10));
    const tail = bench.batch(complete(1, 20), issued(2, 30));
    const end = new EventBatchWriter({ sourceId: 0, runZeroNs: 0 });
    end.write(END);
    bench.publish(readEventBatch(end.take() ?? new Uint8Array()));
    await bench.running;
    const [snapshot] = bench.files;
    expect(named(snapshot?.metrics ?? []).counters).toMatchObject({ droppedEvents: 0, recordsReceived: 4 });
    expect(recordsLost(4 + tail.recordCount, snapshot)).toBe(2);
    expect(recordsLost(4, snapshot)).toBe(0);
  });

  test('of a run that was cut short are not called lost', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK, issued(1, 10));
    bench.terminate.abort();
    await bench.running;
    expect(recordsLost(100, bench.files[0])).toBe(0);
  });

  test('that come twice count once', async () => {
    const bench = new Bench();
    await bench.send(START, TRACK);
    const batch = bench.batch(issued(1, 10), complete(1, 20));
    bench.publish(batch);
    bench.publish(batch);
    await bench.send(END);
    await bench.running;
    expect(named(bench.files[0]?.metrics ?? []).counters).toMatchObject({
      recordsDuplicate: 2,
      samplesCompleted: 1,
      droppedEvents: 0,
    });
  });
});
