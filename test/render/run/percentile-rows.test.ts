import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report, ReportSeries } from '../../../src/core/run/report.ts';
import { textWidth } from '../../../src/core/text/columns.ts';
import { shortPercentiles } from '../../../src/render/run/percentile-rows.ts';
import { sectionBody } from '../../../src/render/section.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';

const report = ((): Report => {
  const documents: { readonly report: unknown } = JSON.parse(
    readFileSync(new URL('../../fixtures/versions/1/documents.json', import.meta.url), 'utf8'),
  );
  return reportFromJson(JSON.stringify(documents.report));
})();

/** So few requests that p95 is a range, and p99 is not known. */
const ranged: ReportSeries = {
  unit: 'ns',
  count: 115,
  total: '1161500000',
  min: 1e5,
  max: 4.87e7,
  mean: 1.01e7,
  stdDev: 1e6,
  percentiles: { '50': 1.01e7, '90': 1.02e7, '95': 1.28e7, '99': 4e7 },
  estimates: { '50': 1.01e7, '90': 1.02e7, '95': null, '99': null },
  intervals: { '95': { low: 9.31e5, high: 3.37e7 } },
  histogram: [],
  isExact: true,
};

test('on 80 columns each series of an open loop is one line, also with an interval', () => {
  const names = [
    'chunkGapNs',
    'ttftNs',
    'ttftFromIntendedNs',
    'tpotNs',
    'latencyNs',
    'latencyFromIntendedNs',
    'sendLatenessNs',
  ] as const;
  const { intervals: _intervals, estimates: _estimates, ...exact } = ranged;
  const series = Object.fromEntries(
    names.map(name => [name, name === 'chunkGapNs' ? { ...exact, count: 11_385 } : ranged]),
  );
  const lines = sectionBody({ tables: shortPercentiles({ ...report, series }).tables ?? [] }, 80);
  expect(lines).toHaveLength(1 + names.length);
  expect(lines.filter(line => textWidth(line) > 80)).toEqual([]);
});
