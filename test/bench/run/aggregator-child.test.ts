// What the main process of a run reports of an aggregator that fails.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAggregator } from '../../../src/bench/run/aggregator-child.ts';
import { BENCH_SETTINGS } from '../../../src/bench/run/bench-parts.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { objectiveFields } from '../../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { openSocketFolder } from '../../../src/messaging/zeromq/socket-folder.ts';
import { EventBatchWriter } from '../../../src/wire/event-batch-writer.ts';
import { session } from '../../support/run-records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('an aggregator that fails is reported with its reason, although its account arrived', async () => {
  using directory = temporaryDirectory();
  const sockets = await openSocketFolder(tmpdir());
  try {
    await using aggregator = await openAggregator({
      clock: systemClock,
      eventsEndpoint: sockets.endpoint('events'),
      arguments: {
        snapshotsEndpoint: sockets.endpoint('snapshots'),
        file: join(directory.path, 'final_snapshot.json'),
        pattern: { kind: 'poisson', requestsPerSecond: 1 },
        shape: PLAIN_SHAPE,
        isStreaming: true,
        ...objectiveFields([], 1),
      },
      directory: directory.path,
      nodePath: process.execPath,
      env: process.env,
      settings: { ...BENCH_SETTINGS, readyMsMax: 25_000 },
      signal: new AbortController().signal,
      onSnapshot: () => {},
      onLookedAt: () => {},
    });
    const writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });
    writer.write(session('session.started'));
    writer.write(session('session.start_performance_tracking'));
    // No sum of whole numbers takes half a nanosecond.
    writer.writeIssued({
      sampleId: 1,
      atNs: 20,
      intendedNs: 10,
      connectNs: 0,
      heldBackNs: 0.5,
      isWarmup: false,
    });
    const batch = writer.take();
    if (batch !== undefined) aggregator.publish(batch);
    const { source, problems } = await aggregator.finish(AbortSignal.timeout(20_000));
    expect(source).toBe('complete-message');
    expect(problems).toEqual([
      expect.stringMatching(
        /^the aggregator exited early \(code 1\): .* is not a whole number of at least 0$/,
      ),
    ]);
  } finally {
    await sockets.remove();
  }
}, 60_000);
