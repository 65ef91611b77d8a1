import { describe, expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import { LEASE_MS } from '../../../src/core/document/document-views.ts';
import type { Event } from '../../../src/core/event.ts';
import { EVENT_KINDS, eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { Run } from '../../../src/core/run/run.ts';
import {
  activeRunners,
  runCount,
  runnerKeyOf,
  runView,
  runViews,
} from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { madeUpLine, sweepEntry, sweepIdOf } from '../../support/made-up-line.ts';
import { madeUpRunEntry, runIdOf } from '../../support/run-entry.ts';

const NODE = nodeId('n'.repeat(26));

describe('a run that goes on', () => {
  test('is live while its lease is young, and interrupted once nothing was received for ten seconds', () => {
    const state = reported(0, { kind: 'run.started', payload: madeUpRunEntry('r1') }, lease('r1'));
    expect(runView(state, runIdOf('r1'), LEASE_MS)).toMatchObject({ state: 'running', isLive: true });
    expect(runView(state, runIdOf('r1'), LEASE_MS + 1)).toMatchObject({
      state: 'interrupted',
      isLive: false,
      reason: expect.stringContaining('has not responded'),
    });
  });

  test('is live again when something arrives from it again', () => {
    const before = reported(0, { kind: 'run.started', payload: madeUpRunEntry('r1') }, lease('r1'));
    const state = apply(before, 60_000, lease('r1'));
    expect(runView(state, runIdOf('r1'), 60_500)).toMatchObject({ state: 'running', isLive: true });
  });

  test('is that of its end, with any lease', () => {
    const ended: Run = { ...madeUpRunEntry('r1'), state: 'incomplete', reason: '2 samples were in flight' };
    const state = reported(0, { kind: 'run.started', payload: madeUpRunEntry('r1') }, lease('r1'), {
      kind: 'run.ended',
      payload: ended,
    });
    expect(runView(state, runIdOf('r1'), 1)).toMatchObject({
      state: 'incomplete',
      isLive: false,
      reason: '2 samples were in flight',
    });
  });
});

test('runs are listed with the newest first', () => {
  const state = reported(
    0,
    { kind: 'run.started', payload: { ...madeUpRunEntry('old'), startedAt: '2026-11-19T10:00:00Z' } },
    { kind: 'run.started', payload: { ...madeUpRunEntry('new'), startedAt: '2026-11-20T10:00:00Z' } },
  );
  expect(runViews(state, 0).map(({ run }) => run.runId)).toEqual(['new', 'old']);
  expect(runCount(state)).toBe(2);
});

test('stages are not counted as runs of their own while their sweep is known', () => {
  const sweep = { sweepId: sweepIdOf('line-1'), stage: 1 };
  const runs = [
    { kind: 'run.started', payload: madeUpRunEntry('r1') },
    { kind: 'run.started', payload: { ...madeUpRunEntry('s1'), sweep } },
  ] as const;
  expect(runCount(reported(0, ...runs))).toBe(2);
  expect(runCount(reported(0, ...runs, { kind: 'sweep.started', payload: sweepEntry(madeUpLine()) }))).toBe(
    1,
  );
});

test('a runner counts for ten seconds, and marks the node it serves', () => {
  const state = reported(0, lease('r1'));
  expect(activeRunners(state, LEASE_MS)).toMatchObject([{ targetNode: NODE }]);
  expect(activeRunners(state, LEASE_MS + 1)).toEqual([]);
});

test('a runner counts no more once its run has ended', () => {
  const started = reported(
    0,
    { kind: 'run.started', payload: madeUpRunEntry('r1') },
    lease('r1'),
    lease('r2'),
  );
  expect(activeRunners(started, 100)).toHaveLength(2);
  const ended = apply(started, 200, {
    kind: 'run.ended',
    payload: { ...madeUpRunEntry('r1'), state: 'complete' },
  });
  expect(activeRunners(ended, 300).map(({ runnerKey }) => runnerKey)).toEqual(['run r2']);
});

test('state keeps a bounded number of runs and leases of a node, the newest', () => {
  const facts = Array.from(
    { length: EVENT_KINDS['run.started'].entriesMax + 10 },
    (_, index): readonly Fact[] => [
      { kind: 'run.started', payload: madeUpRunEntry(`r${index}`) },
      lease(`r${index}`),
    ],
  ).flat();
  const state = reported(0, ...facts);
  const kept = Object.keys(state.runs[NODE] ?? {});
  expect(kept).toHaveLength(EVENT_KINDS['run.started'].entriesMax);
  expect(kept).not.toContain('r9');
  expect(kept).toContain('r10');
  expect(Object.keys(state.runners[NODE] ?? {})).toHaveLength(EVENT_KINDS['progress.reported'].entriesMax);
});

const lease = (id: string): Fact => ({
  kind: 'runner.reported',
  payload: { runnerKey: runnerKeyOf(runIdOf(id)), source: 'run', targetNode: NODE, requestsInFlight: 3 },
});

const seqs = new WeakMap<State, { durable: number; live: number }>();

const reported = (nowMs: number, ...facts: readonly Fact[]): State => apply(EMPTY_STATE, nowMs, ...facts);

const apply = (state: State, nowMs: number, ...facts: readonly Fact[]): State => {
  const seq = { ...(seqs.get(state) ?? { durable: 0, live: 0 }) };
  const events = facts.map((fact): Event => {
    const kindClass = eventClass(fact.kind);
    seq[kindClass] += 1;
    return {
      ...fact,
      origin: NODE,
      epoch: 1,
      class: kindClass,
      seq: seq[kindClass],
      key: factKey(fact),
      ageMs: 0,
      receivedAtMs: nowMs,
    };
  });
  const next = applyAll(state, events);
  seqs.set(next, seq);
  return next;
};
