import { expect, test } from 'vitest';
import { RecentWindow } from '../../../src/core/run/recent-window.ts';
import type { MetricsSnapshot } from '../../../src/core/run/snapshot.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { runSnapshot } from '../../tui/run-snapshot.ts';

test('rates are over the last five seconds, not since the start', () => {
  const window = new RecentWindow();
  const early = { requestsPerSecond: unknown('too early for a rate') };
  expect(window.rates()).toMatchObject(early);
  window.add(runSnapshot({ seq: 1, completed: 10 }));
  expect(window.rates()).toMatchObject(early);
  window.add(runSnapshot({ seq: 6, completed: 110 }));
  // 100 in 1 s; each of 10 tokens.
  expect(window.rates()).toEqual({ requestsPerSecond: 100, outputTokensPerSecond: 1_000 });
  for (let seq = 7; seq <= 31; seq += 1) window.add(runSnapshot({ seq, completed: 110 }));
  expect(window.rates().requestsPerSecond).toBe(0);
});

test('a server that reports no usage has no rate of tokens, rather than one of 0', () => {
  const window = new RecentWindow();
  const silent = (seq: number, completed: number): MetricsSnapshot => {
    const snapshot = runSnapshot({ seq, completed });
    return { ...snapshot, metrics: snapshot.metrics.filter(({ name }) => name !== 'outputTokens') };
  };
  window.add(silent(1, 10));
  window.add(silent(6, 110));
  expect(window.rates()).toEqual({
    requestsPerSecond: 100,
    outputTokensPerSecond: unknown("the server's usage was missing"),
  });
});

test('the rate of tokens is of the chunks that came, while no answer ends', () => {
  const window = new RecentWindow();
  // Ten chunks and ten tokens each; of those that go on more chunks have come each time.
  const going = (seq: number, chunksReceived: number): MetricsSnapshot => {
    const snapshot = runSnapshot({ seq, completed: 10 });
    const metrics = snapshot.metrics.map(metric =>
      metric.kind === 'counter' && metric.name === 'chunksReceived'
        ? { ...metric, value: chunksReceived }
        : metric,
    );
    return { ...snapshot, metrics };
  };
  window.add(going(1, 100));
  window.add(going(6, 180));
  expect(window.rates()).toEqual({ requestsPerSecond: 0, outputTokensPerSecond: 80 });
  window.add(going(11, 340));
  expect(window.rates().outputTokensPerSecond).toBe(120);
});
