import { expect, test } from 'vitest';
import { parseBenchOptions } from '../../../src/cli/bench/parse-bench-options.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { sweepCommand } from '../../../src/cli/commands/sweep.ts';
import { asBench, requestedLoads } from '../../../src/cli/sweep/sweep-options.ts';
import { unknown } from '../../../src/core/unknown.ts';

const requestOf = (...args: readonly string[]) => {
  const line = parseCommandLine(['sweep', 'http://127.0.0.1:8000', ...args], [sweepCommand]);
  if (line.kind !== 'run') throw new Error('it asks for help');
  const requested = requestedLoads(line.invocation);
  return parseBenchOptions(asBench(line.invocation, requested), '/');
};

test('each stage of a sweep takes the shapes of a run: ramp, warm-up, and a bound in flight of rates', () => {
  const shapes = ['--ramp', '10s', '--warmup-duration', '5s'];
  expect(requestOf('--rates', '1,2', ...shapes, '--max-in-flight', '8').shape).toEqual({
    rampMs: 10_000,
    warmupMs: 5_000,
    inFlightCap: 8,
    steps: [],
    sessions: unknown('requests are independent'),
    trace: unknown('no trace is replayed'),
    graceMs: 30_000,
  });
  expect(requestOf('--concurrency', '1,2', ...shapes).shape).toMatchObject({
    rampMs: 10_000,
    warmupMs: 5_000,
  });
  expect(() => requestOf('--concurrency', '1,2', '--max-in-flight', '8')).toThrow(
    'has no effect without --rates',
  );
});

test('stages of a sweep may have so many sessions at a time, and not sessions of a rate', () => {
  const chats = ['--turns', '4', '--think-time', '1s'];
  expect(requestOf('--concurrency', '2,4', ...chats)).toMatchObject({
    shape: { sessions: { concurrencyOf: 'sessions' } },
    sessions: { turns: { kind: 'fixed', value: 4 } },
  });
  expect(() => requestOf('--rates', '2,4', ...chats)).toThrow('looks like a load over capacity');
});

test('--help states the share of requests that must meet an objective, as each stage gets it', () => {
  const [option] = sweepCommand.options.filter(({ name }) => name === 'attainment');
  const { attainment } = requestOf('--rates', '1,2', '--slo', 'ttft=500ms');
  expect(option?.meaning).toContain(`Default: ${100 * attainment}%.`);
});
