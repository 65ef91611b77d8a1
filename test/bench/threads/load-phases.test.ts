import { expect, test } from 'vitest';
import { loadProfile } from '../../../src/bench/schedule/load-profile.ts';
import { createLoadGenerator } from '../../../src/bench/threads/threaded-load-generator.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { loadPlan } from '../load/load-plan.ts';
import { runLoad } from './run-load.ts';

const addressOf = ({ host, port }: Mock) => ({ host, port });
const silent = { batch: () => undefined, sampleLines: () => undefined };

test.each(['opening', 'warming up'])(
  'stopping while %s ends without a sample of the measured phase',
  async phase => {
    await using mock = await startMock({ ttftMs: 60_000 });
    const plan = loadPlan({ ...addressOf(mock), warmupRequests: 2 });
    const lines: string[] = [];
    await using generator = createLoadGenerator(
      plan,
      { ...silent, sampleLines: bytes => lines.push(Buffer.from(bytes).toString()) },
      { clock: systemClock, runZeroNs: process.hrtime.bigint() },
    );
    const opening = generator.open();
    if (phase === 'warming up') {
      await opening;
      const warming = generator.warmUp();
      generator.stop();
      await warming;
    } else {
      generator.stop();
    }
    expect((await generator.ended).kind).toBe('stopped');
    await opening;
    await generator.issuingEnded;
    expect(lines.join('')).not.toContain('"window":0');
  },
);

test('a load that is stopped before it was opened has ended', async () => {
  const plan = loadPlan({ host: '127.0.0.1', port: 9 });
  await using generator = createLoadGenerator(plan, silent, {
    clock: systemClock,
    runZeroNs: process.hrtime.bigint(),
  });
  generator.stop();
  expect((await generator.ended).kind).toBe('stopped');
});

test.each(['concurrency', 'poisson'] as const)(
  'threads without anything to send end too (%s)',
  async kind => {
    await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 5 });
    const pattern = kind === 'poisson' ? { kind, requestsPerSecond: 100 } : { kind, concurrency: 1 };
    const plan = loadPlan({
      ...addressOf(mock),
      pattern,
      threads: { load: 3, parse: 2 },
      warmupRequests: 1,
    });
    const { samples, result } = await runLoad(plan);
    expect(result.kind).toBe('complete');
    expect(samples).toHaveLength(2);
  },
);

test('a header that cannot be sent is refused before anything starts, without its value', () => {
  const headers = [{ name: 'authorization', value: 'Bearer secret\r\nx: y' }];
  const plan = loadPlan({ host: '127.0.0.1', port: 9, headers });
  const create = () => createLoadGenerator(plan, silent, { clock: systemClock, runZeroNs: 0n });
  expect(create).toThrow(/authorization has a line break/);
  expect(create).not.toThrow(/secret/);
});

test.each(['concurrency', 'poisson'] as const)(
  'several threads measure exactly what was asked for behind a ramp, each sample with a number of its own (%s)',
  async kind => {
    await using mock = await startMock({ ttftMs: 2, gapMs: 0, outputTokens: 2 });
    const pattern =
      kind === 'poisson' ? ({ kind, requestsPerSecond: 400 } as const) : ({ kind, concurrency: 6 } as const);
    const course = loadProfile(pattern, { rampMs: 150, warmupMs: 50, steps: [] }, 256);
    const { samples, counts, result } = await runLoad(
      loadPlan({
        ...addressOf(mock),
        pattern,
        course,
        inFlightCap: kind === 'poisson' ? 7 : undefined,
        connections: { opened: 6, max: 100 },
        limits: { samplesMax: 50, durationNs: undefined },
        threads: { load: 3, parse: 1 },
        warmupRequests: 2,
      }),
    );
    expect(result.kind).toBe('complete');
    expect(samples.filter(({ window }) => window === 0)).toHaveLength(50);
    expect(new Set(samples.map(({ sampleId }) => sampleId)).size).toBe(samples.length);
    expect(counts).toEqual({ issued: samples.length, warmup: samples.length - 50, ended: samples.length });
    expect(counts.warmup).toBeGreaterThan(2);
  },
);
