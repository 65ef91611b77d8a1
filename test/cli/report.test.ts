import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIVE_RUN_SCHEMA, writeLiveRun } from '../../src/bench/run/live-run-file.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { unknown } from '../../src/core/unknown.ts';
import { encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { reportFromJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../support/made-up-line.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const runDirectory = (samples: string) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, 'config.json'), runConfigToJson(runConfig()));
  writeFileSync(join(directory.path, 'samples.jsonl'), samples);
  return directory;
};

const END = encodeSamplesEnd({ issued: 0, trackedIssued: 0, state: 'complete' });

describe('plimsoll report', () => {
  test('prints the report of a directory, writes it there, and ends with 0 when nothing is missing', async () => {
    using directory = runDirectory(END);
    const made = madeUpProcess(['report', directory.path]);
    expect(await made.run()).toBe(EXIT_CODES.ok.code);
    expect(made.stdout.text).toContain('Run run-1');
    expect(readFileSync(join(directory.path, 'report.txt'), 'utf8')).toContain('Run run-1');
    expect(reportFromJson(readFileSync(join(directory.path, 'report.json'), 'utf8')).complete).toBe(true);
  });

  test('ends at once with 130 when it is asked to stop, however many lines are left to read', async () => {
    using directory = runDirectory('{}\n'.repeat(20_000));
    const made = madeUpProcess(['report', directory.path]);
    const ended = made.run();
    made.stop('SIGINT');
    expect(await ended).toBe(EXIT_CODES.interrupted.code);
    expect(made.stdout.text).toBe('');
  });

  test('prints strict JSON when asked', async () => {
    using directory = runDirectory(END);
    const made = madeUpProcess(['report', '--json', directory.path]);
    await made.run();
    expect(reportFromJson(made.stdout.text)).toMatchObject({ source: 'samples-file', complete: true });
  });

  test('ends with the code of an interrupted run when the samples break off', async () => {
    using directory = runDirectory('');
    const made = madeUpProcess(['report', directory.path]);
    expect(await made.run()).toBe(EXIT_CODES.benchInterrupted.code);
    expect(made.stdout.text).toMatch(/^INTERRUPTED: /);
  });

  test.each(['by its home', 'by the folder that it lies in'])(
    'of a run that goes on writes nothing into it, and reports that it goes on (found %s)',
    async found => {
      using home = temporaryDirectory();
      const path = join(home.path, 'runs', 'run-1');
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'config.json'), runConfigToJson(runConfig()));
      writeFileSync(join(path, 'samples.jsonl'), '');
      await writeLiveRun(home.path, {
        schema: LIVE_RUN_SCHEMA,
        runId: 'run-1',
        pid: process.pid,
        directory: path,
        snapshotsEndpoint: 'ipc:///nowhere',
        startedAt: '2026-01-31T00:00:00Z',
        samplesMax: null,
        durationMs: null,
      });
      const before = readdirSync(path);
      const made = madeUpProcess(['report', path, ...(found === 'by its home' ? ['--home', home.path] : [])]);
      expect(await made.run()).toBe(EXIT_CODES.benchIncomplete.code);
      expect(made.stdout.text).toMatch(/^INCOMPLETE: the run is in progress/);
      expect(made.stdout.text).not.toContain('INTERRUPTED');
      expect(made.stderr.text).toMatch(
        /^plimsoll: the run is in progress: nothing was written.*\n.*plimsoll watch run-1/,
      );
      expect(readdirSync(path)).toEqual(before);
    },
  );

  test('refuses in two lines what is no run directory', async () => {
    using directory = temporaryDirectory();
    const made = madeUpProcess(['report', directory.path]);
    expect(await made.run()).toBe(EXIT_CODES.benchRunDirectory.code);
    expect(made.stderr.text.trimEnd().split('\n')).toHaveLength(2);
  });

  test.each(['1'])('makes HTML, CSV and Markdown of a run in version %s of the formats', async version => {
    using directory = temporaryDirectory();
    const run = join(directory.path, 'run');
    cpSync(new URL(`../fixtures/versions/${version}/run`, import.meta.url), run, { recursive: true });
    const [html, csv, markdown] = ['a.html', 'a.csv', 'a.md'].map(name => join(directory.path, name));
    const made = madeUpProcess([
      'report',
      run,
      ...['--html', html ?? '', '--csv', csv ?? '', '--md', markdown ?? ''],
    ]);
    expect(await made.run()).toBe(EXIT_CODES.ok.code);
    expect(made.stdout.text).toMatch(/^Wrote .*a\.html, .*\nWrote .*a\.csv, .*\nWrote .*a\.md, .*\n$/);
    expect(readFileSync(html ?? '', 'utf8')).toMatch(/<h1>mock-model on 127\.0\.0\.1:/);
    const lines = readFileSync(csv ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines[0]).toMatch(/^sample,phase,outcome,/);
    expect(lines.filter(line => line.includes(',measured,'))).toHaveLength(40);
    expect(readFileSync(markdown ?? '', 'utf8')).toMatch(/^## ⚠ 10\u202f% of 40 requests failed/);
  });

  test('gives a form to standard output alone, and ends with the code of the run', async () => {
    using directory = runDirectory('');
    const made = madeUpProcess(['report', directory.path, '--csv', '-']);
    expect(await made.run()).toBe(EXIT_CODES.benchInterrupted.code);
    expect(made.stdout.text).toMatch(/^sample,phase,[^\n]*\n$/);
  });

  test('refuses to mix two forms on standard output, and reports where it cannot write', async () => {
    using directory = runDirectory(END);
    const both = madeUpProcess(['report', directory.path, '--csv', '-', '--html', '-']);
    expect(await both.run()).toBe(EXIT_CODES.usage.code);
    expect(both.stdout.text).toBe('');
    const nowhere = madeUpProcess(['report', directory.path, '--html', join(directory.path, 'no', 'a.html')]);
    expect(await nowhere.run()).toBe(EXIT_CODES.failure.code);
    expect(nowhere.stderr.text).toMatch(/a\.html cannot be written: .*\n.*folder/);
  });

  test('of a load line prints the answer and its stages, and writes it in every form', async () => {
    using directory = temporaryDirectory();
    const line = join(directory.path, 'line-1');
    writeLine(line, madeUpLine());
    const printed = madeUpProcess(['report', line]);
    expect(await printed.run()).toBe(EXIT_CODES.ok.code);
    expect(printed.stdout.text).toMatch(
      /^Carries 12 to 12\.5 requests\/s[\s\S]*\n +9 +12\.5\/s +failed, grows /,
    );
    const made = madeUpProcess([
      'report',
      line,
      ...['html', 'csv', 'md'].flatMap(form => [`--${form}`, join(directory.path, `a.${form}`)]),
    ]);
    expect(await made.run()).toBe(EXIT_CODES.ok.code);
    expect(made.stdout.text.match(/^Wrote /gm)).toHaveLength(3);
    expect(readFileSync(join(directory.path, 'a.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(10);
    expect(readFileSync(join(directory.path, 'a.html'), 'utf8')).toContain('line.json');
  });

  test('of a line and a sweep that stopped because requests failed ends with 23, as they did', async () => {
    using directory = temporaryDirectory();
    const stopped = {
      where: 'stage 1, 4/s',
      cause: 'rejected',
      problem: 'every request would fail',
      advice: 'Provide a key.',
      failures: unknown('not grouped'),
    } as const;
    const [line, sweep] = [join(directory.path, 'line'), join(directory.path, 'sweep')];
    writeLine(line, madeUpLine(undefined, { state: 'stopped', stopped }));
    writeSweep(sweep, { ...madeUpSweep('sweep-1'), state: 'stopped', stopped });
    for (const each of [line, sweep])
      expect(await madeUpProcess(['report', each]).run()).toBe(EXIT_CODES.benchStopped.code);
  });

  test('of a line that was cut short ends with 13, and refuses one that is damaged with what to read instead', async () => {
    using directory = temporaryDirectory();
    const line = join(directory.path, 'line-1');
    writeLine(line, madeUpLine(undefined, { state: 'interrupted' }));
    const cut = madeUpProcess(['report', line]);
    expect(await cut.run()).toBe(EXIT_CODES.benchInterrupted.code);
    expect(cut.stdout.text).toMatch(/^INTERRUPTED/);
    writeFileSync(join(line, 'line.json'), '{"schema":"plimsoll.line/9"}');
    const damaged = madeUpProcess(['report', line]);
    expect(await damaged.run()).toBe(EXIT_CODES.benchRunDirectory.code);
    expect(damaged.stderr.text).toMatch(/stage-01/);
  });
});

test('plimsoll report of a sweep whose process was killed reports which stage was cut off, and counts nothing of it', async () => {
  using directory = temporaryDirectory();
  const sweep = madeUpSweep('sweep-1');
  const [first, second] = sweep.stages;
  if (first === undefined || second === undefined) throw new Error('a made-up sweep has stages');
  const cut = {
    ...second,
    state: 'running',
    verdict: unknown('it runs'),
    figures: unknown('it runs'),
  } as const;
  writeSweep(directory.path, { ...sweep, state: 'running', stages: [first, { ...cut, reasons: [] }] });
  const made = madeUpProcess(['report', directory.path]);
  expect(await made.run()).toBe(EXIT_CODES.benchInterrupted.code);
  const row = made.stdout.text.split('\n').find(line => /^ +2 /.test(line)) ?? '';
  expect(row).toMatch(/cut off/);
  expect(row).not.toMatch(/running| 0 /);
  expect(made.stdout.text).not.toContain('running');
});
