// How old what a viewer sees is: from the end of a sample to the arrival of the first snapshot that counts it, with the
// aggregator in its own process and real sockets, from one sample a second to fifty thousand.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../src/clock/system-clock.ts';
import { objectiveFields } from '../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../src/core/run/run-shape.ts';
import { eventBatchBytesCodec } from '../src/messaging/event-batch-codec.ts';
import { LOSSLESS } from '../src/messaging/publisher.ts';
import { snapshotCodec } from '../src/messaging/snapshot-message-codec.ts';
import { NEWEST_MESSAGE } from '../src/messaging/subscriber.ts';
import { openSocketFolder } from '../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../src/messaging/zeromq/zeromq-publisher.ts';
import { openZeromqSubscriber } from '../src/messaging/zeromq/zeromq-subscriber.ts';
import type { AggregatorArguments } from '../src/metrics/aggregator-arguments.ts';
import { MetricsSnapshotSubscriber } from '../src/metrics/metrics-snapshot-subscriber.ts';
import { entryUrl } from '../src/process/entry.ts';
import { startOwnProcess } from '../src/process/own-process.ts';
import { EventBatchWriter } from '../src/wire/event-batch-writer.ts';
import { benchSeconds, printRow } from './bench-row.ts';

/** DESIGN §4: batches go by size and by time. */
const BATCH_MS = 20;
const GAP_NS = 10_000_000;

const measure = async (samplesPerSecond: number): Promise<void> => {
  const seconds = benchSeconds(samplesPerSecond === 1 ? 60 : 10);
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'));
  await using folder = await openSocketFolder(tmpdir());
  const signal = AbortSignal.timeout(30_000);
  await using publisher = await openZeromqPublisher(
    folder.endpoint('events'),
    eventBatchBytesCodec,
    LOSSLESS,
  );
  const subscriber = await openZeromqSubscriber(folder.endpoint('snapshots'), snapshotCodec, NEWEST_MESSAGE);
  const endedAtMs: number[] = [];
  const agesMs: number[] = [];
  await using snapshots = new MetricsSnapshotSubscriber({ subscriber, clock: systemClock }, ({ metrics }) => {
    const counter = metrics.find(({ name }) => name === 'samplesCompleted');
    const seen = counter?.kind === 'counter' ? counter.value : 0;
    const nowMs = performance.now();
    for (let index = agesMs.length; index < seen; index += 1)
      agesMs.push(nowMs - (endedAtMs[index] ?? nowMs));
  });
  const reported: AggregatorArguments = {
    eventsEndpoint: publisher.endpoint,
    snapshotsEndpoint: folder.endpoint('snapshots'),
    file: join(directory, 'final_snapshot.json'),
    pattern: { kind: 'constant', requestsPerSecond: samplesPerSecond },
    shape: PLAIN_SHAPE,
    isStreaming: true,
    ...objectiveFields([], 1),
  };
  await using child = await startOwnProcess({
    entry: entryUrl(import.meta.url, '../src/metrics/aggregator-process.ts'),
    args: [JSON.stringify(reported)],
    nodePath: process.execPath,
    env: process.env,
    readyTimeoutMs: 30_000,
    signal,
  });
  await Promise.all([publisher.waitForSubscribers(1, signal), subscriber.ready(signal)]);

  const writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });
  const send = (): void => {
    const bytes = writer.take();
    if (bytes !== undefined) publisher.publish(bytes);
  };
  /** Writes, and sends the batch first where it is full. */
  const write = (record: Parameters<EventBatchWriter['write']>[0]): void => {
    if (writer.write(record)) return;
    send();
    writer.write(record);
  };
  const sample = (sampleId: number, endedMs: number): void => {
    const endNs = Math.round(endedMs * 1e6) + 10 * GAP_NS;
    write({
      kind: 'sample.issued',
      sampleId,
      atNs: endNs - 3 * GAP_NS,
      intendedNs: endNs - 3 * GAP_NS,
      connectNs: 0,
      heldBackNs: 0,
      isWarmup: false,
    });
    write({ kind: 'sample.recv_first', sampleId, atNs: endNs - 2 * GAP_NS, firstByteNs: endNs - 2 * GAP_NS });
    write({ kind: 'sample.recv_non_first', sampleId, stampsNs: [endNs - GAP_NS] });
    write({
      kind: 'sample.complete',
      sampleId,
      atNs: endNs,
      outcome: 'completed',
      firstAnswerNs: -1,
      firstByteNs: endNs - 2 * GAP_NS,
      inputTokens: 10,
      outputTokens: 2,
      chunkCount: 2,
      finishReason: 'stop',
      bytesSent: 100,
      bytesReceived: 100,
      answerHash: 1,
    });
    endedAtMs.push(endedMs);
  };
  write({ kind: 'session.started', atNs: 0 });
  write({ kind: 'session.start_performance_tracking', atNs: 0 });
  send();
  const startMs = performance.now();
  for (let sampleId = 0; performance.now() - startMs < seconds * 1_000; ) {
    const due = Math.floor(((performance.now() - startMs) / 1_000) * samplesPerSecond);
    // A sample ended when it was due, not when this loop came to it.
    for (; sampleId < due; sampleId += 1)
      sample(sampleId, startMs + ((sampleId + 1) * 1_000) / samplesPerSecond);
    send();
    await pause(BATCH_MS);
  }
  write({ kind: 'session.ended', atNs: Math.round((performance.now() + 1_000) * 1e6) });
  send();
  await snapshots.waitForComplete(30_000, new AbortController().signal);
  await child.exited;
  rmSync(directory, { recursive: true, force: true });
  const sorted = Float64Array.from(agesMs).sort();
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  printRow({
    what: `age of a sample when first shown, ${samplesPerSecond.toLocaleString('en-US')} samples/s`,
    figure: at(0.99),
    unit: 'ms',
    reach: { kind: 'at-most', value: 300 },
    method: `p99 of ${sorted.length} samples in ${seconds} s, p50 ${at(0.5).toFixed(0)}, max ${at(1).toFixed(0)}, lost ${endedAtMs.length - agesMs.length}`,
  });
};

for (const samplesPerSecond of [1, 1_000, 10_000, 50_000]) await measure(samplesPerSecond);
