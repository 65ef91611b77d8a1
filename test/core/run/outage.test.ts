import { describe, expect, test } from 'vitest';
import { type Outage, OutageTally } from '../../../src/core/run/outage.ts';
import type { FailureKind } from '../../../src/core/run/outcome.ts';

const S = 1e9;

const completed = (sentNs: number, endNs: number) =>
  ({ sentNs, endNs, outcome: 'completed', failure: undefined, bytesSent: 300, bytesReceived: 300 }) as const;
const failed = (endNs: number, kind: FailureKind, statusCode = 0, sentNs = endNs) =>
  ({
    sentNs,
    endNs,
    outcome: 'failed',
    failure: { kind, statusCode, detail: '' },
    bytesSent: kind === 'connect' ? 0 : 300,
    bytesReceived: 0,
  }) as const;

const outagesOf = (samples: readonly Parameters<OutageTally['ended']>[0][]): readonly Outage[] => {
  const tally = new OutageTally();
  for (const sample of samples) tally.ended(sample);
  return tally.outages();
};

/** One user: a second each, from and to in seconds. */
const answeredBetween = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => completed((from + at) * S, (from + at + 1) * S));
const refusedBetween = (from: number, to: number) =>
  Array.from({ length: (to - from) * 4 }, (_, at) => failed((from + at / 4) * S, 'connect'));

describe('OutageTally', () => {
  test('reports when a server that was killed refused connections, to the nanosecond', () => {
    const outages = outagesOf([
      ...answeredBetween(0, 12),
      failed(12.3 * S, 'reset', 0, 12 * S),
      ...refusedBetween(13, 31),
      completed(31.25 * S, 32 * S),
      ...answeredBetween(32, 40),
    ]);
    expect(outages).toEqual([{ fromNs: 12.3 * S, toNs: 31.25 * S, isOver: true, failed: 73 }]);
  });

  test('reports one that was not over when the run ended', () => {
    expect(outagesOf([...answeredBetween(0, 2), ...refusedBetween(2, 5)])).toEqual([
      { fromNs: 2 * S, toNs: 4.75 * S, isOver: false, failed: 12 },
    ]);
  });

  test('reports the time in which a proxy returned 502, 503 and 504', () => {
    const outages = outagesOf([
      ...answeredBetween(0, 2),
      ...[502, 502, 503, 504].map((status, at) => failed((2 + at / 2) * S, 'http-status', status)),
      ...answeredBetween(5, 6),
    ]);
    expect(outages).toEqual([{ fromNs: 2 * S, toNs: 5 * S, isOver: true, failed: 4 }]);
  });

  test('finds the same in any order of the samples', () => {
    const samples = [...answeredBetween(0, 2), ...refusedBetween(2, 5), ...answeredBetween(6, 8)];
    expect(outagesOf(samples.toReversed())).toEqual(outagesOf(samples));
  });

  test('calls a busy server that returns 503 to some not away: others are answered meanwhile', () => {
    const busy = Array.from({ length: 20 }, (_, at) => failed(at * S, 'http-status', 503));
    expect(outagesOf([completed(0, 30 * S), ...busy])).toEqual([]);
  });

  test('calls a server whose queue is full there, whether it refuses some requests or all for a while', () => {
    const full = Array.from({ length: 20 }, (_, at) => ({
      ...failed((2 + at / 10) * S, 'http-status', 503),
      failure: { kind: 'http-status', statusCode: 503, detail: 'The request queue is full' } as const,
    }));
    expect(outagesOf([...answeredBetween(0, 2), ...full, ...answeredBetween(4, 6)])).toEqual([]);
  });

  test('calls lost connections alone no outage', () => {
    expect(
      outagesOf([completed(0, S), failed(2 * S, 'reset'), failed(9 * S, 'reset'), completed(10 * S, 11 * S)]),
    ).toEqual([]);
  });

  test('calls one refused connection no outage, however long nobody tried again', () => {
    expect(outagesOf([completed(0, S), failed(2 * S, 'connect'), completed(12 * S, 13 * S)])).toEqual([]);
  });

  test('calls a server that returns 500 to everything there', () => {
    const broken = Array.from({ length: 20 }, (_, at) => failed(at * S, 'http-status', 500));
    expect(outagesOf([completed(0, S), ...broken])).toEqual([]);
  });

  test('reports none if nothing was ever answered', () => {
    expect(outagesOf(refusedBetween(0, 30))).toEqual([]);
  });

  test('counts the time for which a connection was tried', () => {
    const tried = [failed(9 * S, 'timeout', 0, 4 * S), failed(9.1 * S, 'timeout', 0, 4 * S)];
    const unsent = tried.map(sample => ({ ...sample, bytesSent: 0 }));
    expect(outagesOf([completed(0, S), ...unsent, completed(10 * S, 11 * S)])).toEqual([
      { fromNs: 4 * S, toNs: 10 * S, isOver: true, failed: 2 },
    ]);
  });

  test('reports when a server took requests of a schedule and sent nothing, which is not down', () => {
    const answered = (sentNs: number) => completed(sentNs, sentNs + 0.02 * S);
    const sent = Array.from({ length: 160 }, (_, at) => (at * S) / 20);
    const samples = sent.map(at =>
      at >= 3 * S && at < 6 * S ? failed(at + 3 * S, 'timeout', 0, at) : answered(at),
    );
    const expected = [{ fromNs: 3 * S, toNs: 6 * S, isOver: true, failed: 60, isSilent: true }];
    expect(outagesOf(samples)).toEqual(expected);
    expect(outagesOf(samples.toReversed())).toEqual(expected);
  });

  test('reports of a server that hangs with all users until the end that it did not answer again', () => {
    const hanging = [0, 3].flatMap(from =>
      [2.9, 3.05].map(at => failed((at + from + 3) * S, 'timeout', 0, (at + from) * S)),
    );
    expect(outagesOf([...answeredBetween(0, 2), completed(2 * S, 2.8 * S), ...hanging])).toEqual([
      { fromNs: 2.9 * S, toNs: 9.05 * S, isOver: false, failed: 4, isSilent: true },
    ]);
  });

  test('calls requests that run into their timeout no outage while others are answered, or a byte came', () => {
    const stuck = Array.from({ length: 6 }, (_, at) => failed((at * 2 + 30) * S, 'timeout', 0, at * 2 * S));
    const every = Array.from({ length: 12 }, (_, at) => completed((at + 0.5) * S, (at + 0.51) * S));
    expect(outagesOf([...stuck, ...every])).toEqual([]);
    const slow = [2, 2.1, 2.2].map(at => ({
      ...failed((at + 9) * S, 'timeout', 0, at * S),
      bytesReceived: 90,
    }));
    expect(outagesOf([...answeredBetween(0, 2), ...slow])).toEqual([]);
  });

  test('keeps apart two outages with an answer between them', () => {
    const outages = outagesOf([
      ...answeredBetween(0, 2),
      ...refusedBetween(2, 4),
      ...answeredBetween(4, 6),
      ...refusedBetween(6, 9),
      ...answeredBetween(9, 10),
    ]);
    expect(outages.map(({ fromNs, toNs }) => [fromNs / S, toNs / S])).toEqual([
      [2, 4],
      [6, 9],
    ]);
  });

  test('follows a run of a day, with steps of 21 s', () => {
    const hour = 3_600;
    const outages = outagesOf([
      completed(0, 10 * hour * S),
      ...refusedBetween(10 * hour + 1, 10 * hour + 600),
      completed((10 * hour + 700) * S, 24 * hour * S),
    ]);
    expect(outages).toEqual([
      { fromNs: (10 * hour + 1) * S, toNs: (10 * hour + 700) * S, isOver: true, failed: 4 * 599 },
    ]);
  });

  test('reports the twenty longest of a server that comes and goes', () => {
    const flapping = Array.from({ length: 40 }, (_, at) => [
      completed(10 * at * S, (10 * at + 1) * S),
      ...refusedBetween(10 * at + (at < 20 ? 4 : 2), 10 * at + 6),
    ]).flat();
    const outages = outagesOf([...flapping, completed(400 * S, 401 * S)]);
    expect(outages).toHaveLength(20);
    expect(outages[0]?.fromNs).toBe(202 * S);
  });
});
