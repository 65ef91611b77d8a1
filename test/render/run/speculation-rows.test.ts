import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report, ReportSeries } from '../../../src/core/run/report.ts';
import type { Speculation } from '../../../src/core/run/speculation.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { speculationSection } from '../../../src/render/run/speculation-rows.ts';
import { sectionCellText } from '../../../src/render/section.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';

const withMean = (() => {
  const documents: { readonly report: unknown } = JSON.parse(
    readFileSync(new URL('../../fixtures/versions/1/documents.json', import.meta.url), 'utf8'),
  );
  const [series] = Object.values(reportFromJson(JSON.stringify(documents.report)).series);
  if (series === undefined) throw new TypeError('the fixture has no series');
  return (mean: number): ReportSeries => ({ ...series, count: 300, mean });
})();

const MEASURED: Report['series'] = {
  tpotNs: withMean(12.1e6),
  tokensPerStep: withMean(2.41),
  acceptedShare: withMean(0.642),
};

const spread = (ms: number) => ({ p50: ms * 1e6, p90: 2 * ms * 1e6, max: 3 * ms * 1e6 });

const WHOLE: Speculation = {
  acceptedShare: 0.655,
  acceptanceLength: 2.97,
  byPosition: [
    { position: 1, ofDrafts: 0.92, ofReached: 0.92 },
    { position: 2, ofDrafts: 0.46, ofReached: 0.5 },
    { position: 3, ofDrafts: 0, ofReached: unknown('none') },
  ],
  byTercile: [
    { from: 1, to: 1.9, count: 100, tpotNs: spread(20) },
    { from: 2, to: 2.9, count: 100, tpotNs: spread(12) },
    { from: 3, to: 3, count: 100, tpotNs: spread(8) },
  ],
  tpotCorrelation: -0.82,
};

/** With plain spaces. */
const shown = (speculation: Speculation): unknown =>
  JSON.parse(
    JSON.stringify(speculationSection({ speculation, series: MEASURED })).replaceAll(/[\u00a0\u202f]/g, ' '),
  );

test('what requests and the server report is above the tables by position and by acceptance', () => {
  expect(shown(WHOLE)).toMatchObject({
    key: 'speculation',
    lead: [
      '2.41 tokens per step, 64.2 % of draft tokens accepted, TPOT 12.1 ms, means of 300 requests',
      'By the server: acceptance length 2.97 (tokens for each step with a draft), 65.5 % of the draft tokens of all its clients accepted',
    ],
    tables: [
      {
        rows: [
          ['1', '92.0 %', '92.0 %'],
          ['2', '46.0 %', '50.0 %'],
          ['3', expect.stringMatching(/^0.* %$/), '–'],
        ],
      },
      {
        rows: [
          ['1.00 to 1.90', '100', '20.0 ms', '40.0 ms'],
          ['2.00 to 2.90', '100', '12.0 ms', '24.0 ms'],
          ['3.00', '100', '8.00 ms', '16.0 ms'],
        ],
      },
    ],
    remarks: [
      expect.stringMatching(
        /correlates with tokens per step \(rank correlation -0\.82\); that shows no cause/,
      ),
    ],
  });
});

test('a correlation that may be chance is none', () => {
  expect(shown({ ...WHOLE, tpotCorrelation: 0.1 })).toMatchObject({
    remarks: ['The time per output token does not correlate with tokens per step (rank correlation 0.10)'],
  });
});

test('of a server whose replies report nothing there is what the server counts, and why there is no more', () => {
  const why = unknown('replies do not report draft tokens');
  const { tokensPerStep: _steps, acceptedShare: _share, ...series } = MEASURED;
  const section = speculationSection({
    speculation: { ...WHOLE, acceptanceLength: why, byTercile: why, tpotCorrelation: why },
    series,
  });
  expect(section?.lead).toEqual([
    'By the server: 65.5\u202f% of the draft tokens of all its clients accepted',
  ]);
  expect(section?.tables?.map(({ name }) => name)).toEqual(['Accepted by position in a draft']);
  expect(section?.remarks).toEqual([
    'Time per output token by acceptance: unknown, replies do not report draft tokens',
  ]);
});

test('a run without speculative decoding has no such section', () => {
  expect(speculationSection({ series: {} })).toBeUndefined();
});

test('each row and column has a name', () => {
  const cells = (speculationSection({ speculation: WHOLE, series: MEASURED })?.tables ?? []).flatMap(
    ({ columns, rows }) => [...columns, ...rows.flat().map(sectionCellText)],
  );
  expect(cells).not.toContain('');
});
