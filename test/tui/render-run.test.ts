import { describe, expect, test } from 'vitest';
import { LiveSessionTally } from '../../src/core/run/live-sessions.ts';
import { unknown } from '../../src/core/unknown.ts';
import { renderRun, renderRunLine } from '../../src/tui/render-run.ts';
import { progressOf, type WatchedRun } from '../../src/tui/watched-run.ts';
import { NO_ROOM, runSnapshot, watchedRun as view } from './run-snapshot.ts';

const NOT_YET = unknown('none completed');

const screen = (changes: Partial<WatchedRun> = {}, columns = 100): string =>
  renderRun(view(changes), { columns, rows: 40, color: false, isUnicode: true })
    .join('\n')
    .replace(/[\u00a0\u202f]/g, ' ');

describe('the screen of a run', () => {
  test('reports what is asked, how far it is, rates, percentiles, errors and notices', () => {
    const text = screen();
    expect(text).toContain('http://127.0.0.1:8000 · a-model · 8 at a time');
    expect(text).toMatch(/█+░+ 103 of 206 requests, 0:12 · 0:12 left/);
    expect(text).toMatch(/requests\/s +84\.0 · now 99\.4/);
    expect(text).toMatch(/output tokens\/s +840 · now 994/);
    expect(text).toMatch(/100 completed · 3 failed · 8 in flight/);
    expect(text).toMatch(/TTFT +55(\.\d)? ms +54(\.\d)? ms +58(\.\d)? ms +– few +– few +59(\.\d)? ms +100/);
    expect(text).toMatch(/latency +200 ms +200 ms +200 ms +– few +– few +200 ms +100/);
    expect(text).toContain('failed  3 × HTTP 500, at 0:02: no room');
    expect(text).toMatch(/TTFT, logarithmic, \d+ in the tallest bar/);
    expect(text).toContain('a notice');
    expect(text).not.toContain(' old');
  });

  test('reports whole what spoils its figures so far, and a line of a log how many things do', () => {
    const spoiled = [
      "Another-model answered 12 of 103 requests, which were for a-model (12 of 103 requests). Use the server's name of the model with --model, or check what a router does.",
    ];
    expect(screen({ spoiled }, 60).replace(/\n +/g, ' ')).toContain(`! ${spoiled[0]}`);
    expect(renderRunLine(view({ spoiled }))).toContain(' · 1 thing spoils figures · ');
  });

  test('reports which sessions run, in which turn, and the first turns against later ones', () => {
    const tally = new LiveSessionTally();
    for (const turn of [0, 1]) tally.issued({ session: 0, turn, turns: 3 });
    for (const session of [1, 2]) tally.issued({ session, turn: 0, turns: 3 });
    const snapshot = { ...runSnapshot(), sessions: tally.figures() };
    const text = screen({ snapshot });
    expect(text).toMatch(/sessions +3 running · 0 completed\n +turn 1: 2 · turn 2: 1\n/);
    expect(text).toMatch(/TTFT +first turns p50 –, p90 – · later turns p50 –, p90 –\n/);
    expect(renderRunLine(view({ snapshot }))).toContain(' · sessions 3 running, 0 completed · ');
  });

  test('leaves out a series of which no completed request has a value, and waits for it before', () => {
    expect(screen()).toMatch(/TPOT +10/);
    expect(screen({ snapshot: runSnapshot({ outputTokens: -1 }) })).not.toContain('TPOT');
    expect(screen({ snapshot: runSnapshot({ completed: 0 }) })).toMatch(/TPOT +(– none +){6}0/);
  });

  test('has a row for each agent, and reports of one that is lost why', () => {
    const counts = { issued: 52, completed: 48, failed: 1, cancelled: 0, unresolved: 3 };
    const agents = [
      {
        agent: 'atlas',
        state: 'loading',
        counts,
        requestsPerSecond: 42.04,
        verdict: 'trustworthy',
        reason: '',
      },
      {
        agent: 'boreas',
        state: 'lost',
        counts,
        requestsPerSecond: NOT_YET,
        verdict: 'unknown',
        reason: 'it was silent for 5 s',
      },
    ] as const;
    const text = screen({ snapshot: { ...runSnapshot(), agents } });
    expect(text).toMatch(/agent +issued +completed +failed +in flight +requests\/s +so far/);
    expect(text).toMatch(/atlas +52 +48 +1 +3 +42\.0 +trustworthy/);
    expect(text).toMatch(/boreas +52 +48 +1 +3 +– +lost/);
    expect(text).toContain('boreas: it was silent for 5 s');
    expect(screen()).not.toContain('so far');
  });

  test('reports of each objective what its samples report it far, with the share that meets it', () => {
    const objectives = [
      {
        objective: 'ttft.p95=500ms',
        limit: 5e8,
        unit: 'ns',
        estimate: { value: 312e6, low: 295e6, high: 340e6 },
        answer: 'met',
        samplesNeeded: 100,
      },
      {
        objective: 'ttft=300ms for 95% of requests',
        limit: 0.95,
        unit: 'share',
        estimate: { value: 0.961, low: 0.9, high: 0.98 },
        answer: 'too-few-samples',
        samplesNeeded: 1_400,
      },
    ] as const;
    const snapshot = { ...runSnapshot(), objectives };
    const text = screen({ snapshot }, 140);
    expect(text).toMatch(/ttft\.p95=500ms +met so far +312 ms \(295 ms to 340 ms\)\n/);
    expect(text).toContain(
      'ttft=300ms for 95% of requests  too few requests so far  96.1 % (90 % to 98 %); about 1 400 requests would decide',
    );
    // What would decide is not cut off where the terminal is narrow.
    expect(screen({ snapshot }, 80)).toMatch(
      /too few requests so far\n {4}96\.1 % \(90 % to 98 %\); about 1 400 requests would decide\n/,
    );
    expect(screen({ snapshot, stage: 'ended' })).not.toContain('so far');
    expect(renderRunLine(view({ snapshot }))).toContain(
      ' · ttft.p95=500ms met so far: 312 ms (295 ms to 340 ms) · ttft=300ms for 95% of requests too few requests so far: 96.1 % (90 % to 98 %); about 1 400 requests would decide · ',
    );
  });

  test('reports when its figures are old', () => {
    expect(screen({ snapshotAgeMs: 4_200 })).toContain('figures 4 s old');
  });

  test('waits for figures in words, and goes by time where that is the limit', () => {
    const text = screen({
      snapshot: undefined,
      snapshotAgeMs: undefined,
      recent: {
        requestsPerSecond: unknown('too early for a rate'),
        outputTokensPerSecond: unknown('too early for a rate'),
      },
      run: { ...view().run, limits: { samplesMax: undefined, durationMs: 48_000 } },
    });
    expect(text).toContain('waiting for the first figures');
    expect(text).toContain('0:12 of 0:48 · 0:36 left');
  });

  test.each([60, 80, 132])('of %s columns has no line that is wider', columns => {
    for (const line of screen({}, columns).split('\n')) {
      expect(line.length, line).toBeLessThanOrEqual(columns);
    }
  });

  test('breaks its sentences between words, and cuts none', () => {
    const sentence = 'a server that answers at great length about why it had no room for this request '
      .repeat(3)
      .trim();
    const group = { ...NO_ROOM, message: sentence, example: sentence };
    const text = screen(
      {
        notices: [sentence],
        snapshot: { ...runSnapshot(), failures: { groups: [group], outages: [] } },
      },
      60,
    );
    expect(text.replace(/\s+/gu, ' ').split(sentence)).toHaveLength(3);
    expect(text).toMatch(/^ {2}failed {2}3 × HTTP 500.*\n {10}\S/mu);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60);
  });

  test('fits a short terminal: empty lines go first, then the histogram', () => {
    const options = { columns: 100, color: false, isUnicode: true };
    const lines = (rows: number): readonly string[] => renderRun(view(), { ...options, rows });
    expect(lines(40).length).toBeGreaterThan(23);
    expect(lines(23).length).toBeLessThanOrEqual(23);
    expect(lines(23).join()).toContain('logarithmic');
    expect(lines(16).length).toBeLessThanOrEqual(16);
    expect(lines(16).join()).not.toContain('logarithmic');
    expect(lines(16).join()).toContain('HTTP 500');
  });

  test('of a plain terminal has nothing but ASCII', () => {
    const lines = renderRun(view(), { columns: 100, rows: 40, color: false, isUnicode: false }).join('');
    expect(lines).toMatch(/^[\x20-\x7e]*$/);
    expect(lines).not.toContain('?');
  });

  test('never sends what a server calls its model to the terminal as an order', () => {
    expect(screen({ run: { ...view().run, model: '\u001b[2J' } })).not.toContain('\u001b');
  });
});

describe('the line of a run', () => {
  test('has what a log needs', () => {
    expect(renderRunLine(view())).toMatch(
      /^0:12 measuring · 111 issued · 100 completed · 3 failed · 99\.4 req\/s · 994 tok\/s · TTFT p50 54(\.\d)? ms, p90 58(\.\d)? ms, p99 too few$/,
    );
  });
});

describe('figures of a run', () => {
  test('are progress by the limit that is nearer', () => {
    const limits = { samplesMax: 206, durationMs: 16_000 };
    expect(progressOf(view({ run: { ...view().run, limits } }))).toEqual({ share: 0.75, leftMs: 4_000 });
    expect(progressOf(view({ elapsedMs: 0 })).leftMs).toBeUndefined();
  });
});
