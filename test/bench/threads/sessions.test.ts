// Sessions played by whole load generators against a server that keeps what it was asked.

import { expect, test } from 'vitest';
import type { Session } from '../../../src/bench/dataset/session.ts';
import { loadProfile } from '../../../src/bench/schedule/load-profile.ts';
import { isJsonObject } from '../../../src/core/json.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import type { LiveSessions } from '../../../src/core/run/live-sessions.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { MetricsTable } from '../../../src/metrics/metrics-table.ts';
import { RunMetrics } from '../../../src/metrics/run-metrics.ts';
import { CHAT, chat, queriedServer, type ReceivedRequest, sessionPlan, turn } from './queried-server.ts';
import { runLoad } from './run-load.ts';

const messagesOf = (
  requested: ReceivedRequest | undefined,
): readonly { readonly [key: string]: unknown }[] => {
  const messages = requested?.body['messages'];
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
};

/** Counted as an aggregator counts while the run goes on. */
const liveSessionsOf = (records: readonly EventRecord[]): LiveSessions => {
  const metrics = new RunMetrics({
    pattern: { kind: 'concurrency', concurrency: 3 },
    shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
    isStreaming: true,
    objectives: [],
  });
  const table = new MetricsTable(metrics);
  table.apply({ kind: 'session.start_performance_tracking', atNs: 0 });
  for (const record of records) table.apply(record);
  const { sessions } = metrics.beside();
  if (sessions === undefined) throw new Error('a run of sessions reports them');
  return sessions;
};

test('a turn carries the answers that really came, and starts its delay after the one before has ended', async () => {
  await using server = await queriedServer(CHAT);
  const reported = await runLoad(sessionPlan(server.port, [chat('a', 'one', 'two', 'three')], {}));
  expect(reported.result).toMatchObject({ kind: 'complete', reasons: [] });
  const [first, , third] = server.requested.map(messagesOf);
  const nonce = String(first?.[0]?.['content']);
  expect(nonce).toMatch(/^\[0badcafe[0-9a-f]{8}\] one$/);
  expect(third).toEqual([
    { role: 'user', content: nonce },
    { role: 'assistant', content: '"answer"\n1 ✓' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: '"answer"\n2 ✓' },
    { role: 'user', content: 'three' },
  ]);
  const [one, two] = reported.samples;
  expect(two?.intendedNs).toBe((one?.endNs ?? 0) + 10e6);
  expect(two?.sentNs).toBeGreaterThanOrEqual(two?.intendedNs ?? 0);
  expect(reported.samples.map(({ turn: position }) => position)).toEqual(
    [0, 1, 2].map(index => ({ session: 0, turn: index, turns: 3 })),
  );
});

test('behind a turn that failed the rest is skipped, and every planned turn has one outcome', async () => {
  await using server = await queriedServer(CHAT);
  const sessions = Array.from({ length: 8 }, (_, index) =>
    chat(`s${index}`, 'a', index % 3 === 1 ? 'FAIL' : 'b', 'c', 'd'),
  );
  const reported = await runLoad(
    sessionPlan(server.port, sessions, { slots: 3, threads: { load: 2, parse: 1 } }),
  );
  const issued = reported.samples.map(({ sampleId }) => sampleId);
  const skipped = reported.skipped.map(({ sampleId }) => sampleId);
  expect([...issued, ...skipped].sort((a, b) => a - b)).toEqual([...Array(32).keys()]);
  expect(reported.skipped).toHaveLength(6);
  expect(new Set(reported.skipped.map(({ reason }) => reason))).toEqual(new Set(['turn-failed']));
  expect(reported.records.filter(({ kind }) => kind === 'sample.skipped')).toHaveLength(6);
  expect(reported.samples.filter(({ outcome }) => outcome === 'failed')).toHaveLength(3);
  const { running, completed, failed, cut, first, later } = liveSessionsOf(reported.records);
  expect({ running, completed, failed, cut }).toEqual({ running: 0, completed: 5, failed: 3, cut: 0 });
  expect([first.issued, first.skipped]).toEqual([8, 0]);
  expect([later.issued, later.failed, later.skipped]).toEqual([18, 3, 6]);
});

test('subagents run next to each other in one place, with caches of their own, and recorded answers are sent as they were', async () => {
  await using server = await queriedServer(CHAT);
  const agent: Session = {
    id: 'agent',
    startOffsetMs: undefined,
    turns: [
      turn('plan', { answer: { kind: 'recorded', text: 'as "recorded"' } }),
      turn('left', { after: [0] }),
      turn('right', { after: [0], cacheScope: 'session' }),
      turn('sum up', { after: [1, 2], continues: 0 }),
    ],
  };
  const reported = await runLoad(sessionPlan(server.port, [agent], {}));
  expect(reported.samples.every(({ outcome }) => outcome === 'completed')).toBe(true);
  const [plan, ...subagents] = reported.samples.toSorted((a, b) => a.sampleId - b.sampleId);
  expect(subagents.slice(0, 2).map(({ intendedNs }) => intendedNs)).toEqual([plan?.endNs, plan?.endNs]);
  const marks = server.requested.map(requested => String(messagesOf(requested)[0]?.['content']).slice(0, 18));
  expect(marks[2]).not.toBe(marks[1]);
  expect(new Set(marks).size).toBe(2);
  expect(messagesOf(server.requested[3]).slice(1)).toEqual([
    { role: 'assistant', content: 'as "recorded"' },
    { role: 'user', content: 'sum up' },
  ]);
});

test('a trace that is played again has another mark, and its conversations share it in each round', async () => {
  await using server = await queriedServer(CHAT);
  const trace = ['a', 'b'].map(
    (id): Session => ({ id, startOffsetMs: undefined, turns: [turn(id, { cacheScope: 'run' })] }),
  );
  const limits = { samplesMax: 4, durationNs: undefined };
  await runLoad(sessionPlan(server.port, trace, { limits }));
  expect(server.requested.map(one => String(messagesOf(one)[0]?.['content']))).toEqual([
    '[0badcafeffffffff] a',
    '[0badcafeffffffff] b',
    '[0badcafefffffffe] a',
    '[0badcafefffffffe] b',
  ]);
});

test('slots of requests are all used and never exceeded, with any number of sessions', async () => {
  await using server = await queriedServer(CHAT, 2);
  const sessions = Array.from({ length: 10 }, (_, index) => chat(`s${index}`, 'a', 'b', 'c'));
  const reported = await runLoad(sessionPlan(server.port, sessions, { slots: 2, concurrencyOf: 'requests' }));
  expect(reported.samples).toHaveLength(30);
  expect(server.inFlightMax).toBe(2);
});

test('at the end of the duration what was not begun is skipped', async () => {
  await using server = await queriedServer(CHAT);
  const reported = await runLoad(
    sessionPlan(server.port, [chat('a', ...Array(60).fill('more'))], {
      limits: { samplesMax: 1, durationNs: 150e6 },
    }),
  );
  expect(reported.samples.length + reported.skipped.length).toBe(60);
  expect(reported.skipped.length).toBeGreaterThan(40);
  expect(reported.skipped.every(({ reason }) => reason === 'run-ended')).toBe(true);
});

test('sessions arrive at their rate, and a stop leaves every planned turn with one outcome', async () => {
  await using server = await queriedServer(CHAT);
  const sessions = Array.from({ length: 5 }, (_, index) => chat(`s${index}`, 'a', 'b', 'c', 'd'));
  let ended = 0;
  const plan = sessionPlan(server.port, sessions, {
    pattern: { kind: 'constant', requestsPerSecond: 100 },
    limits: { samplesMax: undefined, durationNs: 60e9 },
  });
  const reported = await runLoad(plan, {
    onRecord: ({ kind }, generator) => {
      if (kind !== 'sample.complete') return;
      ended += 1;
      if (ended === 20) generator.stop();
    },
  });
  expect(reported.result.kind).toBe('stopped');
  const begun = new Set([
    ...reported.samples.map(({ turn: position }) => position?.session),
    ...reported.skipped.map(({ session }) => session),
  ]);
  const all = [...reported.samples, ...reported.skipped]
    .map(({ sampleId }) => sampleId)
    .sort((a, b) => a - b);
  expect(all).toEqual([...Array(begun.size * 4).keys()]);
});

test('places that grow take whole sessions as they come, and what began before the measured window is not measured', async () => {
  await using server = await queriedServer(CHAT);
  const sessions = Array.from({ length: 40 }, (_, index) => chat(`s${index}`, 'a', 'b', 'c'));
  const course = loadProfile(
    { kind: 'concurrency', concurrency: 3 },
    { rampMs: 150, warmupMs: 30, steps: [] },
    3,
  );
  const reported = await runLoad(
    sessionPlan(server.port, sessions, {
      slots: 3,
      course,
      limits: { samplesMax: 5, durationNs: undefined },
      connections: { opened: 3, max: 32 },
    }),
  );
  const bySession = Map.groupBy(reported.samples, ({ turn: position }) => position?.session ?? -1);
  const played = [...bySession.values()].map(samples => ({
    fromNs: Math.min(...samples.map(({ intendedNs }) => intendedNs)) - reported.startNs,
    toNs: Math.max(...samples.map(({ endNs }) => endNs)) - reported.startNs,
    windows: new Set(samples.map(({ window }) => window)),
  }));
  expect(played.filter(({ windows }) => windows.has(0))).toHaveLength(5);
  for (const { fromNs, windows } of played) {
    expect([...windows]).toEqual([fromNs < 180e6 ? -1 : 0]);
    // A ramp begins with one user at once, and has another one at each whole number.
    const level = Math.min(3, Math.floor((fromNs / 150e6) * 3) + 1);
    const open = played.filter(other => other.fromNs <= fromNs && other.toNs > fromNs).length;
    expect(open).toBeLessThanOrEqual(level);
  }
});
