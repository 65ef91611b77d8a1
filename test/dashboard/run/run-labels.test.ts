import { describe, expect, test } from 'vitest';
import {
  limitText,
  noSamplesNotice,
  phaseLine,
  phaseText,
  shownFigures,
  startedText,
  stateText,
  targetLabel,
} from '../../../dashboard/src/run/run-labels.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { RunProgress } from '../../../src/core/run/run.ts';
import { patternLabel } from '../../../src/core/run/run-pattern.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { madeUpFigures, madeUpRunEntry, runIdOf } from '../../support/run-entry.ts';

const run = madeUpRunEntry('r1');
const progress: RunProgress = {
  runId: runIdOf('r1'),
  phase: 'measuring',
  elapsedMs: 147_000,
  measuredMs: 134_000,
  figures: madeUpFigures(),
  recent: { requestsPerSecond: 8.4, outputTokensPerSecond: 1_800 },
  contentArrived: { chunks: 12, tokensPerChunk: 1 },
  agents: unknown('one machine makes the load'),
  updatesDropped: 0,
};
const view: RunView = {
  node: nodeId('n'.repeat(26)),
  run,
  state: 'running',
  reason: '',
  isLive: true,
  silentMs: 100,
  progress,
};

describe('what a run was asked to do', () => {
  test.for([
    [{ kind: 'concurrency', concurrency: 16 }, '16 at a time'],
    [{ kind: 'poisson', requestsPerSecond: 8.5 }, 'Poisson 8.50 req/s'],
    [{ kind: 'constant', requestsPerSecond: 1_200 }, 'constant 1\u00a0200 req/s'],
    [{ kind: 'max-throughput' }, 'max throughput'],
  ] as const)('%j reads %s', ([pattern, text]) => {
    expect(patternLabel(pattern)).toBe(text);
  });

  test('limits are reported where there are any', () => {
    expect(limitText(run)).toBe('5\u00a0min');
    const none = { samplesMax: unknown('not limited'), durationMs: unknown('not limited') };
    const { shape } = run;
    expect(limitText({ limits: none, shape })).toBe('');
    expect(limitText({ limits: { ...none, samplesMax: 200 }, shape })).toBe('200 requests');
    const sessions = { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } } as const;
    expect(limitText({ limits: { ...none, samplesMax: 200 }, shape: sessions })).toBe('200 sessions');
  });

  test('a target that is no node is reported with its address', () => {
    expect(targetLabel(EMPTY_STATE, run)).toBe('vLLM at http://127.0.0.1:8000');
    expect(targetLabel(EMPTY_STATE, { ...run, serverKind: unknown('not asked') })).toBe(
      'at http://127.0.0.1:8000',
    );
  });
});

test('a run of a recording or of a simulation has no files that advice could lead to', () => {
  const here = { isRecording: false, isSimulated: false, hasSamples: true };
  expect(noSamplesNotice({ ...here, isRecording: true, isSimulated: true })).toMatch(/^A recording has/);
  expect(noSamplesNotice({ ...here, isSimulated: true, hasSamples: false })).toMatch(
    /^This run is simulated/,
  );
  expect(noSamplesNotice({ ...here, isSimulated: true })).toBe('');
  expect(noSamplesNotice({ ...here, hasSamples: false })).toBe('');
  expect(noSamplesNotice(here)).toBe('');
});

describe('where a run is', () => {
  test('measuring reports what is left of the time', () => {
    expect(phaseText(run, progress)).toBe('measuring, 2:46 left, then those in flight');
    expect(phaseText(run, undefined)).toBe('no figures yet');
  });

  test('the line of a run that is bounded by time begins with its warm-up', () => {
    const line = phaseLine(run, progress);
    expect(line).toMatchObject({ done: '2:14', whole: '5:00' });
    expect(line?.warmupUntil).toBeCloseTo(13 / 313);
    expect(line?.now).toBeCloseTo(147 / 313);
    expect(line?.ticks[0]).toBe(0);
    expect(line?.ticks.at(-1)).toBe(1);
  });

  test('the line of a run that is bounded by number counts what has ended', () => {
    const limits = { samplesMax: 2_000, durationMs: unknown('not limited') };
    expect(phaseLine({ ...run, limits }, progress)).toMatchObject({
      done: '1\u00a0131',
      whole: '2\u00a0000 requests',
      now: 1_131 / 2_000,
    });
  });

  test('there is no line where nothing bounds the run', () => {
    const limits = { samplesMax: unknown('not limited'), durationMs: unknown('not limited') };
    expect(phaseLine({ ...run, limits }, progress)).toBeUndefined();
  });

  test('live runs report how far they are, others what became of them', () => {
    expect(stateText(view)).toEqual({ tone: 'live', label: 'live 2:27' });
    expect(stateText({ ...view, isLive: false, state: 'interrupted' }).tone).toBe('cut');
    expect(stateText({ ...view, isLive: false, state: 'complete' }).tone).toBe('ended');
    expect(stateText({ ...view, isLive: false, state: 'failed' }).tone).toBe('broken');
  });

  test('the figures of the end replace the last live ones', () => {
    expect(shownFigures(view)).toBe(progress.figures);
    const figures = madeUpFigures({ droppedEvents: 1 });
    expect(shownFigures({ ...view, run: { ...run, figures } })).toBe(figures);
  });
});

test('a start of another day is a date, and no date is a dash', () => {
  const nowMs = Date.parse('2026-11-20T18:00:00');
  expect(startedText('2026-11-20T14:03:00', nowMs)).toBe('14:03');
  expect(startedText('2026-11-19T14:03:00', nowMs)).toBe('19 Nov');
  expect(startedText('soon', nowMs)).toBe('–');
});
