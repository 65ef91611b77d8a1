import { expect, test } from 'vitest';
import type { StallProbes } from '../../../src/core/run/stall-probes.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { stallSection } from '../../../src/render/run/stall-rows.ts';
import { sectionCellText } from '../../../src/render/section.ts';

const PROBES: StallProbes = {
  requestsPerSecond: 1,
  sent: 60,
  answered: 57,
  failed: 2,
  unanswered: 1,
  skipped: 1,
  latencyNs: { p50: 21e6, p95: 1.25e9, max: 4e9 },
  overTime: [{ untilNs: 30e9, count: 29, p50Ns: 20e6, maxNs: 4e9 }],
};
const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

test('probes have their latency over the run and over time, and what is missing in it', () => {
  const section = stallSection({ probes: PROBES });
  expect(section?.lead?.map(plain)).toEqual([
    'Others waited 21.0 ms for one token (p50), 1.25 s (p95), the longest at least 4.00 s',
  ]);
  expect(section?.tables?.[0]?.rows.map(row => row.map(cell => plain(sectionCellText(cell))))).toEqual([
    ['in the whole run', '58', '21.0 ms', '1.25 s', '4.00 s'],
    ['until 0:30', '29', '20.0 ms', '', '4.00 s'],
  ]);
  expect(section?.remarks).toEqual([
    '1 probe had no reply and counts with the time that it had waited: the true latency is longer',
    '2 probes failed and are in no latency',
    '1 probe was not sent, because too many had no reply yet',
  ]);
});

test('without a latency there is the reason, and without probes no section', () => {
  expect(stallSection({ probes: { ...PROBES, latencyNs: unknown('each failed') } })?.lead).toEqual([
    'Latency of probes: unknown, each failed',
  ]);
  expect(stallSection({})).toBeUndefined();
});
