// docs/metrics.md and docs/api.md describe the figures of a run as the tables do.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FINISH_REASONS } from '../../../src/core/run/outcome.ts';
import {
  COUNTER_KEYS,
  counterRow,
  PLAIN_COUNTER_KEYS,
  RECORD_PROBLEMS,
} from '../../../src/core/run/run-counters.ts';
import { RATE_KEYS, rateRow } from '../../../src/core/run/run-rates.ts';
import {
  hasSeries,
  SERIES_KEYS,
  type SeriesRow,
  seriesOf,
  seriesRow,
} from '../../../src/core/run/run-series.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';

const METRICS = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
const API = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, as they stand there. */
const rowsUnder = (heading: string): readonly string[] => {
  const section = METRICS.split('\n## ').find(text => text.startsWith(`${heading}\n`)) ?? '';
  return section.split('\n').filter(line => line.startsWith('| `'));
};

const OF = {
  'completed request': 'completed requests',
  chunk: 'chunks of completed requests',
  'issued request': 'issued requests',
  observation: 'observations of the load threads',
} as const;

const sourceText = ({ per, runs, where }: SeriesRow): string =>
  [OF[per], ...(runs === 'all' ? [] : [runs]), ...(where === undefined ? [] : [`where ${where}`])].join(', ');

describe('the tables of docs/metrics.md', () => {
  test('have a row for each series', () => {
    const rows = SERIES_KEYS.map(key => {
      const row = seriesRow(key);
      return `| \`${key}\` | ${row.label} | ${row.from} | ${sourceText(row)} | ${row.help} |`;
    });
    expect(rowsUnder('Series')).toEqual(rows);
  });

  test('have a row for each rate', () => {
    const rows = RATE_KEYS.map(key => {
      const { label, unit, from, help } = rateRow(key);
      return `| \`${key}\` | ${label} | ${unit} | ${from} | ${help} |`;
    });
    expect(rowsUnder('Rates')).toEqual(rows);
  });

  test('have a row for each counter but those of records that do not fit, which are named', () => {
    const problems = RECORD_PROBLEMS.map(({ key }): string => key);
    const plain = PLAIN_COUNTER_KEYS.filter(key => !problems.includes(key)).map(key => {
      const { label, unit = '', help = '' } = counterRow(key);
      return `| \`${key}\` | ${label} | ${unit} | ${help} |`;
    });
    expect(rowsUnder('Counters')).toEqual(plain);
    for (const problem of problems) expect(METRICS).toContain(`\`${problem}\``);
  });
});

test('docs/api.md names each series that is exported to Prometheus', () => {
  for (const key of seriesOf('headline')) expect(API).toContain(`\`${key.replace(/Ns$/, '_seconds')}\``);
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
  const uncapped = SERIES_KEYS.filter(key => key !== 'heldBackNs');
  expect(has(true, 'poisson')).toEqual(uncapped);
  const capped = { ...PLAIN_SHAPE, inFlightCap: 4 };
  const pattern = { kind: 'poisson', requestsPerSecond: 1 } as const;
  expect(hasSeries('heldBackNs', { isStreaming: true, pattern, shape: capped })).toBe(true);
  expect(has(true, 'max-throughput').filter(key => key.endsWith('FromIntendedNs'))).toEqual([]);
  expect(has(false, 'poisson')).toContain('latencyFromIntendedNs');
  for (const key of ['ttftNs', 'ttftFromIntendedNs', 'tpotNs', 'chunkGapNs', 'tokensPerChunk'])
    expect(has(false, 'poisson')).not.toContain(key);
});
