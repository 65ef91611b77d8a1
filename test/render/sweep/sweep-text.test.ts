import { describe, expect, test } from 'vitest';
import type { ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import type { Stage, StageFigures, StageLoad } from '../../../src/core/sweep/stage.ts';
import {
  type LineDocument,
  SWEEP_SCHEMA,
  type SweepDocument,
} from '../../../src/core/sweep/sweep-document.ts';
import { textWidth } from '../../../src/core/text/columns.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { sectionCellText } from '../../../src/render/section.ts';
import { leadOf } from '../../../src/render/sweep/line-lead.ts';
import { picturedStages } from '../../../src/render/sweep/pictured-stage.ts';
import { stageSection } from '../../../src/render/sweep/stage-columns.ts';
import { searchScreen, stageLine, sweepText } from '../../../src/render/sweep/sweep-text.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

const MS = 1e6;
const rate = (requestsPerSecond: number): StageLoad => ({
  kind: 'rate',
  requestsPerSecond,
  arrival: 'poisson',
});
const users = (concurrency: number): StageLoad => ({ kind: 'concurrency', concurrency });

const figures = (more: Partial<StageFigures> = {}): StageFigures => ({
  issued: 1_000,
  completed: 1_000,
  failed: 0,
  cancelled: 0,
  elapsedNs: 10e9,
  completedPerSecond: 10,
  outputTokensPerSecond: 1_280,
  perUserTokensPerSecond: 50,
  attainment: unknown('no objective'),
  objectives: [],
  curve: {
    series: 'ttftFromIntendedNs',
    p50: 20 * MS,
    percentile: 95,
    atPercentile: 40 * MS,
    p99: 80 * MS,
  },
  inFlightGrowthPerMinute: unknown('too few'),
  littlesLawRatio: 1,
  steadyFromNs: 0,
  timeline: { stepNs: 1e9, inFlight: [1], serverQueue: unknown('not asked') },
  ...more,
});

const stage = (number: number, load: StageLoad, more: Partial<Stage> = {}): Stage => ({
  number,
  load,
  purpose: 'asked',
  seed: 1,
  runId: `r${number}`,
  directory: `stage-0${number}`,
  startedAt: '2026-01-01T00:00:00.000Z',
  state: 'ended',
  verdict: 'held',
  reasons: ['it says why'],
  figures: figures(),
  ...more,
});

const sweep = (more: Partial<SweepDocument> = {}): SweepDocument => ({
  schema: SWEEP_SCHEMA,
  id: 'sweep-1',
  plimsoll: { version: '1' },
  name: unknown('not given'),
  tags: {},
  startedAt: '2026-01-01T00:00:00.000Z',
  target: 'http://127.0.0.1:1',
  model: 'made-up',
  serverKind: 'vLLM',
  dataset: 'synthetic',
  objectives: ['ttft.p95=60ms'],
  attainment: 0.95,
  seed: 1,
  command: 'plimsoll sweep',
  environment: { node: '24', os: 'Linux', cpu: 'made up', cores: 2 },
  state: 'complete',
  stages: [stage(1, rate(10)), stage(2, rate(20), { figures: figures({ outputTokensPerSecond: 640 }) })],
  requested: [rate(10), rate(20)],
  resume: unknown('made up'),
  ...more,
});

const plain = (lines: readonly string[]): string => lines.join('\n').replace(/[\u00a0\u202f]/g, ' ');

const text = (document: SweepDocument | LineDocument, columns = 100): string =>
  plain(sweepText(document, { isUnicode: true, columns }));

const widest = (lines: readonly string[]): number => Math.max(...lines.map(textWidth));

describe('the text of a sweep', () => {
  test('has a row and two bars for each stage, each bar as long as its figure', () => {
    const lines = text(sweep()).split('\n');
    const bars = lines
      .filter(line => line.includes('█'))
      .map(line => line.match(/█+/g)?.map(bar => bar.length));
    expect(bars).toEqual([
      [24, 24],
      [12, 24],
    ]);
    expect(lines.join('\n')).toMatch(/^ +1 +10\/s +held +10\.0 +1 280 +50\.0 +20 ms +40 ms +80 ms/m);
    expect(lines.join('\n')).toContain('percentiles of TTFT from intended');
  });

  test('has no bar of a percentile that a stage has too few requests for, as its table has no figure', () => {
    const few = stage(2, rate(20), { figures: figures({ issued: 5, completed: 5 }) });
    const bars = text(sweep({ stages: [stage(1, rate(10)), few] }))
      .split('\n')
      .filter(line => line.includes('█'));
    expect(bars[0]).toMatch(/ 40\.0 ms$/);
    expect(bars[1]).toMatch(/ – too few$/);
  });

  test('reports first how many loads held, and of the others what became of them', () => {
    const stages = [
      stage(1, rate(10)),
      stage(2, rate(20), { verdict: 'missed' }),
      stage(3, rate(30), { verdict: 'over-capacity' }),
      stage(4, rate(40), { verdict: 'undecided' }),
    ];
    expect(text(sweep({ stages }))).toMatch(
      /^1 of 4 loads held, the highest 10\/s\. At 20\/s an objective was missed; at 30\/s the queue grew; at\n40\/s there were too few requests to decide\./,
    );
  });

  test('reports of loads that were all undecided that none could be decided, not that none held', () => {
    const stages = [1, 2, 3].map(number => stage(number, rate(number), { verdict: 'undecided' }));
    const reported = text(sweep({ stages }));
    expect(reported).toMatch(/^None of 3 loads could be decided\.$/m);
    expect(reported).not.toContain('held');
  });

  test('reports of loads of which none held and some are undecided that none is known to hold', () => {
    const stages = [1, 2, 3, 4, 5, 6].map(number =>
      stage(number, rate(number), { verdict: number === 6 ? 'over-capacity' : 'undecided' }),
    );
    expect(text(sweep({ stages }), 200)).toMatch(
      /^None of 6 loads is known to hold\. At 6\/s the queue grew; at 1\/s, 2\/s, 3\/s and 2 more there were too few requests to decide\.$/m,
    );
  });

  test('of a closed loop without objectives reports what was measured: nothing could hold or fail', () => {
    const stages = [
      stage(1, users(1)),
      stage(2, users(4), { figures: figures({ outputTokensPerSecond: 4_000 }) }),
    ];
    expect(text(sweep({ stages, objectives: [], requested: [users(1), users(4)] }))).toMatch(
      /^2 loads measured, the most output 4 000 tokens\/s at 4 at a time\.$/m,
    );
  });

  test('reports which loads were not tried, and marks a queue that grew', () => {
    const stages = [stage(1, rate(10), { verdict: 'over-capacity' })];
    const shown = text(sweep({ stages, endedEarly: '20/s was not tried' }));
    expect(shown).toMatch(/failed, grows/);
    expect(shown).toContain('40.0 ms, growing');
    expect(shown).toContain('It ended early: 20/s was not tried.');
  });

  test('of stages without any answer has a table and no chart', () => {
    const none = figures({ curve: unknown('no request completed'), outputTokensPerSecond: unknown('none') });
    const shown = text(sweep({ stages: [stage(1, rate(10), { verdict: 'broken', figures: none })] }));
    expect(shown).toContain('broke');
    expect(shown).not.toContain('█');
    expect(text(sweep({ stages: [] }))).toContain('No stage has started.');
  });

  test.each([40, 80, 120])('fits %d columns, and leaves out no load and no result', columns => {
    const reasons = [
      'the queue grows: requests in flight change by +1 528 a minute (+921 to +2 134) '.repeat(3),
    ];
    const stages = [1, 22, 333, 4_444].map((each, index) =>
      stage(index + 1, rate(each), { verdict: index > 1 ? 'over-capacity' : 'undecided', reasons }),
    );
    const lines = sweepText(sweep({ stages }), { isUnicode: true, columns });
    expect(widest(lines)).toBeLessThanOrEqual(Math.max(columns, 63));
    expect(plain(lines)).toMatch(/^ +3 +333\/s +failed, grows/m);
    expect(plain(lines)).not.toContain('…');
  });

  test('reports nothing of the share of single requests where no objective is about them', () => {
    expect(text(sweep())).toMatch(/objectives +ttft\.p95=60ms$/m);
    expect(text(sweep({ objectives: ['ttft=60ms'] }))).toMatch(
      /objectives +ttft=60ms for 95 % of requests$/m,
    );
  });

  test('lets no name control the terminal, and is plain ASCII where there is nothing else', () => {
    const stages = [stage(1, rate(10), { reasons: ['b\u001b]0;x'] })];
    expect(text(sweep({ model: 'a\u001b[31mmodel', stages }))).not.toContain('\u001b');
    expect(stageLine(stage(1, rate(10), { reasons: ['c\u001b[2J'] }))).not.toContain('\u001b');
    expect(sweepText(sweep(), { isUnicode: false, columns: 80 }).join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
  });
});

describe('the text of a load line', () => {
  test('reports the bracket in its first line, then every stage with its purpose', () => {
    const shown = text(madeUpLine(), 120);
    expect(shown).toMatch(
      /^Carries 12 to 12\.5 requests\/s at TTFT ≤ 500 ms for 95 % of the requests; above/,
    );
    expect(shown).toMatch(/^ +9 +12\.5\/s +bisect +failed, grows/m);
    expect(shown).toMatch(/^ {2}search +ends at most 5 % apart, each verdict with 95 % confidence/m);
  });

  test('with tiers has the sentence of each after its own', () => {
    const tier = {
      name: 'gold',
      objectives: ['ttft.p95=200ms'],
      line: { kind: 'unknown', reason: 'no load was decided' },
      sentence: 'nothing is known: no load was decided',
    } as const;
    const text = sweepText(madeUpLine(undefined, { tiers: [tier] }), { isUnicode: true, columns: 400 });
    expect(text[0]).toMatch(/^Carries .*grows\. Tier gold: nothing is known: no load was decided\.$/);
  });

  test('that was stopped reports it before all else', () => {
    expect(text(madeUpLine(undefined, { state: 'stopped' }))).toMatch(/^STOPPED: RESULTS UP TO THAT POINT\n/);
  });

  test.each([12, 24, 60])(
    'while it runs shows what is known and what comes next on a screen of %d rows',
    rows => {
      const footer = ['Ctrl-C ends the search and keeps what is known.'];
      const lines = searchScreen(madeUpLine(370), { isUnicode: true, columns: 80, rows, footer });
      if (rows > 20) expect(lines.length).toBeLessThanOrEqual(rows);
      const shown = plain(lines);
      expect(shown).toMatch(
        /^\d of about \d+ stages, at most \d+:\d\d left\nNext: \S+ if this load holds, \S+ if it does not$/m,
      );
      expect(shown).toMatch(/^ +7 +14\/s +running /m);
      expect(lines.at(-1)).toBe(footer[0]);
      expect(widest(lines)).toBeLessThanOrEqual(80);
    },
  );
});

test('a stage that ends is one line: its load, what became of it, figures, and why', () => {
  expect(
    plain([stageLine(stage(3, rate(100), { verdict: 'over-capacity', reasons: ['the queue grows'] }))]),
  ).toBe('Stage 3 at 100/s: failed, grows; p95 40 ms; 10.0 requests/s; 1 280 tok/s. The queue grows');
});

describe('the tail of a stage', () => {
  test('is left out of its line if too few requests were seen for it', () => {
    const few = stage(3, rate(100), { figures: figures({ issued: 10, completed: 10 }) });
    expect(plain([stageLine(few)])).toMatch(/^Stage 3 at 100\/s: \S+; 10\.0 requests\/s/u);
  });

  const cellsOf = (completed: number): readonly string[] => {
    const few = stage(1, rate(5), { figures: figures({ issued: completed, completed }) });
    const [table] = stageSection(picturedStages([few]), 'sweep').tables;
    return ['p50', 'p95', 'p99'].map(title =>
      sectionCellText(table?.rows[0]?.[table.columns.indexOf(title)] ?? ''),
    );
  };

  test('has a dash if too few requests were seen for it', () => {
    expect(cellsOf(10)).toEqual(['20\u00a0ms', '– too few', '– too few']);
    expect(cellsOf(200)).toEqual(['20\u00a0ms', '40\u00a0ms', '– too few']);
    expect(cellsOf(1_000)).toEqual(['20\u00a0ms', '40\u00a0ms', '80\u00a0ms']);
  });
});

describe('an objective that the percentiles of a stage do not show', () => {
  const judged = (value: number | null, more: Partial<ObjectiveAnswer> = {}): ObjectiveAnswer => ({
    objective: 'session.p95=700ms',
    limit: 700 * MS,
    unit: 'ns',
    isOfSessions: true,
    estimate: { value, low: 600 * MS, high: 800 * MS },
    answer: 'met',
    samplesNeeded: 100,
    ...more,
  });
  const onCurve: ObjectiveAnswer = { ...judged(40 * MS), objective: 'ttft.p95=60ms' };
  const of = (answer: ObjectiveAnswer): Stage =>
    stage(1, users(9), { figures: figures({ objectives: [onCurve, answer] }) });
  const columnOf = (answer: ObjectiveAnswer) => {
    const [table] = stageSection(picturedStages([of(answer)]), 'line').tables;
    const at = table?.columns.indexOf('session p95') ?? -1;
    return { columns: table?.columns, cell: sectionCellText(table?.rows[0]?.[at] ?? '') };
  };

  test('has a column of its own, next to the result', () => {
    const { columns, cell } = columnOf(judged(649 * MS));
    expect(columns?.slice(0, 6)).toEqual(['stage', 'load', 'why', 'result', 'session p95', 'p50']);
    expect(cell).toBe('649\u00a0ms');
  });

  test('is a least time if it is beyond all samples, and none if they were too few', () => {
    expect(columnOf(judged(null, { answer: 'missed' })).cell).toBe('≥ 600\u00a0ms');
    const estimate = { value: 649 * MS, low: 300 * MS, high: null };
    expect(columnOf(judged(0, { estimate, answer: 'too-few-samples' })).cell).toBe('– too few');
    expect(columnOf(judged(0, { estimate: unknown('no session ended') })).cell).toBe('– too few');
  });

  test('is what the load line is carried with, if there is no other', () => {
    const leadWith = (objectives: readonly string[]): string =>
      leadOf({
        sweep: { form: 'line', by: 'concurrency', concurrencyOf: 'sessions', objectives, attainment: 1 },
        line: { kind: 'at-least', holds: 9, limit: 'budget' },
        stages: picturedStages([of(judged(649 * MS))]),
        isLive: false,
        reason: '',
        target: 'bosun',
      })
        .map(({ text }) => text)
        .join('');
    expect(leadWith(['session.p95=700ms'])).toContain('9 sessions at a time with session p95 at 649\u00a0ms');
    expect(leadWith(['ttft.p95=60ms', 'session.p95=700ms'])).toContain(
      '9 sessions at a time with p95 at 40\u00a0ms',
    );
  });
});
