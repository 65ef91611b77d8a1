// Requests that the client breaks off on purpose: when, how they are counted, and what the server sees of it.

import { describe, expect, test } from 'vitest';
import { cancellations } from '../../../src/bench/schedule/cancellations.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { until } from '../../support/until.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';

describe('a request that is broken off as planned', () => {
  test('ends as cancelled after its time, and the server sees the connection close', async ({ signal }) => {
    await using mock = await startMock({ ttftMs: 5, gapMs: 5, outputTokens: 400 });
    const limits = { samplesMax: 3, durationNs: undefined };
    const plan = { ...loadPlan({ host: mock.host, port: mock.port, limits }), cancelAfterMs: [60] };
    const { samples } = await runHere(plan);
    expect(samples).not.toEqual([]);
    for (const { outcome, failure, note, sentNs, endNs } of samples) {
      expect({ outcome, failure, note }).toEqual({
        outcome: 'cancelled',
        failure: undefined,
        note: { isCancelledAsPlanned: true, isCutAfterGrace: false, variant: -1, check: 'none' },
      });
      expect(endNs - sentNs).toBeGreaterThanOrEqual(60e6);
    }
    // The server detects the last close a moment after the client made it.
    await until(() => mock.log().clientsGone === samples.length, signal);
  });

  test('is completed where its answer is there before', async () => {
    await using mock = await startMock({ ttftMs: 1, gapMs: 1, outputTokens: 3 });
    const plan = { ...loadPlan({ host: mock.host, port: mock.port }), cancelAfterMs: [20_000] };
    const { samples } = await runHere(plan);
    expect(samples.map(({ outcome, note }) => [outcome, note])).toEqual(
      samples.map(() => ['completed', undefined]),
    );
  });
});

test('equal seeds break the same requests off, and so many of them as were asked for', () => {
  const options = { afterMs: { kind: 'uniform', min: 200, max: 800 }, share: 0.25 } as const;
  const drawn = cancellations(options, 7);
  expect(cancellations(options, 7)).toEqual(drawn);
  expect(cancellations(options, 8)).not.toEqual(drawn);
  const cancelled = drawn.filter(ms => ms !== -1);
  expect(cancelled.length / drawn.length).toBeCloseTo(0.25, 1);
  expect(Math.min(...cancelled)).toBeGreaterThanOrEqual(200);
  expect(Math.max(...cancelled)).toBeLessThanOrEqual(800);
});
