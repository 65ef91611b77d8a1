import { expect, test } from 'vitest';
import { startMock } from '../../../src/mock/mock-server.ts';
import { loadPlan } from '../load/load-plan.ts';
import { runLoad } from './run-load.ts';

const entry = (name: string): URL => new URL(`./faulty/${name}-worker.ts`, import.meta.url);

/** A busy machine holds threads up too: only where a hang is looked for is the watch this short. */
const heartbeatMsMaxFor = (name: string): number => (name.startsWith('hanging') ? 2_500 : 20_000);

/** Requests that are in flight when the thread is lost, and would be for long. */
const longRun = async (name: string) => {
  const mock = await startMock({ ttftMs: 10, gapMs: 50, outputTokens: 10_000 });
  const plan = loadPlan({
    host: mock.host,
    port: mock.port,
    pattern: { kind: 'concurrency', concurrency: 4 },
    limits: { samplesMax: 100, durationNs: undefined },
    threads: { load: 2, parse: 1 },
    heartbeatMsMax: heartbeatMsMaxFor(name),
  });
  return { mock, plan, [Symbol.asyncDispose]: () => mock.stop() };
};

test.each([
  ['throws', 'throwing-load', 'failed: a bug in the load thread'],
  ['calls exit', 'exiting-load', 'exited with code 7'],
  ['never returns to its loop', 'hanging-load', 'did not return to its event loop for 2500 ms'],
])(
  'when a load thread %s, its samples fail as the client and the run is incomplete',
  async (_, name, reason) => {
    await using run = await longRun(name);
    const { samples, result, counts } = await runLoad(run.plan, { entries: { loadWorker: entry(name) } });
    expect(result.kind).toBe('incomplete');
    expect(result.reasons[0]).toContain(reason);
    // Nothing was lost: each issued sample has its end. Those of a thread that still lived were cancelled.
    expect(samples).toHaveLength(4);
    expect(counts.issued).toBe(4);
    const ends = samples.map(({ outcome, failure }) => failure?.kind ?? outcome);
    expect(ends.filter(end => end === 'client').length).toBeGreaterThanOrEqual(2);
    expect(ends.every(end => end === 'client' || end === 'cancelled')).toBe(true);
  },
);

test.each([
  ['throws', 'throwing-parse', 'failed: a bug in the parse thread'],
  ['never returns to its loop', 'hanging-parse', 'did not return to its event loop for 2500 ms'],
])('when a parse thread %s, the run ends and is incomplete', async (_, name, reason) => {
  await using run = await longRun(name);
  const { result } = await runLoad(run.plan, { entries: { parseWorker: entry(name) } });
  expect(result.kind).toBe('incomplete');
  expect(result.reasons[0]).toContain(reason);
});

test('what a parse thread sends after its end is not part of the run, whose publishers are closed by then', async () => {
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 2 });
  const plan = loadPlan({
    host: mock.host,
    port: mock.port,
    pattern: { kind: 'concurrency', concurrency: 1 },
    limits: { samplesMax: 5, durationNs: undefined },
    threads: { load: 1, parse: 1 },
  });
  const { result, records } = await runLoad(plan, { entries: { parseWorker: entry('talking-parse') } });
  expect(result.kind).toBe('complete');
  // Of the thread's last batch.
  expect(records.filter(({ kind }) => kind === 'client.observed')).toHaveLength(1);
});

test('when a load thread does not start, nothing hangs and the reason is reported', async () => {
  await using run = await longRun('broken-load');
  const { result, samples } = await runLoad(run.plan, { entries: { loadWorker: entry('broken-load') } });
  expect(result.kind).toBe('incomplete');
  expect(result.reasons[0]).toContain('cannot start');
  expect(samples).toEqual([]);
});
