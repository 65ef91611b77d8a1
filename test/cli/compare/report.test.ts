// `plimsoll report DIR` of a comparison.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { comparisonFromJson, comparisonToJson } from '../../../src/wire/stored-json.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const DOCUMENT = madeUpComparison(
  [318, 322, 310, 325, 315, 321].map((a, index) => [a, 280 + 3 * (index % 3)] as const),
);

const report = async (json: string, ...args: string[]) => {
  using folder = temporaryDirectory();
  writeFileSync(join(folder.path, 'comparison.json'), json);
  const made = madeUpProcess(['report', folder.path, ...args]);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

test('prints the answer first, and as JSON what it read', async () => {
  const { code, text } = await report(comparisonToJson(DOCUMENT));
  expect(code).toBe(EXIT_CODES.ok.code);
  expect(text).toMatch(/^B is better: TTFT p90 −11\.\d %/);
  const json = await report(comparisonToJson(DOCUMENT), '--json');
  expect(comparisonFromJson(json.text)).toEqual(DOCUMENT);
});

test('reports of one that was stopped that it was, also in its code', async () => {
  const stopped: ComparisonDocument = {
    ...DOCUMENT,
    state: 'stopped',
    endedEarly: 'it was stopped after 7 pairs; figures are of the look at 6',
  };
  const { code, text } = await report(comparisonToJson(stopped));
  expect(code).toBe(EXIT_CODES.benchInterrupted.code);
  expect(text).toMatch(/^STOPPED: RESULTS UP TO THAT POINT\n/);
  expect(text).toContain('It was stopped after 7 pairs; figures are of the look at 6.');
});

test('writes Markdown, each segment as a line of CSV, and one HTML file with the answer and its pictures', async () => {
  const { text } = await report(comparisonToJson(DOCUMENT), '--md', '-');
  expect(text).toContain('TTFT p90');
  const csv = (await report(comparisonToJson(DOCUMENT), '--csv', '-')).text.trimEnd().split('\n');
  expect(csv).toHaveLength(1 + 12);
  const column = (csv[0] ?? '').split(',').indexOf('ttft_p90_ns');
  expect(csv.slice(1, 3).map(line => line.split(',')[column])).toEqual(['318000000', '322000000']);
  // Not known is an empty cell.
  expect((csv[1] ?? '').split(',')[(csv[0] ?? '').split(',').indexOf('ttft_p99_ns')]).toBe('');
  const html = (await report(comparisonToJson(DOCUMENT), '--html', '-')).text;
  expect(html).toContain(DOCUMENT.sentence);
  expect(html.match(/class="side-b"/g)).toHaveLength(6);
  expect(html).not.toMatch(/NaN|undefined|Infinity|<script/);
});

test('reports of a damaged file where it is wrong', async () => {
  const { code, problems } = await report('{"schema":"plimsoll.comparison/9"}');
  expect(problems).toContain('comparison.json is wrong at');
  expect(code).toBe(EXIT_CODES.benchRunDirectory.code);
});
