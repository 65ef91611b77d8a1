import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { detailedVllm, writtenAs } from '../report/imported/foreign-texts.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeTimedRun } from '../support/timed-runs.ts';

/** A run, the same requests as files of other tools, and one of another seed. */
const homeWithResults = async () => {
  const home = temporaryDirectory();
  for (const [id, seed] of [
    ['ours', 11],
    ['other', 12],
  ] as const) {
    mkdirSync(join(home.path, 'runs', id), { recursive: true });
    writeTimedRun(join(home.path, 'runs', id), { seed, requests: 40, outputTokens: 6, run: { id } });
  }
  writeFileSync(join(home.path, 'vllm.json'), await detailedVllm());
  writeFileSync(join(home.path, 'totals.json'), await writtenAs('vllm'));
  writeFileSync(join(home.path, 'profile_export.jsonl'), await writtenAs('aiperf'));
  writeFileSync(join(home.path, 'profile_export_aiperf.json'), await writtenAs('genai-perf'));
  writeFileSync(join(home.path, 'benchmarks.json'), await writtenAs('guidellm'));
  return home;
};

const ran = async (home: string, ...args: readonly string[]) => {
  const made = madeUpProcess(['why', ...args, '--home', home], { isTerminal: true, columns: 80 });
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

test.for(['vllm.json', 'profile_export.jsonl', 'benchmarks.json', 'totals.json'])(
  'the same requests as a run and as %s: nothing is left unexplained, in lines that fit the terminal',
  async file => {
    using home = await homeWithResults();
    const path = join(home.path, file);
    const { code, text } = await ran(home.path, 'ours', path);
    expect(code).toBe(EXIT_CODES.ok.code);
    expect(text).toContain('Side by side');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const document = JSON.parse((await ran(home.path, 'ours', path, '--json')).text);
    expect(document).toMatchObject({ schema: 'plimsoll.why/1', comparable: true });
    expect(document.figures.length).toBeGreaterThan(10);
    for (const { key, unexplainedShare } of document.figures)
      expect(Math.abs(unexplainedShare), key).toBeLessThan(0.001);
  },
);

test('two equal results have no difference, whichever way they are named', async () => {
  using home = await homeWithResults();
  const report = join(home.path, 'runs', 'ours', 'report.json');
  const { code, text } = await ran(home.path, 'ours', report);
  expect(code).toBe(EXIT_CODES.ok.code);
  expect(text).toMatch(/^No difference: /);
});

test('what two runs of another moment differ by stays unexplained', async () => {
  using home = await homeWithResults();
  const { text } = await ran(home.path, 'ours', 'other');
  expect(text).toMatch(/TTFT p99: .*\n.* unexplained/);
});

test('an imported run is explained by the rules of its tool', async () => {
  using home = await homeWithResults();
  const imported = madeUpProcess([
    'import',
    join(home.path, 'benchmarks.json'),
    '--home',
    home.path,
    '--json',
  ]);
  await imported.run();
  const { id } = JSON.parse(imported.stdout.text).runs[0];
  const { text } = await ran(home.path, 'ours', id, '--json');
  const tpot = JSON.parse(text).figures.find(({ key }: { readonly key: string }) => key === 'tpot.mean');
  expect(tpot.causes[0]).toMatchObject({ code: 'definition', basis: 'computed' });
  expect(tpot.b.isPrinted).toBe(false);
});

test('Markdown has the figures, the causes and the order', async () => {
  using home = await homeWithResults();
  const { text } = await ran(home.path, 'ours', join(home.path, 'benchmarks.json'), '--md', '-');
  expect(text).toMatch(/^## /);
  expect(text).toContain('| TPOT mean |');
  expect(text).toMatch(/definition, computed: A: /);
  expect(text).toContain('Effects are calculated in this order');
});

test('one of several results in a file has to be named', async () => {
  using home = await homeWithResults();
  const both = join(home.path, 'both.jsonl');
  const line = (await writtenAs('vllm')).trim();
  writeFileSync(both, `${line}\n${line}\n`);
  expect(await ran(home.path, 'ours', both)).toMatchObject({
    code: EXIT_CODES.usage.code,
    problems: expect.stringContaining('contains 2 results'),
  });
  expect((await ran(home.path, 'ours', `${both}#3`)).code).toBe(EXIT_CODES.usage.code);
  expect((await ran(home.path, 'ours', `${both}#2`)).code).toBe(EXIT_CODES.ok.code);
});

test('a file that is damaged, and a run that is not there, are refused with what is wrong', async () => {
  using home = await homeWithResults();
  writeFileSync(join(home.path, 'torn.json'), '{"a": 1');
  writeFileSync(join(home.path, 'else.json'), '{"a": 1}');
  for (const file of ['torn.json', 'else.json'])
    expect((await ran(home.path, 'ours', join(home.path, file))).code).toBe(EXIT_CODES.benchInput.code);
  const missing = await ran(home.path, 'ours', 'nothing-here');
  expect(missing.code).toBe(EXIT_CODES.benchRunDirectory.code);
  expect(missing.problems).toContain('nothing-here');
});

test('results of two models are shown and not explained', async () => {
  using home = await homeWithResults();
  mkdirSync(join(home.path, 'runs', 'model'));
  writeTimedRun(join(home.path, 'runs', 'model'), {
    seed: 11,
    requests: 40,
    run: { id: 'model', model: 'another' },
  });
  const { code, text } = await ran(home.path, 'ours', 'model');
  expect(code).toBe(EXIT_CODES.benchNotComparable.code);
  expect(text).toMatch(/^A and B cannot be compared/);
  expect(text).toContain('Different models answered');
  expect(text).not.toContain('unexplained');
});
