import { expect, test } from 'vitest';
import { LANED_REQUESTS_MAX, type RequestColumns } from '../../../src/core/run/request-lanes.ts';
import {
  laneChart,
  laneDrawing,
  laneQueueRemark,
  laneRemark,
  laneSentence,
  laneTable,
} from '../../../src/render/chart/lane-chart.ts';
import { sectionCellText } from '../../../src/render/section.ts';

const COLUMNS: RequestColumns = {
  dueMs: [0, 100],
  sentMs: [0, 200],
  firstContentMs: [400, null],
  promptMs: [null, null],
  endMs: [1_000, 300],
  outcome: ['completed', 'failed'],
  more: 7,
};
const OPTIONS = { width: 748, height: 320, name: 'made up', isStreaming: true } as const;
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

test('draws a path for each phase, a line for each request in it', () => {
  const { paths, pitch, ticks } = laneDrawing(
    COLUMNS,
    { fromMs: 0, toMs: 1_000 },
    { width: 100, height: 100 },
  );
  expect(pitch).toBe(10);
  expect(paths).toEqual([
    { phase: 'waiting', d: 'M10 15h10', thickness: 3 },
    { phase: 'prefill', d: 'M0 5h40', thickness: 8 },
    { phase: 'decode', d: 'M40 5h60', thickness: 8 },
    { phase: 'failed', d: 'M20 15h10', thickness: 8 },
  ]);
  expect(ticks.map(({ x, label }) => [x, plain(label)])).toEqual([
    [0, '0.0 s'],
    [50, '0.5 s'],
    [100, '1.0 s'],
  ]);
});

test('cuts lines at the edges of the part that is shown', () => {
  const { paths } = laneDrawing(COLUMNS, { fromMs: 350, toMs: 450 }, { width: 100, height: 10 });
  expect(paths.map(({ phase, d }) => [phase, d])).toEqual([
    ['prefill', 'M0 5h50'],
    ['decode', 'M50 5h50'],
  ]);
});

test('has a table twin with the share of each phase, and states how many requests are not shown', () => {
  expect(laneTable(COLUMNS, true).rows.map(row => row.map(cell => plain(sectionCellText(cell))))).toEqual([
    ['waiting at the client', '1', '8 %', '100 ms', '100 ms'],
    ['prefill', '1', '33 %', '400 ms', '400 ms'],
    ['decode', '1', '50 %', '600 ms', '600 ms'],
    ['failed', '1', '8 %', '100 ms', '100 ms'],
  ]);
  expect(laneTable(COLUMNS, false).rows[1]?.[0]).toBe('waiting for the reply');
  expect(plain(laneSentence(COLUMNS, true))).toContain('33 % prefill');
  expect(laneRemark(COLUMNS)).toBe('the first 2 of 9 measured requests');
  expect(laneRemark({ ...COLUMNS, more: 0 })).toBe('2 measured requests');
});

test('states below it that the time in the queue is a mean', () => {
  expect(laneQueueRemark(COLUMNS)).toBe('');
  expect(laneQueueRemark({ ...COLUMNS, queueMs: [null, null] })).toBe('');
  expect(laneQueueRemark({ ...COLUMNS, queueMs: [null, 20] })).toContain('is a mean');
});

test('stays small with as many requests as are ever shown', () => {
  const at = Array.from({ length: LANED_REQUESTS_MAX }, (_, index) => index * 7.3);
  const columns: RequestColumns = {
    dueMs: at,
    sentMs: at.map(ms => ms + 3.1),
    firstContentMs: at.map(ms => ms + 211.7),
    promptMs: at.map(() => 30.3),
    endMs: at.map(ms => ms + 3_456.7),
    outcome: at.map(() => 'completed'),
    more: 1_000_000,
  };
  expect(laneChart(columns, OPTIONS)?.markup.length).toBeLessThan(128 * 1024);
});

test('draws nothing of a run without requests', () => {
  const none = { dueMs: [], sentMs: [], firstContentMs: [], promptMs: [], endMs: [], outcome: [], more: 0 };
  expect(laneChart(none, OPTIONS)).toBeUndefined();
});
