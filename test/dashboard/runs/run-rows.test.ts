import { expect, test } from 'vitest';
import {
  matchesText,
  NEWEST_FIRST,
  runRow,
  sortedViews,
  turnedSort,
} from '../../../dashboard/src/runs/run-rows.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';

const ended = (id: string, figures: RunFigures | undefined, more: Partial<RunView['run']> = {}): RunView => ({
  node: nodeId('n'.repeat(26)),
  run: { ...madeUpRunEntry(id), state: 'complete', figures: figures ?? unknown('none'), ...more },
  state: 'complete',
  reason: '',
  isLive: false,
  silentMs: 0,
  progress: undefined,
});

const answered = (answer: ObjectiveAnswer['answer']): ObjectiveAnswer => ({
  objective: 'ttft.p95=500ms',
  limit: 500e6,
  unit: 'ns',
  answer,
  estimate: { value: 600e6, low: 580e6, high: 620e6 },
  samplesNeeded: unknown('decided'),
});

test('a row reports what the report reports', () => {
  expect(runRow(EMPTY_STATE, ended('r1', madeUpFigures()), 0)).toMatchObject({
    model: 'made-up',
    completed: '1\u00a0128',
    failed: '3',
    hasFailures: true,
    output: '1\u00a0846',
    ttft: '184 · 612\u00a0ms',
    tpot: '14.9\u00a0ms',
  });
});

test('a run without figures has dashes, not zeroes, for what is unknown', () => {
  const row = runRow(EMPTY_STATE, ended('r1', undefined), 0);
  expect([row.output, row.ttft, row.tpot, row.verdict]).toEqual(['–', '–', '–', undefined]);
});

test('a run that was cut off has the verdict on its client only until then', () => {
  const view: RunView = { ...ended('r1', madeUpFigures()), state: 'interrupted' };
  expect(runRow(EMPTY_STATE, view, 0).verdict).toMatchObject({ tone: 'open', short: 'kept up until then' });
  expect(runRow(EMPTY_STATE, ended('r1', madeUpFigures()), 0).verdict?.tone).toBe('good');
});

test('a row is flagged where the page of its run flags it: cut off, failed, client-bound or an objective missed', () => {
  const figures = madeUpFigures();
  const flagged = (view: RunView): boolean => runRow(EMPTY_STATE, view, 0).isFlagged;
  const whole = ended('r1', figures);
  expect([flagged(whole), flagged(ended('none', undefined))]).toEqual([false, false]);
  for (const state of ['interrupted', 'incomplete', 'failed', 'running'] as const)
    expect([state, flagged({ ...whole, state })]).toEqual([state, true]);
  expect(flagged({ ...whole, state: 'running', isLive: true })).toBe(false);
  expect(flagged(ended('r1', { ...figures, client: { ...figures.client, verdict: 'client-bound' } }))).toBe(
    true,
  );
  const missed = {
    ...figures,
    objectives: [answered('missed'), answered('met'), answered('too-few-samples')],
  };
  expect(runRow(EMPTY_STATE, ended('r1', missed), 0)).toMatchObject({
    isFlagged: true,
    missed: '1 objective missed',
  });
  const met = { ...figures, objectives: [answered('met')] };
  expect(runRow(EMPTY_STATE, ended('r1', met), 0)).toMatchObject({ isFlagged: false, missed: '' });
});

test('a run that does not stream shows its latency and reports it', () => {
  const figures = madeUpFigures({
    series: { latencyNs: { count: 1_000, percentiles: { 50: 2e9, 99: 3e9 } } },
  });
  expect(runRow(EMPTY_STATE, ended('r1', figures, { isStreaming: false }), 0).ttft).toBe(
    'latency 2.00 · 3.00\u00a0s',
  );
});

test('sorting puts what is unknown last, whichever way round', () => {
  const views = [
    ended('none', undefined),
    ended('slow', madeUpFigures({ outputTokensPerSecond: 10 })),
    ended('quick', madeUpFigures({ outputTokensPerSecond: 100 })),
  ];
  const ids = (isDescending: boolean) =>
    sortedViews(views, { key: 'output', isDescending }).map(({ run }) => run.runId);
  expect(ids(true)).toEqual(['quick', 'slow', 'none']);
  expect(ids(false)).toEqual(['slow', 'quick', 'none']);
});

test('a column begins with what is best in it and turns round', () => {
  const byLatency = turnedSort(NEWEST_FIRST, 'ttft');
  expect(byLatency).toEqual({ key: 'ttft', isDescending: false });
  expect(turnedSort(byLatency, 'ttft')).toEqual({ key: 'ttft', isDescending: true });
  expect(turnedSort(byLatency, 'output')).toEqual({ key: 'output', isDescending: true });
});

test('filters by name and tags', () => {
  const view = ended('r1', madeUpFigures());
  const run = { ...view.run, runName: 'before the update', tags: ['engine=vllm', 'gpu=h200'] };
  const row = runRow(EMPTY_STATE, { ...view, run }, 0);
  expect(row.name).toBe('before the update · engine=vllm · gpu=h200');
  expect(['Update engine=vllm', 'gpu=a100'].map(text => matchesText(row, text))).toEqual([true, false]);
});

test('filters by words', () => {
  const view = ended('r1', madeUpFigures());
  const row = runRow(EMPTY_STATE, view, 0);
  expect([matchesText(row, 'VLLM made'), matchesText(row, 'other'), matchesText(row, '')]).toEqual([
    true,
    false,
    true,
  ]);
});
