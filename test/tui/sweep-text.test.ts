import { describe, expect, test } from 'vitest';
import type { Stage, StageFigures, StageLoad } from '../../src/core/sweep/stage.ts';
import type { SweepDocument } from '../../src/core/sweep/sweep-document.ts';
import { SWEEP_SCHEMA } from '../../src/core/sweep/sweep-document.ts';
import { unknown } from '../../src/core/unknown.ts';
import { renderSweep, stageLine } from '../../src/tui/sweep-text.ts';

const MS = 1e6;
const rate = (requestsPerSecond: number): StageLoad => ({
  kind: 'rate',
  requestsPerSecond,
  arrival: 'poisson',
});

const figures = (more: Partial<StageFigures> = {}): StageFigures => ({
  issued: 100,
  completed: 100,
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
  objectives: [],
  attainment: 0.95,
  seed: 1,
  command: 'plimsoll sweep',
  environment: { node: '24', os: 'Linux', cpu: 'made up', cores: 2 },
  state: 'complete',
  stages: [stage(1, rate(10)), stage(2, rate(20), { figures: figures({ outputTokensPerSecond: 640 }) })],
  asked: [rate(10), rate(20)],
  resume: unknown('made up'),
  ...more,
});

const text = (document: SweepDocument, isUnicode = true): string =>
  renderSweep(document, { isUnicode })
    .join('\n')
    .replace(/[\u00a0\u202f]/g, ' ');

describe('the text of a sweep', () => {
  test('has a row and two bars for each stage, each bar as long as its figure', () => {
    const lines = text(sweep()).split('\n');
    expect(lines.filter(line => line.includes('10.0 req/s'))).toHaveLength(3);
    const bars = lines
      .filter(line => line.includes('█'))
      .map(line => line.match(/█+/g)?.map(bar => bar.length));
    expect(bars).toEqual([
      [24, 24],
      [12, 24],
    ]);
    expect(lines.join('\n')).toContain('Percentiles are of TTFT from intended.');
  });

  test('says of a load without an objective that its queue is stable, and of a closed loop nothing', () => {
    expect(text(sweep())).toMatch(/10\.0 req\/s +stable/);
    const users = text(sweep({ stages: [stage(1, { kind: 'concurrency', concurrency: 4 })] }));
    expect(users).toMatch(/4 at a time +– /);
    expect(users).not.toContain('holds');
  });

  test('says which loads were not tried, and marks a queue that grew', () => {
    const shown = text(
      sweep({
        stages: [stage(1, rate(10), { verdict: 'over-capacity' })],
        endedEarly: '20.0 req/s was not tried',
      }),
    );
    expect(shown).toMatch(/over capacity/);
    expect(shown).toContain('40.0 ms, and growing');
    expect(shown).toContain('It ended early: 20.0 req/s was not tried.');
  });

  test('of stages without any answer has a table and no chart', () => {
    const none = figures({ curve: unknown('no request completed'), outputTokensPerSecond: unknown('none') });
    const shown = text(sweep({ stages: [stage(1, rate(10), { verdict: 'broken', figures: none })] }));
    expect(shown).toContain('broken');
    expect(shown).not.toContain('█');
    expect(text(sweep({ stages: [] }))).toContain('No stage has begun.');
  });

  test('lets no name speak to the terminal, and is plain ASCII where there is nothing else', () => {
    const evil = sweep({
      model: 'a\u001b[31mmodel',
      stages: [stage(1, rate(10), { reasons: ['b\u001b]0;x'] })],
    });
    expect(text(evil)).not.toContain('\u001b');
    expect(stageLine(stage(1, rate(10), { reasons: ['c\u001b[2J'] }))).not.toContain('\u001b');
    expect(renderSweep(sweep(), { isUnicode: false }).join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
  });
});
