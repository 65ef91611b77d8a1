import { describe, expect, test } from 'vitest';
import { comparability } from '../../../dashboard/src/run/comparability.ts';
import {
  comparedRows,
  headlines,
  referenceFirst,
  requestedRows,
} from '../../../dashboard/src/run/compare.ts';
import { overlaid } from '../../../dashboard/src/run/compare-chart.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { REPORT_SCHEMA } from '../../../src/core/run/report.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { madeUpSeries } from '../../support/made-up-series.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';

const ended = (
  id: string,
  figures: RunFigures | undefined = madeUpFigures(),
  more: Partial<RunView['run']> = {},
  about: Partial<RunView> = {},
): RunView => ({
  node: nodeId('n'.repeat(26)),
  run: {
    ...madeUpRunEntry(id),
    state: 'complete',
    figures: figures ?? unknown('its report is gone'),
    ...more,
  },
  state: 'complete',
  reason: '',
  isLive: false,
  silentMs: 0,
  progress: undefined,
  ...about,
});
const known = (view: RunView, schema: string = REPORT_SCHEMA) => ({ view, schema, version: '0.1.0' });
const quick = madeUpFigures({
  outputTokensPerSecond: 2_030.6,
  series: { ttftNs: { count: 1_128, percentiles: { 50: 202.4e6, 90: 318e6, 99: 612e6 } } },
});

describe('runs next to each other', () => {
  test('each figure shows its difference from the reference, and none is called better or worse', () => {
    const rows = comparedRows([ended('a'), ended('b', quick)]);
    const row = (name: string) => rows.find(each => each.name === name);
    expect(row('Output')).toMatchObject({
      aim: 'higher is better',
      cells: [{ change: '' }, { change: '+10.0\u202f%' }],
    });
    expect(row('TTFT p50')?.cells[1]).toMatchObject({ change: '+10.0\u202f%' });
    expect(row('TTFT p99')?.cells[1]).toMatchObject({ change: 'same' });
    expect(row('TPOT p50')?.cells[1]).toMatchObject({ value: { figure: '–' }, change: '' });
    expect(JSON.stringify(rows.flatMap(({ cells }) => cells))).not.toMatch(/better|worse/);
  });

  test('a rate that the schedule set is no merit, one that was reached is', () => {
    const faster = madeUpFigures({ requestsPerSecond: 16.84 });
    expect(comparedRows([ended('a'), ended('b', faster)])[0]).toMatchObject({
      aim: '',
      cells: [{}, { change: '+100\u202f%' }],
    });
    const closed = { pattern: { kind: 'concurrency', concurrency: 8 } } as const;
    const rows = comparedRows([ended('a', undefined, closed), ended('b', faster, closed)]);
    expect(rows[0]?.aim).toBe('higher is better');
  });

  test('a different load is reported, by the same rule as on the command line: 4 at a time against 8', () => {
    const of = (concurrency: number) => ({ pattern: { kind: 'concurrency', concurrency } }) as const;
    const runs = [ended('a', undefined, of(4)), ended('b', quick, of(8))];
    const cells = comparedRows(runs).map(({ cells: [, cell] }) => cell);
    expect(cells.map(cell => cell?.note)).toContain('different load');
    expect(comparability(runs.map(view => known(view))).cautions).toContain(
      'Run b is not comparable: Different numbers of requests were in flight (8 at a time, not 4 at a time).',
    );
    const other = ended('c', quick, { dataset: 'chats.jsonl' });
    expect(comparability([known(ended('a')), known(other)]).cautions[0]).toMatch(/different data sets/);
    const model = ended('d', quick, { model: 'other' });
    expect(comparability([known(ended('a')), known(model)]).cautions[0]).toMatch(/Different models answered/);
  });

  test('a percentile of too few samples is marked as such', () => {
    const few = (ttftMs: number) =>
      madeUpFigures({
        series: {
          ttftNs: { count: 90, percentiles: { 50: ttftMs * 1e6, 90: ttftMs * 2e6, 99: ttftMs * 3e6 } },
        },
      });
    const rows = comparedRows([ended('a', few(100)), ended('b', few(200))]);
    const cell = (name: string) => rows.find(row => row.name === name)?.cells[1];
    expect(cell('TTFT p50')).toMatchObject({ note: '' });
    expect(cell('TTFT p90')).toMatchObject({ note: '' });
    expect(cell('TTFT p99')).toMatchObject({ change: '+100\u202f%', note: '90 samples, too few for p99' });
  });

  test('the headline of two is of the newer against the older', () => {
    const ordered = referenceFirst([
      ended('new', quick, { startedAt: '2026-11-20T13:00:00.000Z' }),
      ended('old', undefined, { startedAt: '2026-11-20T12:00:00.000Z' }),
    ]);
    expect(ordered.map(({ run }) => run.runId)).toEqual(['old', 'new']);
    expect(headlines(ordered).map(({ name }) => name)).toEqual([
      'Output',
      'TTFT p50',
      'TTFT p99',
      'TPOT p50',
    ]);
  });

  test('what is not comparable is refused in words', () => {
    const refusals = (...views: readonly RunView[]) => comparability(views.map(view => known(view))).refusals;
    expect(refusals(ended('a'), ended('b'))).toEqual([]);
    expect(refusals(ended('a'), ended('b', undefined, {}, { isLive: true }))[0]).toMatch(
      /^Run b is in progress/,
    );
    expect(refusals(ended('a'), ended('b', undefined, { figures: unknown('its report is gone') }))).toEqual([
      'Run b has no figures: its report is gone.',
    ]);
    expect(refusals(ended('a'), ended('b', undefined, { isStreaming: false }))[0]).toMatch(
      /^One run streams/,
    );
    expect(comparability([known(ended('a')), known(ended('b'), 'plimsoll.report/2')]).refusals[0]).toMatch(
      /^The reports define their figures differently \(plimsoll\.report\/1, plimsoll\.report\/2\)/,
    );
  });

  test('what must be known first is reported: cut short, client-bound, too few samples', () => {
    const cut = ended('cut', undefined, {}, { state: 'interrupted', reason: 'stopped by hand' });
    const bound = ended(
      'bound',
      madeUpFigures({ client: { ...madeUpFigures().client, verdict: 'client-bound' } }),
    );
    const few = ended('few', madeUpFigures({ counts: { ...madeUpFigures().counts, completed: 12 } }));
    expect(comparability([cut, bound, few].map(view => known(view))).cautions).toEqual([
      'Run cut is interrupted: stopped by hand. Its figures cover what was measured until then.',
      'Run bound is client-bound: its figures are a lower bound of what the endpoint can do.',
      'Run few completed 12 requests: too few for a meaningful p99.',
    ]);
  });

  test('what was asked differently is marked', () => {
    const rows = requestedRows(EMPTY_STATE, [
      known(ended('a')),
      known(ended('b', undefined, { model: 'other' })),
    ]);
    expect(rows.filter(({ isDifferent }) => isDifferent)).toEqual([
      { name: 'Model', values: ['made-up', 'other'], isDifferent: true },
    ]);
  });
});

describe('charts laid over each other', () => {
  const series = (stepMs: number, values: readonly number[]) =>
    madeUpSeries({ stepMs, outputTokensPerSecond: values, requestsPerSecond: values });

  test('have the step of the coarsest, and a shorter run ends before the others', () => {
    const laid = overlaid(
      [series(1_000, [1, 2, 3, 4, 5]), series(2_000, [10, 20, 30])],
      run => run.outputTokensPerSecond,
    );
    expect(laid).toEqual({
      stepMs: 2_000,
      seconds: [2, 4, 6],
      columns: [
        [2, 4, null],
        [10, 20, 30],
      ],
    });
  });

  test('of none is empty', () => {
    expect(overlaid([], run => run.inFlight)).toEqual({ stepMs: 1, seconds: [], columns: [] });
  });
});
