import { describe, expect, test } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { EVENT_KINDS, eventClass, type Fact, factKey, KINDS } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { readingView } from '../../src/core/node/reading-view.ts';
import { EMPTY_STATE, FIELDS } from '../../src/core/state.ts';

const NODE = nodeId('n'.repeat(26));

describe('the table of kinds', () => {
  test('does not compile without a row of every kind, or without a class for every text of a payload', () => {
    const { 'gpu.profiled': _left, ...fewer } = EVENT_KINDS;
    // @ts-expect-error one kind is missing
    const table: typeof EVENT_KINDS = fewer;
    // @ts-expect-error startedAt and all others are missing
    const texts: (typeof EVENT_KINDS)['run.started']['texts'] = { runId: 'runId' };
    expect([table, texts]).toHaveLength(2);
  });

  test('names kinds as decoders take them', () => {
    for (const kind of KINDS) expect(kind).toMatch(/^[a-z][A-Za-z]{0,39}\.[a-z][A-Za-z]{0,39}$/);
  });

  test('kinds of one map agree on its class, shape and bound, and on whose presence they show', () => {
    for (const { field, class: fieldClass, shape, entriesMax, isSignOfLife } of FIELDS)
      for (const kind of KINDS.filter(one => EVENT_KINDS[one].field === field))
        expect([kind, EVENT_KINDS[kind]], kind).toMatchObject([
          kind,
          { class: fieldClass, shape, entriesMax, ...(isSignOfLife ? { isSignOfLife } : {}) },
        ]);
  });
});

test('a status for a reading that only a newer version has is applied', () => {
  const failed: Fact = {
    kind: 'reading.failed',
    payload: {
      reading: 'tide',
      vendor: 'none',
      source: 'gauge',
      intervalMs: 1_000,
      reason: 'no water',
    },
  };
  const state = applyAll(EMPTY_STATE, [numbered(failed, 0)]);
  const status = state.readingStatuses[NODE]?.['tide'];
  expect(readingView(undefined, status, 0)).toMatchObject({ kind: 'unavailable', reason: 'no water' });
});

const numbered = (fact: Fact, index: number): Event => ({
  origin: NODE,
  epoch: 1,
  class: eventClass(fact.kind),
  seq: index + 1,
  key: factKey(fact),
  ageMs: 0,
  receivedAtMs: 0,
  ...fact,
});
