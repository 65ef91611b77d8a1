import { describe, expect, test } from 'vitest';
import {
  choicesOf,
  matchesRun,
  matchesRunState,
  matchesSweep,
  runFilterOf,
  runQuery,
} from '../../../dashboard/src/runs/run-filter.ts';
import { NEWEST_FIRST } from '../../../dashboard/src/runs/run-rows.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import type { SweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { madeUpLine, sweepEntry } from '../../support/made-up-line.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';

const view = (id: string, more: Partial<RunView['run']> = {}, about: Partial<RunView> = {}): RunView => ({
  node: nodeId('n'.repeat(26)),
  run: { ...madeUpRunEntry(id), state: 'complete', figures: madeUpFigures(), ...more },
  state: 'complete',
  reason: '',
  isLive: false,
  silentMs: 0,
  progress: undefined,
  ...about,
});
const left = (query: string, ...views: readonly RunView[]): readonly string[] =>
  views
    .filter(each => matchesRun(EMPTY_STATE, each, runFilterOf(new URLSearchParams(query))))
    .map(({ run }) => run.runId);

describe('the filter of runs', () => {
  test('is in the address and comes back from it', () => {
    for (const text of ['', 'q=qwen&state=live&target=vLLM+on+bosun&model=m&sort=-ttft', 'sort=started'])
      expect(runQuery(runFilterOf(new URLSearchParams(text))).toString()).toBe(text);
  });

  test('leaves out what an address contains wrongly', () => {
    expect(runFilterOf(new URLSearchParams('state=odd&sort=__proto__'))).toMatchObject({
      state: 'all',
      sort: NEWEST_FIRST,
    });
  });

  test('takes runs of a state, a model and a target', () => {
    const [small, big] = [view('small'), view('big', { model: 'big', target: 'http://192.0.2.1:8000' })];
    const cut = view('cut', {}, { state: 'interrupted' });
    const live = view('live', {}, { isLive: true, state: 'running' });
    const all = [small, big, cut, live];
    expect(left('state=complete', ...all)).toEqual(['small', 'big']);
    expect(left('state=not-complete', ...all)).toEqual(['cut']);
    expect(left('state=live', ...all)).toEqual(['live']);
    expect(left('model=big', ...all)).toEqual(['big']);
    expect(left('target=nowhere', ...all)).toEqual([]);
    expect(matchesRunState(cut, 'all')).toBe(true);
  });

  test('takes load lines and sweeps by the same: state, model, target, and words of name, tag and objective', () => {
    const sweep = sweepEntry(madeUpLine(), { tags: ['engine=vllm'], name: 'nightly', state: 'complete' });
    const line: SweepView = {
      node: nodeId('n'.repeat(26)),
      sweep,
      line: sweep.line,
      sentence: sweep.sentence,
      stages: sweep.stages,
      state: 'complete',
      reason: '',
      isLive: false,
      silentMs: 0,
      progress: undefined,
    };
    const isLeft = (query: string, view = line): boolean =>
      matchesSweep(EMPTY_STATE, view, runFilterOf(new URLSearchParams(query)));
    for (const query of [
      '',
      'q=nightly',
      'q=engine%3Dvllm+line-1',
      'q=ttft%3D500ms',
      'state=complete',
      'model=made-up',
    ])
      expect(isLeft(query), query).toBe(true);
    for (const query of ['q=weekly', 'state=live', 'state=not-complete', 'model=other', 'target=nowhere'])
      expect(isLeft(query), query).toBe(false);
    expect(isLeft('state=not-complete', { ...line, state: 'stopped' })).toBe(true);
    expect(isLeft('state=live', { ...line, state: 'running', isLive: true })).toBe(true);
  });

  test('offers each value once, and keeps the one that is chosen though it is gone', () => {
    expect(choicesOf('Every model', ['b', 'a', 'b'], 'c').map(({ title }) => title)).toEqual([
      'Every model',
      'a',
      'b',
      'c',
    ]);
  });
});
