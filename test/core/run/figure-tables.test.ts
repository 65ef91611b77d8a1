// The tables of the figures of a run, and what docs name of them outside the tables that are generated.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasSeries } from '../../../src/core/run/has-series.ts';
import { FINISH_REASONS } from '../../../src/core/run/outcome.ts';
import { COUNTER_KEYS, RECORD_PROBLEMS } from '../../../src/core/run/run-counters.ts';
import { SERIES_KEYS } from '../../../src/core/run/run-series.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';

const METRICS = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');

test('docs/metrics.md names each counter of records that do not fit', () => {
  for (const { key } of RECORD_PROBLEMS) expect(METRICS).toContain(`\`${key}\``);
});

test('a counter of a kind has one name for each kind', () => {
  const reasons = COUNTER_KEYS.filter(key => key.startsWith('finishReason.'));
  expect(reasons).toEqual(FINISH_REASONS.map(reason => `finishReason.${reason}`));
});

test('a series is there where it can have a value, and nowhere else', () => {
  const has = (isStreaming: boolean, kind: 'poisson' | 'max-throughput'): readonly string[] => {
    const pattern = kind === 'poisson' ? ({ kind, requestsPerSecond: 1 } as const) : ({ kind } as const);
    return SERIES_KEYS.filter(key => hasSeries(key, { isStreaming, pattern }));
  };
  const uncapped = SERIES_KEYS.filter(key => key !== 'heldBackNs' && key !== 'sessionNs');
  expect(has(true, 'poisson')).toEqual(uncapped);
  const capped = { ...PLAIN_SHAPE, inFlightCap: 4 };
  const pattern = { kind: 'poisson', requestsPerSecond: 1 } as const;
  expect(hasSeries('heldBackNs', { isStreaming: true, pattern, shape: capped })).toBe(true);
  const ofSessions = { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } } as const;
  expect(hasSeries('sessionNs', { isStreaming: true, pattern, shape: ofSessions })).toBe(true);
  expect(has(true, 'max-throughput').filter(key => key.endsWith('FromIntendedNs'))).toEqual([]);
  expect(has(false, 'poisson')).toContain('latencyFromIntendedNs');
  for (const key of ['ttftNs', 'ttftFromIntendedNs', 'tpotNs', 'chunkGapNs', 'tokensPerChunk'])
    expect(has(false, 'poisson')).not.toContain(key);
});
