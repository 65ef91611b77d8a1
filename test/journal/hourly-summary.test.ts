// One row for an hour of profiles: figures exact, failures not counted as measurements, any body survived.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeHourlySummary,
  encodeHourlySummary,
  FIGURES_MAX,
  mergeSummaries,
  summarizeHour,
} from '../../src/journal/hourly-summary.ts';
import type { HourlySummary } from '../../src/wire/api/history-answers.ts';

const body = (payload: unknown): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ version: 1, payload }));

test('each figure has its min, median and max; text and unknown figures are left out', () => {
  const summary = summarizeHour([
    body({ rate: 4, jitterNs: { kind: 'unknown', reason: 'no tool' }, method: 'tcp', nested: { depth: 1 } }),
    body({ rate: 1, jitterNs: 7, failure: 'none' }),
    body({ rate: 9, isLowerBound: true, list: [1, 2] }),
    body({ rate: 2 }),
  ]);
  expect(summary).toEqual({
    version: 1,
    count: 4,
    failedCount: 0,
    figures: {
      rate: { min: 1, median: 3, max: 9, count: 4 },
      jitterNs: { min: 7, median: 7, max: 7, count: 1 },
      'nested.depth': { min: 1, median: 1, max: 1, count: 1 },
    },
  });
});

test('a failed attempt is counted, but the last good figures that it repeats are not', () => {
  const failed = body({ rate: 1, failure: { kind: 'unknown', reason: 'timeout' } });
  const summary = summarizeHour([body({ rate: 5, failure: 'none' }), failed, failed]);
  expect(summary).toMatchObject({
    count: 3,
    failedCount: 2,
    figures: { rate: { min: 5, max: 5, count: 1 } },
  });
});

test('bodies that are not records count and give no figures', () => {
  const bodies = ['', 'null', '[]', '{"payload":7}', '{"payload":', '\ufffd'].map(text =>
    new TextEncoder().encode(text),
  );
  bodies.push(new Uint8Array([0xff, 0xfe]));
  expect(summarizeHour(bodies)).toEqual({ version: 1, count: 7, failedCount: 0, figures: {} });
});

test('a body with endless figures or depth makes a row of bounded size', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, index]));
  expect(Object.keys(summarizeHour([body(many)]).figures)).toHaveLength(FIGURES_MAX);
  const deep = `{"payload":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
  expect(summarizeHour([new TextEncoder().encode(deep)]).figures).toEqual({});
});

test('a figure named like a property of every object is a figure', () => {
  const hostile = new TextEncoder().encode('{"payload":{"__proto__":3,"constructor":4}}');
  const { figures } = summarizeHour([hostile]);
  expect(Object.keys(figures).sort()).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(figures)).toBe(Object.prototype);
});

test('min, max and counts of merged hours are those of all records together', () => {
  const bodies = fc.array(
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .map(body),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(bodies, bodies, (first, second) => {
      const merged = mergeSummaries(summarizeHour(first), summarizeHour(second));
      const whole = summarizeHour([...first, ...second]);
      expect(exact(merged)).toEqual(exact(whole));
      for (const { min, median, max } of Object.values(merged.figures)) {
        expect(median).toBeGreaterThanOrEqual(min);
        expect(median).toBeLessThanOrEqual(max);
      }
      // JSON has no negative zero.
      const encoded = encodeHourlySummary(merged);
      expect(decodeHourlySummary(encoded)).toEqual(JSON.parse(JSON.stringify(merged)));
    }),
  );
});

test('bytes that are no summary are not taken for one', () => {
  for (const text of [
    '',
    '{}',
    '{"version":2}',
    '{"version":1,"count":1,"failedCount":0,"figures":{"a":{"min":1}}}',
  ])
    expect(decodeHourlySummary(new TextEncoder().encode(text))).toBeUndefined();
});

const exact = ({ count, failedCount, figures }: HourlySummary) => ({
  count,
  failedCount,
  figures: new Map(
    Object.entries(figures).map(([name, figure]) => [
      name,
      [figure.min, figure.max, figure.count].map(Number),
    ]),
  ),
});
