import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import {
  codeCell,
  markdownCode,
  markdownTable,
  markdownText,
} from '../../../src/report/markdown/markdown-text.ts';
import { runMarkdown } from '../../../src/report/markdown/run-markdown.ts';
import { madeUpAgent } from '../../support/made-up-agent.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const HOSTILE = '</script><img onerror=x>\n# [a](javascript:b) ![c](d) `e` ``f`` | @everyone #1 \\| $g$';

describe('the report of a run in Markdown', () => {
  test('reports the verdict, six figures and percentiles, with names of others as code', () => {
    using directory = temporaryDirectory();
    const run = new MadeUpRun({ directory: directory.path });
    run.samples(900, { fromMs: 0, untilMs: 30_000 });
    const report = run.report();
    const text = runMarkdown({ ...report, run: { ...report.run, model: HOSTILE }, notices: [HOSTILE] });
    expect(text).toMatch(/^## .+\n/);
    expect(text).toMatch(/\| TTFT p50 \| \*\*[\d.]+.ms\*\* \|/);
    expect(text).toMatch(/\| Series \| Mean ± sd \| p50 \| p90 \| p95 \| p99 \| p99 at most \| Max \| n \|/);
    expect(text).toContain('| Model | ``` </script><img onerror=x> # [a](javascript:b)');
    // Outside of code nothing of it is left that Markdown or HTML would act on.
    const prose = text
      .replace(/\\./g, '')
      .replace(/(`+) .*? \1/g, '')
      .replace(/`@`/g, '');
    expect(prose).not.toMatch(/<|@|(?<!\\)[[\]]|(?<!\\)!\[/);
    // Every row of a table has as many cells as its head.
    for (const table of text.split('\n\n').filter(part => part.startsWith('| ')))
      expect(new Set(table.trimEnd().split('\n').map(cells)).size).toBe(1);
  });

  /** With one group for each: status, count, message. */
  const failedReport = (
    groups: readonly (readonly [statusCode: number, count: number, message: string])[],
    others = 0,
  ): Report => {
    using directory = temporaryDirectory();
    const run = new MadeUpRun({ directory: directory.path });
    run.samples(100, { fromMs: 0, untilMs: 30_000 });
    const report = run.report();
    const failed = groups.reduce((sum, [, count]) => sum + count, others);
    const times = { warmupCount: 0, firstAtNs: 1e9, lastAtNs: 2e9 };
    return {
      ...report,
      counts: { ...report.counts, issued: 100, completed: 100 - failed, failed },
      failures: {
        groups: groups.map(([statusCode, count, message]) => ({
          ...{ kind: 'http-status', statusCode, count, message, example: message, isVaried: false },
          ...times,
        })),
        ...(others === 0 ? {} : { others: { count: others, ...times } }),
        outages: [],
      },
    };
  };
  const failedRow = (report: Report): string =>
    /\| Failed \| \*\*.*/.exec(runMarkdown(report).replace(/\p{Zs}/gu, ' '))?.[0] ?? '';

  test('counts failures of one label once, the most frequent first, and all of them', () => {
    expect(
      failedRow(
        failedReport([
          [429, 30, 'a'],
          [503, 25, 'b'],
          [429, 7, 'c'],
          [429, 5, 'd'],
        ]),
      ),
    ).toBe('| Failed | **67 of 100** | 67 %: 42 HTTP 429, 25 HTTP 503 |');
    expect(failedRow(failedReport([[429, 1, 'a']], 66))).toBe(
      '| Failed | **67 of 100** | 67 %: 1 HTTP 429, 66 other |',
    );
    expect(
      failedRow(
        failedReport(
          [
            [429, 4, 'a'],
            [500, 3, 'b'],
            [502, 2, 'c'],
            [503, 1, 'd'],
          ],
          10,
        ),
      ),
    ).toBe('| Failed | **20 of 100** | 20 %: 4 HTTP 429, 3 HTTP 500, 13 other |');
  });

  test('escapes what a server reported in the heading, and aligns the text of failures to the left', () => {
    const text = runMarkdown(failedReport([[500, 67, '<b>|x|</b> [a](b) *c* `d`']]));
    const [heading = ''] = text.split('\n');
    expect(heading).toContain('&#60;b&#62;\\|x\\|&#60;/b&#62; \\[a\\](b) \\*c\\* \\`d\\`');
    expect(text).toContain('| Failed | Why | When | Message |\n|---:|---|---|---|\n');
  });

  test('has a row for each agent, and why one is not to be trusted', () => {
    using directory = temporaryDirectory();
    const run = new MadeUpRun({ directory: directory.path });
    run.samples(900, { fromMs: 0, untilMs: 30_000 });
    const lost = {
      state: 'lost',
      reason: 'b|z was lost',
      counts: { issued: 100, completed: 60, failed: 0, cancelled: 0, unresolved: 40 },
      sendLatenessNsP99: { kind: 'unknown', reason: 'gone' },
    } as const;
    const agents = [madeUpAgent('atlas'), madeUpAgent('b|z', lost)];
    expect(runMarkdown(run.report())).not.toContain('| Agent |');
    const text = runMarkdown({ ...run.report(), agents }).replace(/\p{Zs}/gu, ' ');
    expect(text).toContain(
      '| ` atlas ` | 300 | 75 % | 298 | 2 | 0 | 0.0% | 42.0 µs | 0.041 ms | trustworthy |\n| ` b\\|z ` | 100 | 25 % | 60 | 0 | 40 | -66.7% | – | 0.041 ms | lost |',
    );
    expect(text).toContain('- b\\|z was lost');
  });
});

/** As GitHub's parser splits a row: a character after a backslash is not a border. */
const cells = (row: string): number => row.replace(/\\./g, '').split('|').length;

test('a cell of a table that is not marked as Markdown is a text', () => {
  const [head, , row] = markdownTable([HOSTILE, ''], [[HOSTILE, codeCell('b')]]);
  for (const line of [head, row])
    expect(line).toMatch(/^\| &#60;\/script&#62;&#60;img onerror=x&#62; \\# \\\[a\\\]\(/);
  expect(cells(row ?? '')).toBe(cells('| a | b |'));
});

test('no text ends its span of code', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', ' ', '|', '\\', 'a', '\n') }), text => {
      const made = markdownCode(text);
      const [fence = ''] = /^`*/.exec(made) ?? [];
      if (fence !== '') expect((made.match(/`+/g) ?? []).filter(run => run === fence)).toHaveLength(2);
      expect(made).not.toContain('\n');
      expect(cells(`| ${made} |`)).toBe(3);
      expect(cells(`| ${markdownText(text)} |`)).toBe(3);
    }),
  );
});
