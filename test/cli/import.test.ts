import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { reportFromJson } from '../../src/wire/stored-json.ts';
import { writtenAs } from '../report/imported/foreign-texts.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { writeTimedRun } from '../support/timed-runs.ts';

const ran = async (home: TemporaryDirectory, ...args: readonly string[]) => {
  const made = madeUpProcess([...args, '--home', home.path]);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

const fileWith = (home: TemporaryDirectory, name: string, text: string): string => {
  const path = join(home.path, name);
  writeFileSync(path, text);
  return path;
};

const importedAs = async (
  home: TemporaryDirectory,
  tool: 'vllm' | 'aiperf' | 'guidellm',
): Promise<string> => {
  const path = fileWith(
    home,
    tool === 'aiperf' ? 'profile_export.jsonl' : `${tool}.json`,
    await writtenAs(tool),
  );
  const { code, text } = await ran(home, 'import', path, '--json');
  expect(code).toBe(EXIT_CODES.ok.code);
  return JSON.parse(text).runs[0].directory;
};

test.for(['vllm', 'aiperf', 'guidellm'] as const)(
  'an imported run of %s is marked as foreign wherever it is shown, has no verdict, and is not imported twice',
  async tool => {
    using home = temporaryDirectory();
    const directory = await importedAs(home, tool);
    const report = reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8'));
    expect(report.run.foreign).toMatchObject({ tool, hasRequests: tool !== 'vllm' });
    expect(report.complete).toBe(true);
    expect(report.client.verdict).toBe('unknown');
    expect(report.counts.completed).toBe(40);
    expect(Number(report.series.ttftNs?.percentiles['50'])).toBeGreaterThan(5e7);
    expect(report.series).not.toHaveProperty('sendLatenessNs');
    const shown = await ran(home, 'report', directory);
    expect(shown.code).toBe(EXIT_CODES.ok.code);
    expect(shown.text).toMatch(
      /^FOREIGN: Measured by (vLLM's benchmark|AIPerf|GuideLLM 0.8.1), not by Plimsoll/,
    );
    expect(shown.text).not.toContain('seed');
    expect((await ran(home, 'runs')).text).toMatch(/from (vLLM|AIPerf|GuideLLM)/);
    const again = await ran(home, 'import', join(home.path, report.run.foreign?.file ?? ''));
    expect(again.text).toMatch(/^Already imported/);
    expect(readdirSync(join(home.path, 'runs'))).toHaveLength(1);
    expect(existsSync(join(home.path, 'importing'))).toBe(false);
  },
);

test('a report that is printed again notes once what the other tool does not report', async () => {
  using home = temporaryDirectory();
  const directory = await importedAs(home, 'guidellm');
  await ran(home, 'report', directory);
  const { text } = await ran(home, 'report', directory, '--json');
  const { notices } = reportFromJson(text);
  expect(notices.filter(notice => notice.startsWith('not reported: '))).toHaveLength(1);
});

test('what an import leaves behind is reported, and the run is there', async () => {
  using home = temporaryDirectory();
  using elsewhere = temporaryDirectory();
  // No folder to be removed, but a link to one.
  symlinkSync(elsewhere.path, join(home.path, 'importing'));
  const path = fileWith(home, 'guidellm.json', await writtenAs('guidellm'));
  const { code, text, problems } = await ran(home, 'import', path);
  expect(code).toBe(EXIT_CODES.ok.code);
  expect(text).toMatch(/^Imported: 40 requests/);
  expect(problems).toMatch(/the run is there; the empty folder .*importing could not be removed: /);
});

test('an imported run is compared with a run of ours only anyway, and the refusal reports what is not known', async () => {
  using home = temporaryDirectory();
  const directory = await importedAs(home, 'guidellm');
  const ours = join(home.path, 'runs', 'ours');
  writeTimedRun(ours, { seed: 12, requests: 40, outputTokens: 6 });
  const compared = await ran(home, 'compare', '--a', ours, '--b', directory);
  expect(compared.code).toBe(EXIT_CODES.benchNotComparable.code);
  const text = compared.text.replace(/\s+/g, ' ');
  expect(text).toContain('B: GuideLLM 0.8.1, which does not report: data set, chunks, clock');
  const anyway = await ran(home, 'compare', '--a', ours, '--b', directory, '--anyway');
  // Ten seconds are too short for an interval, and the comparison states this as the reason.
  expect(anyway.text.replace(/\s+/g, ' ')).toContain('too short: ');
  expect(compared.text.replace(/\s+/g, ' ')).not.toContain('too short: ');
});

test('an imported run is neither run again nor written in a format of another tool', async () => {
  using home = temporaryDirectory();
  const directory = await importedAs(home, 'aiperf');
  const again = await ran(home, 'rerun', directory);
  expect(again.code).toBe(EXIT_CODES.benchRunDirectory.code);
  expect(again.problems).toContain('AIPerf sent its requests');
  const written = await ran(home, 'report', directory, '--as', 'vllm');
  expect(written.code).toBe(EXIT_CODES.usage.code);
});

test('a damaged file is refused with its line and leaves nothing behind', async () => {
  using home = temporaryDirectory();
  const kept = await importedAs(home, 'vllm');
  const lines = (await writtenAs('aiperf')).split('\n');
  const path = fileWith(home, 'broken.jsonl', lines.with(4, '{"metadata":').join('\n'));
  const { code, problems } = await ran(home, 'import', path);
  expect(code).toBe(EXIT_CODES.benchInput.code);
  expect(problems).toMatch(/line 5: no JSON/);
  expect(readdirSync(join(home.path, 'runs'))).toEqual([kept.split('/').at(-1)]);
  expect((await ran(home, 'import', join(home.path, 'nowhere.json'))).code).toBe(EXIT_CODES.benchInput.code);
  expect((await ran(home, 'import', home.path)).problems).toContain('it is a folder');
});
