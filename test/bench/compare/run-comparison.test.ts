// The driver of comparisons, with runs that are made up: what it runs in which order, when it stops, and what it keeps.

import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../src/bench/bench-error.ts';
import type { KeptSegment, SideParts } from '../../../src/bench/compare/compared-side.ts';
import { compareExit } from '../../../src/cli/commands/compare.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { SessionTally } from '../../../src/core/run/session-report.ts';
import { comparisonText } from '../../../src/render/comparison/comparison-text.ts';
import { comparisonFromJson, comparisonToJson } from '../../../src/wire/stored-json.ts';
import { compare, hinderedClient, measured, SLOWER, scaled, spoiled, withBound } from './compared-pairs.ts';

/** After its warm-up. */
const refusedBy = (report: Report): Report => ({
  ...report,
  counts: { issued: 0, completed: 0, failed: 0, cancelled: 0, unresolved: 0 },
  stopped: {
    cause: 'rejected',
    problem: 'every request would fail as the one of the warm-up did: HTTP 401, Incorrect API key provided',
    advice: 'To send the load all the same: --keep-going.',
    atNs: 2e9,
  },
  failures: {
    groups: [
      {
        kind: 'http-status',
        statusCode: 401,
        message: 'Incorrect API key provided',
        example: 'Incorrect API key provided',
        isVaried: false,
        count: 0,
        warmupCount: 1,
        firstAtNs: 2e9,
        lastAtNs: 2e9,
      },
    ],
    outages: [],
  },
});

/** Each session took as long as one of its requests. */
const ofSessions =
  (cut: number) =>
  (report: Report): Report => ({
    ...report,
    series: {
      ...report.series,
      ...(report.series.latencyNs === undefined ? {} : { sessionNs: report.series.latencyNs }),
    },
    sessions: {
      ...new SessionTally().report('sessions'),
      sessions: { begun: 300 + cut, completed: 300, failed: 0, cut },
    },
  });

describe('a comparison', () => {
  test('warms both up, goes through pairs in the order of the plan with one seed a pair, and ends at the look that decides', async () => {
    const { document, segments, written } = await compare();
    expect(segments.map(({ directory }) => directory)).toEqual([
      'warm-up-01-a',
      'warm-up-02-b',
      ...['1-a', '1-b', '2-b', '2-a', '3-b', '3-a', '4-a', '4-b', '5-b', '5-a', '6-a', '6-b'].map(
        name => `pair-0${name}`,
      ),
    ]);
    expect(segments.slice(2).map(({ seed }) => seed)).toEqual([
      101, 101, 102, 102, 103, 103, 104, 104, 105, 105, 106, 106,
    ]);
    expect(segments[5]?.tags).toEqual({ comparison: document.id, side: 'a', segment: 'pair-02-a' });
    expect(document).toMatchObject({ state: 'complete', verdict: { kind: 'worse' } });
    expect(document.looks.map(({ pairs }) => pairs)).toEqual([6]);
    expect(written).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 6]);
    expect(document.sentence).toMatch(/^B is worse: TTFT p90 \+(19|20|21)\.\d %/);
  });

  test('of sessions warms up for a time, and plays the same number of them in each segment', async () => {
    const { document, segments } = await compare({ sessions: 300, report: ofSessions(0) });
    expect(segments[0]?.limits).toEqual({ samplesMax: undefined, durationMs: 1 });
    expect(segments.slice(2).map(({ limits }) => limits)).toEqual(
      segments.slice(2).map(() => ({ samplesMax: 300, durationMs: undefined })),
    );
    const text = comparisonText(document, { isUnicode: true, columns: 100 }).join(' ');
    expect(text.replaceAll(/\s+/gu, ' ')).toContain('pairs of segments of 300 sessions');
    expect(document.metrics.find(({ name }) => name === 'session.p90')?.ratio).toMatchObject({ value: 1 });
  });

  test('claims nothing of whole sessions if the end of a segment cut some off', async () => {
    const { document } = await compare({ sessions: 300, report: ofSessions(2) });
    expect(document.metrics.map(({ name }) => name)).not.toContain('session.p90');
    expect(document.a.units[0]?.figures['session.p90']).toMatchObject({
      reason: expect.stringContaining('cut off 2 sessions'),
    });
  });

  test('takes the next looks where the first does not decide, and reports how many pairs would', async () => {
    const { document } = await compare({
      report: (report, { side, seed }) =>
        scaled(report, side === 'b' ? (1 + 0.2 * Math.sin(2 * seed)) / SLOWER : 1),
    });
    expect(document.looks.map(({ pairs }) => pairs)).toEqual([6, 8, 12]);
    expect(document.verdict).toMatchObject({ kind: 'undecided', pairsToDecide: expect.any(Number) });
  });

  test('that is stopped keeps whole pairs, and claims nothing before its first look', async () => {
    const stop = new AbortController();
    const { document, segments } = await compare({
      stop: stop.signal,
      began: ({ directory }) => {
        if (directory === 'pair-04-b') stop.abort();
      },
    });
    expect(segments.at(-1)?.directory).toBe('pair-04-b');
    expect(document).toMatchObject({
      state: 'stopped',
      endedEarly: 'it was stopped after 3 pairs, before the first look: nothing is decided',
      verdict: { kind: 'undecided' },
    });
    expect([document.a.units.length, document.b.units.length]).toEqual([3, 3]);
    for (const { verdict } of document.metrics)
      expect(verdict).toMatchObject({ kind: 'undecided', pairsToDecide: { kind: 'unknown' } });
  });

  test('of two models is refused after the warm-up, unless somebody has overruled it', async () => {
    const refused = await compare({ models: ['one', 'two'] });
    expect(refused.segments).toHaveLength(2);
    expect(refused.document).toMatchObject({
      state: 'complete',
      verdict: {
        kind: 'not-comparable',
        reason: 'the models have different names; if they are one model under two names, add --same-model',
      },
      refusals: [{ code: 'model', a: 'one', b: 'two' }],
    });
    const anyway = await compare({ models: ['one', 'two'], isAnyway: true });
    expect(anyway.document).toMatchObject({ verdict: { kind: 'worse' }, refusals: [{ code: 'model' }] });
  });

  test('of one model under two names is compared if somebody reports it, and lists the difference', async () => {
    const { document } = await compare({ models: ['org/m', '/models/m.gguf'], isSameModel: true });
    expect(document).toMatchObject({ verdict: { kind: 'worse' }, refusals: [] });
    expect(document.notices).toContain(
      'A calls its model org/m, B /models/m.gguf: compared as the same model (--same-model)',
    );
  });

  test('of one model under two names is refused all the same for everything else', async () => {
    const { document } = await compare({
      models: ['org/m', '/models/m.gguf'],
      isSameModel: true,
      report: (report, { directory }) => (directory.endsWith('-a') ? hinderedClient(report) : report),
    });
    expect(document.refusals.map(({ code }) => code)).toEqual(['client']);
  });

  test('measures a pair again in which the client was in the way, and does not count what it gave', async () => {
    let isFirst = true;
    const { document, segments } = await compare({
      report: (report, { directory }) => {
        if (directory !== 'pair-02-a' || !isFirst) return report;
        isFirst = false;
        return hinderedClient(report);
      },
    });
    expect(segments.slice(4, 8).map(({ directory, seed }) => [directory, seed])).toEqual([
      ['pair-02-b', 102],
      ['pair-02-a', 102],
      ['pair-02-b-again-1', 10_102],
      ['pair-02-a-again-1', 10_102],
    ]);
    expect(document.a.units.map(({ directory }) => directory).slice(0, 3)).toEqual([
      'pair-01-a',
      'pair-02-a-again-1',
      'pair-03-a',
    ]);
    expect(document).toMatchObject({ verdict: { kind: 'worse' }, refusals: [] });
    expect(document.notices).toContain(
      'Pair 2 was measured again, because this client was in the way; its first figures are stored, but not counted',
    );
  });

  test('is refused where the client is in the way again and again', async () => {
    const { document, segments } = await compare({ report: hinderedClient });
    expect(segments).toHaveLength(2 + 4 * 2);
    expect(document).toMatchObject({
      verdict: { kind: 'not-comparable' },
      refusals: [{ code: 'client', a: '1 of 1 segment: it was stalled' }],
    });
  });

  test('measures a pair again of which something spoiled one segment alone, and is refused where it does so twice', async () => {
    const once = await compare({
      report: (report, { directory }) => (directory === 'pair-02-a' ? spoiled(report) : report),
    });
    expect(once.segments[6]?.directory).toBe('pair-02-b-again-1');
    expect(once.document).toMatchObject({ verdict: { kind: 'worse' }, refusals: [] });
    expect(once.document.notices).toContain(
      'Pair 2 was measured again, because one of its segments alone was spoiled (other-clients); its first figures are stored, but not counted',
    );
    const always = await compare({
      report: (report, { side }) => (side === 'b' ? spoiled(report) : report),
    });
    expect(always.segments).toHaveLength(2 + 2 * 2);
    expect(always.document).toMatchObject({
      verdict: { kind: 'not-comparable' },
      refusals: [{ code: 'contamination', a: 'nothing', b: 'other-clients in 1 of 1 segment' }],
    });
  });

  test('notes what spoils both sides equally, and compares them', async () => {
    const { document } = await compare({ report: spoiled });
    expect(document).toMatchObject({ verdict: { kind: 'worse' }, refusals: [] });
    expect(document.notices).toContain(
      'Figures are spoiled (other-clients): the reports of the segments say by what',
    );
  });

  test.each([
    [0.1, { kind: 'worse' }, []],
    [0.6, { kind: 'not-comparable' }, ['client']],
  ])('of which the client may have made %d of the primary figure', async (part, verdict, refused) => {
    const { document } = await compare({ report: report => withBound(report, part) });
    expect(document).toMatchObject({ verdict });
    expect(document.refusals.map(({ code }) => code)).toEqual(refused);
    if (refused.length > 0)
      expect(document.refusals[0]?.a).toMatch(
        /^1 of 1 segment: TTFT p90 .* not usable, the client may be off by/,
      );
    else
      expect(document.notices).toContain(
        'In a segment or more this client may have made more than the margin of TTFT p90: a change of that size may be its own',
      );
  });

  test('whose server is gone in the middle keeps what it has, and reports what happened', async () => {
    const { document } = await compare({
      began: ({ directory }) => {
        if (directory === 'pair-03-b')
          throw new BenchError({ code: 'unreachable', problem: 'B cannot be reached', advice: '' });
      },
    });
    expect(document).toMatchObject({
      state: 'interrupted',
      endedEarly: 'pair 3 could not be measured with B, http://127.0.0.1:2: B cannot be reached',
    });
    expect(document.a.units).toHaveLength(2);
  });

  test('of which one server refuses the requests reports which, why and what to do, and that going on is no remedy', async () => {
    const { document, segments } = await compare({
      report: (report, { side }) => (side === 'b' ? refusedBy(report) : report),
    });
    expect(segments.map(({ directory }) => directory)).toEqual(['warm-up-01-a', 'warm-up-02-b']);
    expect(document).toMatchObject({
      state: 'interrupted',
      endedEarly:
        'it ended at B, http://127.0.0.1:2: every request would fail as the one of the warm-up did: HTTP 401, Incorrect API key provided',
    });
    expect(EXIT_CODES[compareExit(document, [])].code).toBe(23);
    const text = comparisonText(document, { isUnicode: true, columns: 80 });
    expect(text.slice(0, 6).join('\n')).toBe(
      `STOPPED at B, http://127.0.0.1:2: every request would fail as the one of the
warm-up did: HTTP 401, Incorrect API key provided. Provide a key that the server
accepts: --api-key-file FILE, or set OPENAI_API_KEY. To send the load all the
same: --keep-going.
  1 × HTTP 401, at 0:02, in warm-up: Incorrect API key provided
`,
    );
    expect(comparisonFromJson(comparisonToJson(document)).stopped).toEqual(document.stopped);
  });

  test('that goes on keeps its pairs, and runs those that are left in their order with their seeds', async () => {
    const stop = new AbortController();
    const first = await compare({
      stop: stop.signal,
      began: ({ directory }) => {
        if (directory === 'pair-04-b') stop.abort();
      },
    });
    const keptOf = ({ units }: ComparisonDocument['a'], model = 'm'): readonly KeptSegment[] =>
      units.map(unit => ({ unit, report: { ...measured, run: { ...measured.run, model } } }));
    const { a, b } = first.document;
    const { document, segments, written } = await compare({ kept: { a: keptOf(a), b: keptOf(b) } });
    expect(segments.slice(0, 4).map(({ directory, seed }) => `${directory} ${seed}`)).toEqual([
      'warm-up-01-a 100',
      'warm-up-02-b 100',
      'pair-04-a 104',
      'pair-04-b 104',
    ]);
    expect(written).toEqual([0, 3, 4, 5, 6, 6]);
    expect(document.a.units.slice(0, 3)).toEqual(a.units);
    expect(document).toMatchObject({ state: 'complete', verdict: { kind: 'worse' } });
    expect(document.looks.map(({ pairs }) => pairs)).toEqual([6]);
    const other = await compare({ kept: { a: keptOf(a, 'old'), b: keptOf(b, 'old') } });
    expect(other.document.refusals).toMatchObject([{ code: 'model', a: 'old, m', b: 'old, m' }]);
  });

  test('starts one server at a time once for its segments in a row, and warms it up right before them', async () => {
    const { segments } = await compare({ isOneAtATime: true, ready: oneAtATime('ABBABAAB') });
    expect(segments.slice(0, 7).map(({ directory }) => directory)).toEqual([
      'warm-up-01-a',
      'pair-01-a',
      'warm-up-02-b',
      'pair-01-b',
      'pair-02-b',
      'warm-up-03-a',
      'pair-02-a',
    ]);
  });

  test('of two models, one server at a time, is refused as soon as both have answered', async () => {
    const { document, segments } = await compare({
      models: ['one', 'two'],
      isOneAtATime: true,
      ready: oneAtATime('AB'),
    });
    expect(segments.map(({ directory }) => directory)).toEqual(['warm-up-01-a', 'pair-01-a', 'warm-up-02-b']);
    expect(document).toMatchObject({ state: 'complete', refusals: [{ code: 'model' }] });
  });
});

/** Fresh wherever the side changes. */
const oneAtATime = (order: string): SideParts['ready'] => {
  let turn = 0;
  return async () => {
    const isFresh = turn === 0 || order[turn] !== order[turn - 1];
    turn += 1;
    return isFresh ? 'fresh' : 'known';
  };
};
