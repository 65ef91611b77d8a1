// An aggregator in its process with the sockets of a run around it, as `plimsoll bench` has them.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { EventRecord } from '../../src/core/run/event-record.ts';
import { objectiveFields } from '../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { eventBatchBytesCodec } from '../../src/messaging/event-batch-codec.ts';
import { LOSSLESS } from '../../src/messaging/publisher.ts';
import { snapshotCodec } from '../../src/messaging/snapshot-message-codec.ts';
import { NEWEST_MESSAGE } from '../../src/messaging/subscriber.ts';
import { openSocketFolder } from '../../src/messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../../src/messaging/zeromq/zeromq-publisher.ts';
import { openZeromqSubscriber } from '../../src/messaging/zeromq/zeromq-subscriber.ts';
import type { AggregatorArguments } from '../../src/metrics/aggregator-arguments.ts';
import { MetricsSnapshotSubscriber } from '../../src/metrics/metrics-snapshot-subscriber.ts';
import { entryUrl } from '../../src/process/entry.ts';
import { type OwnProcess, startOwnProcess } from '../../src/process/own-process.ts';
import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';

export interface RunningAggregator extends AsyncDisposable {
  readonly child: OwnProcess;
  readonly snapshots: MetricsSnapshotSubscriber;
  readonly socketFolder: string;
  send(...records: readonly EventRecord[]): void;
  /** Resolves when a snapshot has come that satisfies the condition. */
  until(condition: (counters: ReadonlyMap<string, number>) => boolean): Promise<void>;
}

export const runningAggregator = async (directory: string): Promise<RunningAggregator> => {
  const signal = AbortSignal.timeout(28_000);
  const folder = await openSocketFolder(tmpdir());
  const publisher = await openZeromqPublisher(folder.endpoint('events'), eventBatchBytesCodec, LOSSLESS);
  const subscriber = await openZeromqSubscriber(folder.endpoint('snapshots'), snapshotCodec, NEWEST_MESSAGE);
  const waiting = new Set<() => void>();
  const snapshots = new MetricsSnapshotSubscriber({ subscriber, clock: systemClock }, () => {
    for (const wake of [...waiting]) wake();
  });
  const close = async (): Promise<void> => {
    await snapshots.close();
    await publisher.close(0);
    await folder.remove();
  };
  try {
    const reported: AggregatorArguments = {
      eventsEndpoint: publisher.endpoint,
      snapshotsEndpoint: folder.endpoint('snapshots'),
      file: join(directory, 'final_snapshot.json'),
      pattern: { kind: 'concurrency', concurrency: 1 },
      shape: PLAIN_SHAPE,
      isStreaming: true,
      ...objectiveFields([], 1),
    };
    const child = await startOwnProcess({
      entry: entryUrl(import.meta.url, '../../src/metrics/aggregator-process.ts'),
      args: [JSON.stringify(reported)],
      nodePath: process.execPath,
      env: process.env,
      readyTimeoutMs: 25_000,
      signal,
    });
    await publisher.waitForSubscribers(1, signal);
    await subscriber.ready(signal);
    const writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });
    return {
      child,
      snapshots,
      socketFolder: folder.path,
      send: (...records) => {
        for (const record of records) writer.write(record);
        const bytes = writer.take();
        if (bytes !== undefined) publisher.publish(bytes);
      },
      until: condition =>
        new Promise(resolve => {
          const check = (): void => {
            const counters = new Map<string, number>();
            for (const metric of snapshots.latest?.metrics ?? [])
              if (metric.kind === 'counter') counters.set(metric.name, metric.value);
            if (!condition(counters)) return;
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
          check();
        }),
      [Symbol.asyncDispose]: async () => {
        await child.stop(2_000);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};
