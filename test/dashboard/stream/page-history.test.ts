// Of which nodes a page keeps the last quarter of an hour.

import { describe, expect, test } from 'vitest';
import { PageHistory } from '../../../dashboard/src/stream/page-history.ts';
import type { Event } from '../../../src/core/event.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { unknown } from '../../../src/core/unknown.ts';

const atlas = nodeId('a'.repeat(26));
const juno = nodeId('b'.repeat(26));

describe('the history that a page keeps', () => {
  test('is of every node while they are few', () => {
    const history = new PageHistory();
    history.record(memory(atlas, 1));
    expect(history.series(atlas, 1_500).series['memoryUsedBytes']).toEqual([6]);
  });

  test('is of those nodes alone that were looked at where they are many', () => {
    const history = new PageHistory();
    history.isOfMany = true;
    history.series(juno, 500);
    history.record(memory(atlas, 1));
    history.record(memory(juno, 1));
    expect(history.series(atlas, 1_500).series).toEqual({});
    expect(history.series(juno, 1_500).series['memoryUsedBytes']).toEqual([6]);
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
