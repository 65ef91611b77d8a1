import { expect, test } from 'vitest';
import { ENTRIES_MAX, MockLog } from '../../src/mock/mock-log.ts';
import type { Entry } from './requesting.ts';

const time = { nowMs: () => 0, nsAt: (ms: number) => BigInt(Math.round(ms * 1e6)) };
const server = {
  running: 0,
  waiting: 0,
  connections: { opened: 0, open: 0, refused: 0 },
  refusedRequests: 0,
  linesDropped: 0,
};

const served = (id: number) => ({
  id: String(id),
  model: 'mock-model',
  isStreaming: true,
  readMs: id,
  firstByteMs: id + 0.25,
  firstContentMs: undefined,
  lastContentMs: undefined,
  lastMs: id + 0.5,
  chunks: 1,
  outputTokens: 2,
  promptTokens: 3,
  cachedTokens: 1,
  bytes: 4,
  failure: undefined,
  expected: { outcome: 'completed' } as const,
  isClientGone: false,
  sample: 0,
  writtenMs: undefined,
});

test('the log keeps the newest requests in their order and counts those it forgets', () => {
  const log = new MockLog(time, undefined);
  for (let id = 0; id < ENTRIES_MAX + 10; id += 1) log.add(served(log.nextNumber()));
  expect(log.summary(server)).toMatchObject({
    requests: ENTRIES_MAX + 10,
    entriesForgotten: 10,
    outputTokens: 2 * (ENTRIES_MAX + 10),
  });
  const newest: readonly Entry[] = JSON.parse(log.entriesJson(3));
  expect(newest.map(({ id }) => Number(id))).toEqual([8, 9, 10].map(number => ENTRIES_MAX + number));
  expect(newest[0]).toMatchObject({ readNs: (ENTRIES_MAX + 8) * 1e6, firstContentNs: null });
  expect(JSON.parse(log.entriesJson(ENTRIES_MAX))[0].id).toBe('11');
  expect(log.entriesJson(0)).toBe('[]');
});

test('a reset log is a new one', () => {
  const log = new MockLog(time, undefined);
  log.add(served(log.nextNumber()));
  log.wroteLate(1);
  log.reset();
  expect(log.summary(server)).toMatchObject({
    requests: 0,
    outcomes: {},
    bytes: 0,
    latenessNs: { count: 0, p50: null },
  });
  expect(log.nextNumber()).toBe(1);
});
