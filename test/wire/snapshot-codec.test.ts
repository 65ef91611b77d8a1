import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metric, MetricsSnapshot, SeriesMetric } from '../../src/core/run/snapshot.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import {
  decodeSnapshotPacked,
  encodeSnapshotPacked,
  snapshotFromJson,
  snapshotToJson,
} from '../../src/wire/snapshot-codec.ts';
import { longCount } from '../support/counts.ts';

const RUNS = longCount(200, 3_000);

const figure = fc
  .double({ min: -1e15, max: 1e15, noNaN: true })
  .map(value => (Object.is(value, -0) ? 0 : value));
const count = fc.maxSafeNat();
const key = fc.constantFrom('1', '50', '99', '99.9');
const digits = fc.bigInt({ min: 0n, max: 2n ** 200n }).map(String);

const series: fc.Arbitrary<SeriesMetric> = fc.record(
  {
    kind: fc.constant('series' as const),
    name: fc.constantFrom('ttftNs', 'latencyNs'),
    unit: fc.constantFrom('ns' as const, 'tokens' as const, 'ratio' as const, 'bytes' as const),
    count,
    total: digits,
    sumOfSquares: digits,
    min: fc.option(figure),
    max: fc.option(figure),
    percentiles: fc.dictionary(key, figure, { noNullPrototype: true }),
    isExact: fc.boolean(),
    estimates: fc.dictionary(key, fc.option(figure), { noNullPrototype: true }),
    failureAdjusted: fc.dictionary(key, fc.option(figure), { noNullPrototype: true }),
    histogram: fc.array(fc.tuple(figure, figure, count), { maxLength: 30 }),
    clampedCount: count,
    leftOutCount: count,
  },
  {
    requiredKeys: [
      'kind',
      'name',
      'unit',
      'count',
      'total',
      'sumOfSquares',
      'min',
      'max',
      'percentiles',
      'isExact',
      'histogram',
      'clampedCount',
      'leftOutCount',
    ],
  },
);

const metric: fc.Arbitrary<Metric> = fc.oneof(
  series,
  fc.record({ kind: fc.constant('counter' as const), name: fc.constant('samplesIssued'), value: count }),
);

const snapshot: fc.Arbitrary<MetricsSnapshot> = fc.record({
  seq: fc.integer({ min: 1 }),
  timestampNs: count,
  state: fc.constantFrom('initialize', 'live', 'draining', 'complete', 'interrupted'),
  pendingTasks: count,
  metrics: fc.array(metric, { maxLength: 20 }),
});

describe('a snapshot', () => {
  test('comes back from MessagePack as it was', () => {
    fc.assert(
      fc.property(snapshot, given => {
        expect(decodeSnapshotPacked(encodeSnapshotPacked(given))).toEqual(given);
      }),
      { numRuns: RUNS },
    );
  });

  test('comes back from JSON as it was', () => {
    fc.assert(
      fc.property(snapshot, given => {
        expect(snapshotFromJson(snapshotToJson(given))).toEqual(given);
      }),
      { numRuns: RUNS },
    );
  });

  test('with a figure that JSON cannot report is strict JSON all the same, and is read without that figure', () => {
    const text = snapshotToJson({
      ...SMALL,
      metrics: [
        { kind: 'counter', name: 'bytesSent', value: Number.NaN },
        { kind: 'counter', name: 'samplesIssued', value: 3 },
        { ...SERIES, min: Number.POSITIVE_INFINITY, percentiles: { '50': Number.NaN, '99': 4 } },
      ],
    });
    expect(text).not.toMatch(/NaN|Infinity/);
    expect(snapshotFromJson(text).metrics).toEqual([
      { kind: 'counter', name: 'samplesIssued', value: 3 },
      { ...SERIES, min: null, percentiles: { '99': 4 } },
    ]);
  });
});

describe('what is no snapshot', () => {
  test('is refused as MessagePack, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        expect(() => decodeSnapshotPacked(bytes)).toThrow(DecodeError);
      }),
      { numRuns: RUNS },
    );
  });

  test('is refused when cut or changed, or is another snapshot', () => {
    fc.assert(
      fc.property(snapshot, fc.nat(), fc.nat(255), (given, at, value) => {
        const bytes = encodeSnapshotPacked(given).slice();
        expect(() => decodeSnapshotPacked(bytes.subarray(0, at % bytes.length))).toThrow(DecodeError);
        bytes[at % bytes.length] = value;
        try {
          decodeSnapshotPacked(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('is refused as JSON, for any value', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(() => snapshotFromJson(text)).toThrow(DecodeError);
      }),
      { numRuns: RUNS },
    );
    expect(() => snapshotFromJson('{"schema": "plimsoll.snapshot/1", "seq"')).toThrow('not JSON');
  });

  test('is refused by name when it is of another version', () => {
    expect(() => decodeSnapshotPacked(encode(['plimsoll.snapshot/2', SMALL]))).toThrow(
      'a snapshot of schema plimsoll.snapshot/2 is not known',
    );
    expect(() => snapshotFromJson(JSON.stringify({ ...SMALL, schema: 'plimsoll.snapshot/2' }))).toThrow(
      'a snapshot of schema plimsoll.snapshot/2 is not known',
    );
  });

  test('is refused with the place that is wrong', () => {
    const wrong = { ...SMALL, metrics: [{ ...SERIES, total: 'many' }] };
    expect(() => snapshotFromJson(JSON.stringify({ schema: 'plimsoll.snapshot/1', ...wrong }))).toThrow(
      /metrics\.0/,
    );
  });
});

const SERIES: SeriesMetric = {
  kind: 'series',
  name: 'ttftNs',
  unit: 'ns',
  count: 1,
  total: '4',
  sumOfSquares: '16',
  min: 4,
  max: 4,
  percentiles: { '50': 4 },
  isExact: true,
  histogram: [[4, 40, 1]],
  clampedCount: 0,
  leftOutCount: 0,
};

const SMALL: MetricsSnapshot = { seq: 1, timestampNs: 5, state: 'live', pendingTasks: 0, metrics: [] };
