import { expect, test } from 'vitest';
import { documentRows, runRow } from '../../../dashboard/src/runs/document-rows.ts';
import { isDocumentType } from '../../../src/core/document/document-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { documentTitle } from '../../../src/render/document/listed-document.ts';
import { MADE_UP_KINDS } from '../../support/document-kinds.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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

test('every kind is a row of the same list while it is in progress and when it has ended', () => {
  const seen: string[] = [];
  for (const [, registryIn] of MADE_UP_KINDS.filter(([name]) => isDocumentType(name))) {
    using folder = temporaryDirectory();
    const made = registryIn(folder.path);
    const row = () => documentRows(made.cluster.state, made.clock.nowMs());
    made.start();
    made.update();
    expect(row()).toMatchObject([{ id: 'd1', isLive: true, shown: { tone: 'live' } }]);
    made.end();
    const [found, ...others] = row();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id: 'd1', isLive: false, isFlagged: false, shown: { label: 'complete' } });
    expect([found?.result, found?.target]).not.toContain('');
    seen.push(
      found === undefined ? '' : `${found.kind}: ${documentTitle(made.cluster.state, found.type, 'd1')}`,
    );
  }
  expect(seen).toEqual(['run: Run', 'line: Load line', 'comparison: Comparison', 'campaign: Probe campaign']);
});

test('a run has its rate as the result, and its times and failures below it', () => {
  expect(runRow(EMPTY_STATE, ended('r1', madeUpFigures()))).toMatchObject({
    model: 'made-up',
    result: '1\u00a0846 tok/s',
    detail: 'TTFT p50 184\u00a0ms, p99 612\u00a0ms, 3 failed',
    figure: 1_846,
  });
});

test('a run without figures has nothing, not zeroes, for what is unknown', () => {
  const row = runRow(EMPTY_STATE, ended('r1', undefined));
  expect([row.result, row.detail, row.figure]).toEqual(['', '', undefined]);
});

test('a row is flagged where the page of its run flags it: cut off, failed, client-bound or an objective missed', () => {
  const figures = madeUpFigures();
  const flagged = (view: RunView): boolean => runRow(EMPTY_STATE, view).isFlagged;
  const whole = ended('r1', figures);
  expect([flagged(whole), flagged(ended('none', undefined))]).toEqual([false, false]);
  for (const state of ['interrupted', 'incomplete', 'failed', 'running'] as const)
    expect([state, flagged({ ...whole, state })]).toEqual([state, true]);
  expect(flagged({ ...whole, state: 'running', isLive: true })).toBe(false);
  const bound = ended('r1', { ...figures, client: { ...figures.client, verdict: 'client-bound' } });
  expect(runRow(EMPTY_STATE, bound)).toMatchObject({ isFlagged: true, remarks: ['client-bound'] });
  const missed = {
    ...figures,
    objectives: [answered('missed'), answered('met'), answered('too-few-samples')],
  };
  expect(runRow(EMPTY_STATE, ended('r1', missed))).toMatchObject({
    isFlagged: true,
    remarks: ['1 objective missed'],
  });
  const met = { ...figures, objectives: [answered('met')] };
  expect(runRow(EMPTY_STATE, ended('r1', met))).toMatchObject({ isFlagged: false, remarks: [] });
});

test('a run that does not stream shows its latency and reports it', () => {
  const figures = madeUpFigures({
    series: { latencyNs: { count: 1_000, percentiles: { 50: 2e9, 99: 3e9 } } },
  });
  expect(runRow(EMPTY_STATE, ended('r1', figures, { isStreaming: false })).detail).toContain(
    'latency p50 2.00\u00a0s, p99 3.00\u00a0s',
  );
});
