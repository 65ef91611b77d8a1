// Of which nodes a page keeps the last quarter of an hour.

import { describe, expect, test } from 'vitest';
import { PageHistory } from '../../../dashboard/src/stream/page-history.ts';
import type { Event } from '../../../src/core/event.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { unknown } from '../../../src/core/unknown.ts';

const atlas = nodeId('a'.repeat(26));
const juno = nodeId('b'.repeat(26));

describe('the history that a page keeps', () => {
  test('is of those nodes alone that were looked at, from then on', () => {
    const history = new PageHistory();
    history.record(memory(juno, 1));
    history.series(juno, 500);
    history.record(memory(atlas, 2));
    history.record(memory(juno, 2));
    expect(history.series(atlas, 2_500).series).toEqual({});
    expect(history.series(juno, 2_500).series['memoryUsedBytes']).toEqual([6]);
  });

  test('continues what the daemon has recorded before', () => {
    const history = new PageHistory();
    history.load(juno, { stepMs: 1_000, series: { memoryUsedBytes: [3, 4] } }, 2_000);
    history.series(juno, 2_000);
    history.record(memory(juno, 3));
    expect(history.series(juno, 3_500).series['memoryUsedBytes']).toEqual([3, 4, 6]);
  });
});

const memory = (origin: NodeId, second: number): Event => ({
  origin,
  epoch: 1,
  class: 'live',
  seq: second,
  key: '',
  ageMs: 0,
  receivedAtMs: second * 1_000,
  kind: 'memory.gathered',
  payload: {
    source: 'made up',
    intervalMs: 1_000,
    value: {
      totalBytes: 10,
      availableBytes: 4,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      pressure: { level: 'normal', stalledShare: unknown('made up') },
      container: { kind: 'none' },
    },
  },
});
