import { describe, expect, test } from 'vitest';
import { type Stage, TIMELINE_POINTS_MAX } from '../../../src/core/sweep/stage.ts';
import { sweepAfterwards } from '../../../src/core/sweep/sweep-digest.ts';
import type { LineDocument } from '../../../src/core/sweep/sweep-document.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { sweepText } from '../../../src/render/sweep/sweep-text.ts';
import { stagesCsv } from '../../../src/report/csv/stages-csv.ts';
import { linePage } from '../../../src/report/html/line-page.ts';
import { sweepMarkdown } from '../../../src/report/markdown/sweep-markdown.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

const HOSTILE = `</script><img onerror=alert(1) src=x>"'\`</style>|\u202e\u001b[2J`;

const pageOf = (more: Partial<LineDocument> = {}): string =>
  linePage({ document: madeUpLine(undefined, more), fonts: [] });

const textIn = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/[\s\u00a0\u202f]+/g, ' ');

const tagsOf = (html: string): readonly string[] => [
  ...new Set([...html.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, name]) => name ?? '')),
];

const named = (text: string): Partial<LineDocument> => ({
  id: text,
  name: text,
  tags: { engine: text },
  target: text,
  model: text,
  serverKind: text,
  dataset: text,
  command: text,
  sentence: text,
  environment: { node: text, os: text, cpu: text, cores: 1 },
  stages: madeUpLine().stages.map(stage => ({ ...stage, reasons: [text] })),
});

describe('the report of a load line', () => {
  test('reports the answer first, then draws the curve with its mark, and lists every stage', () => {
    const html = pageOf();
    const text = textIn(html);
    expect(text).toMatch(/made-up on 127\.0\.0\.1:8000: 12 requests\/s/);
    expect(text).toMatch(/Held at 12, failed at 12\.5; 9 stages, .* under load\./);
    expect(text).toMatch(/carries 12 requests\/s with TTFT within 500 ms/);
    expect(text).toMatch(/5 16\/s .* failed, grows/);
    expect(html).toMatch(/<g class="mark"><circle/);
    expect(html.match(/<circle class="dot /g)?.length).toBeGreaterThanOrEqual(9);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('shows all foreign names as text', () => {
    const html = pageOf(named(HOSTILE));
    expect(tagsOf(html)).toEqual(tagsOf(pageOf(named('calm'))));
    expect(html).not.toContain('\u202e');
    expect(sweepMarkdown(madeUpLine(undefined, named(HOSTILE)))).not.toMatch(/^[^`]*<img/m);
    const lines = sweepText(madeUpLine(undefined, named(HOSTILE)), { isUnicode: true, columns: 80 });
    expect(lines.join('')).not.toContain('\u001b');
  });

  test.each([
    [{ kind: 'at-least', holds: 16, limit: 'client' } as const, /at least 16/i],
    [{ kind: 'at-most', fails: 2, failsBy: 'objective', limit: 'budget' } as const, /under 2/],
    [{ kind: 'none', fails: 1, failsBy: 'over-capacity' } as const, /No load holds/],
    [{ kind: 'unknown', reason: 'nothing was decided' } as const, /The line is not known/],
  ])('reports of a search that found no bracket what it found: %j', (line, text) => {
    const html = pageOf({ line });
    expect(textIn(html)).toMatch(text);
    expect(html).not.toMatch(/class="verdict good"|NaN|undefined/);
  });

  test('of one that was stopped reports it first, in amber', () => {
    const html = pageOf({ state: 'stopped' });
    expect(html).toMatch(/class="verdict caution"/);
    expect(textIn(html)).toMatch(/measured Stopped Held at/);
  });

  test('without a stage is still a page', () => {
    const html = pageOf({
      stages: [],
      line: { kind: 'unknown', reason: 'nothing was measured' },
      model: unknown('not asked'),
    });
    expect(textIn(html)).toMatch(/No stage has figures\./);
  });

  test('has less than 1.2 MB without its fonts for 100,000 requests in as many stages as a search may have', () => {
    const [stage] = madeUpLine().stages;
    if (stage === undefined || isUnknown(stage.figures)) throw new Error('a line has stages');
    const { figures } = stage;
    const noisy = (index: number): readonly number[] =>
      Array.from({ length: TIMELINE_POINTS_MAX }, (_, at) => 40 + 30 * Math.sin(at * 1.7 + index));
    const stages = Array.from({ length: 60 }, (_, index): Stage => {
      const timeline = { stepNs: 1.23456e8, inFlight: noisy(index), serverQueue: noisy(index + 1) };
      return {
        ...stage,
        number: index + 1,
        runId: `${stage.runId}-${index}`,
        load: { kind: 'rate', requestsPerSecond: 10 * 1.037 ** index, arrival: 'poisson' },
        reasons: [...stage.reasons, 'requests in flight change by +0.123 a minute (−0.456 to +0.789)'],
        figures: { ...figures, issued: 1_667, completed: 1_667, timeline },
      };
    });
    const html = pageOf({ stages });
    expect(textIn(html)).toContain('60');
    expect(html.length).toBeLessThan(1_200_000);
  });

  test('of one whose process died has no stage that runs, as CSV and as JSON too', () => {
    const cut = madeUpLine(370);
    expect(cut.stages.at(-1)?.state).toBe('running');
    expect(stagesCsv(cut.stages)).toMatch(/,cut-off,/);
    expect(stagesCsv(cut.stages)).not.toMatch(/,running,/);
    const after = sweepAfterwards(cut);
    expect(after.state).toBe('interrupted');
    expect(after.stages.at(-1)).toMatchObject({
      state: 'ended',
      verdict: { kind: 'unknown', reason: expect.stringContaining('cut off') },
    });
    expect(after.stages.slice(0, -1)).toEqual(cut.stages.slice(0, -1));
  });

  test('has a line of CSV a stage, without formulas', () => {
    const csv = stagesCsv(madeUpLine(undefined, named('=1+1')).stages)
      .trimEnd()
      .split('\n');
    expect(csv).toHaveLength(10);
    expect(csv[0]).toMatch(/^stage,run,directory,/);
    expect(csv[1]).toMatch(/^1,.*,held,'=1\+1,1,,/);
  });
});
