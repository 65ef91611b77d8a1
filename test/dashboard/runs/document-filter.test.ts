import { describe, expect, test } from 'vitest';
import {
  choicesOf,
  filterOf,
  matchesFilter,
  NEWEST_FIRST,
  queryOf,
  sortedRows,
  turnedSort,
} from '../../../dashboard/src/runs/document-filter.ts';
import { comparisonRow, type DocumentRow } from '../../../dashboard/src/runs/document-rows.ts';
import { unknown } from '../../../src/core/unknown.ts';

const row = (id: string, more: Partial<DocumentRow> = {}): DocumentRow => ({
  ...comparisonRow({
    id,
    name: unknown('not given'),
    startedAt: '2026-11-27T12:00:00Z',
    state: 'complete',
    sentence: '',
  }),
  model: 'small',
  ...more,
});
const left = (query: string, ...rows: readonly DocumentRow[]): readonly string[] =>
  rows.filter(each => matchesFilter(each, filterOf(new URLSearchParams(query)))).map(({ id }) => id);

describe('the filter of documents', () => {
  test('is in the address and comes back from it', () => {
    for (const text of [
      '',
      'q=qwen&state=live&kind=line&target=vLLM+on+bosun&model=m&sort=-result',
      'sort=started',
    ])
      expect(queryOf(filterOf(new URLSearchParams(text))).toString()).toBe(text);
  });

  test('leaves out what an address contains wrongly', () => {
    expect(filterOf(new URLSearchParams('state=odd&sort=__proto__'))).toMatchObject({
      state: 'all',
      sort: NEWEST_FIRST,
    });
  });

  test('takes documents of a kind, a state, a model and a target', () => {
    const all = [
      row('small', { kind: 'run', target: 'at http://192.0.2.1:8000' }),
      row('big', { kind: 'line', model: 'big' }),
      row('cut', { state: 'interrupted' }),
      row('live', { isLive: true, state: 'running' }),
    ];
    expect(left('kind=line', ...all)).toEqual(['big']);
    expect(left('state=complete', ...all)).toEqual(['small', 'big']);
    expect(left('state=not-complete', ...all)).toEqual(['cut']);
    expect(left('state=live', ...all)).toEqual(['live']);
    expect(left('model=big', ...all)).toEqual(['big']);
    expect(left('target=at+http%3A%2F%2F192.0.2.1%3A8000', ...all)).toEqual(['small']);
    expect(left('target=nowhere', ...all)).toEqual([]);
  });

  test('finds words of id, name, tag, target, load and result, in any order', () => {
    const line = row('line-1', {
      names: ['nightly', 'engine=vllm'],
      load: '4 stages, ttft.p95=500ms',
      hidden: ['http://192.0.2.1:8000'],
    });
    for (const query of ['q=nightly', 'q=engine%3Dvllm+line-1', 'q=TTFT.p95%3D500ms', 'q=192.0.2.1', 'q='])
      expect(left(query, line), query).toEqual(['line-1']);
    expect(left('q=weekly', line)).toEqual([]);
  });

  test('offers each value once, and keeps the one that is chosen though it is gone', () => {
    expect(choicesOf('Every model', ['b', 'a', 'b', ''], 'c').map(({ title }) => title)).toEqual([
      'Every model',
      'a',
      'b',
      'c',
    ]);
  });
});

describe('the order of documents', () => {
  const ids = (rows: readonly DocumentRow[], sort = NEWEST_FIRST): readonly string[] =>
    sortedRows(rows, sort).map(({ id }) => id);

  test('is the newest first of all kinds, below what is in progress', () => {
    const rows = [
      row('old', { startedAt: '2026-11-25T12:00:00Z' }),
      row('live', { startedAt: '2026-11-24T12:00:00Z', isLive: true }),
      row('new', { startedAt: '2026-11-26T12:00:00Z', kind: 'line' }),
    ];
    expect(ids(rows)).toEqual(['live', 'new', 'old']);
  });

  test('puts what is unknown last, whichever way round', () => {
    const rows = [row('none'), row('slow', { figure: 10 }), row('quick', { figure: 100 })];
    const byResult = turnedSort(NEWEST_FIRST, 'result');
    expect(ids(rows, byResult)).toEqual(['quick', 'slow', 'none']);
    expect(ids(rows, turnedSort(byResult, 'result'))).toEqual(['slow', 'quick', 'none']);
  });
});
