import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LINE_FOLDER, openDocumentFolder, SWEEP_FOLDER } from '../../src/bench/run/document-folder.ts';
import { LIVE_RUN_SCHEMA, writeLiveRun } from '../../src/bench/run/live-run-file.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { linkInHome } from '../../src/cli/runs/found-runs.ts';
import type { RunConfig } from '../../src/core/run/report.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { comparisonToJson, reportToJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../support/made-up-line.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

const FILES = ['samples.jsonl', 'events.jsonl', 'final_snapshot.json', 'report.txt'];

/** A run directory in the home, with a report unless it was cut off. */
const addRun = (
  home: TemporaryDirectory,
  id: string,
  { isCutOff = false, ...run }: Partial<RunConfig['run']> & { readonly isCutOff?: boolean } = {},
): string => {
  const directory = join(home.path, 'runs', id);
  mkdirSync(directory, { recursive: true });
  const config = runConfig({ id, ...run });
  writeFileSync(join(directory, 'config.json'), runConfigToJson(config));
  for (const name of FILES) writeFileSync(join(directory, name), '');
  if (isCutOff) return directory;
  const report = buildReport({
    config,
    snapshot: { seq: 1, timestampNs: 0, state: 'complete', pendingTasks: 0, metrics: [] },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  writeFileSync(join(directory, 'report.json'), reportToJson(report));
  return directory;
};

const STARTED = runConfig({ id: 'x' }).run.startedAt.slice(0, 16).replace('T', ' ');

const addComparison = (directory: string, id: string): void => {
  mkdirSync(directory, { recursive: true });
  const document = madeUpComparison([
    [318, 280],
    [322, 283],
    [319, 281],
    [321, 280],
  ]);
  writeFileSync(join(directory, 'comparison.json'), comparisonToJson({ ...document, id }));
};

const runs = async (home: TemporaryDirectory, args: readonly string[], options: object = {}) => {
  const made = madeUpProcess(['runs', ...args, '--home', home.path], options);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

const listed = async (home: TemporaryDirectory, ...filters: string[]): Promise<readonly string[]> => {
  const { text } = await runs(home, [...filters, '--json']);
  return JSON.parse(text).runs.map(({ id }: { readonly id: string }) => id);
};

const addLive = (home: TemporaryDirectory, runId: string, directory: string): Promise<void> =>
  writeLiveRun(home.path, {
    schema: LIVE_RUN_SCHEMA,
    runId,
    pid: process.pid,
    directory,
    snapshotsEndpoint: 'ipc://nowhere',
    startedAt: '2026-01-01T00:00:00.000Z',
    samplesMax: null,
    durationMs: null,
  });

describe('plimsoll runs', () => {
  test('lists runs newest first, with state, name, tags and load, and leaves out what is no run', async () => {
    using home = temporaryDirectory();
    addRun(home, '20260101-a', { name: 'before', tags: { engine: 'vllm' } });
    addRun(home, '20260102-b', { isCutOff: true });
    mkdirSync(join(home.path, 'runs', 'notes'));
    const { code, text } = await runs(home, []);
    expect(code).toBe(EXIT_CODES.ok.code);
    const lines = text
      .trim()
      .split('\n')
      .map(line => line.split(/\s{2,}/).slice(0, 3));
    expect(lines).toEqual([
      ['run', 'state', 'name and tags'],
      ['20260102-b', 'interrupted', STARTED],
      ['20260101-a', 'complete', 'before · engine=vllm'],
    ]);
  });

  test('shows time, target and main figure of runs, lines, sweeps and comparisons', async () => {
    using home = temporaryDirectory();
    const directory = join(home.path, 'runs', 'r1');
    const run = new MadeUpRun({ directory, config: runConfig({ id: 'r1' }) });
    writeFileSync(join(directory, 'config.json'), runConfigToJson(run.config));
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    run.report();
    writeLine(join(home.path, 'runs', 'line-1'), madeUpLine());
    writeSweep(join(home.path, 'runs', 'sweep-1'), madeUpSweep('sweep-1'));
    addComparison(join(home.path, 'runs', 'c1'), 'c1');
    const { text } = await runs(home, []);
    expect(text.split('\n', 1)[0]?.split(/\s{2,}/)).toEqual([
      'run',
      'state',
      'name and tags',
      'started (UTC)',
      'model',
      'target',
      'load',
      'result',
      'completed',
      'failed',
    ]);
    const data: readonly Record<string, string>[] = JSON.parse((await runs(home, ['--json'])).text).runs;
    expect(data.map(({ id, kind, state, target, result }) => [id, kind, state, target, result])).toEqual([
      ['sweep-1', 'sweep', 'complete', 'http://127.0.0.1:8000', expect.stringMatching(/of \d+ loads held$/)],
      ['r1', 'run', 'complete', run.config.run.target, expect.stringMatching(/^\d.* tok\/s$/)],
      ['line-1', 'line', 'complete', 'http://127.0.0.1:8000', expect.stringMatching(/ requests\/s$/)],
      [
        'c1',
        'comparison',
        'complete',
        expect.stringContaining('http://'),
        expect.stringMatching(/^better: TTFT p\d+ −/),
      ],
    ]);
    expect(text).toContain('2026-11-20 12:00');
  });

  test('a comparison can be deleted whole, with its segments', async () => {
    using home = temporaryDirectory();
    const directory = join(home.path, 'runs', 'c1');
    addComparison(directory, 'c1');
    for (const name of ['pair-01-a', 'pair-01-b', 'pair-02-a.cut-off-1', 'warm-up-01-a']) {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, 'config.json'), '{}');
    }
    expect((await runs(home, ['rm', 'c1', '--yes'])).text).toBe('Deleted 1 run.\n');
    expect(existsSync(directory)).toBe(false);
  });

  test('lists what is stored elsewhere while its directory exists, and deletes it with its link', async () => {
    using home = temporaryDirectory();
    using elsewhere = temporaryDirectory();
    const [one, other] = [join(elsewhere.path, 'one'), join(elsewhere.path, 'other')];
    addComparison(one, 'c1');
    addComparison(other, 'c2');
    expect(await linkInHome(home.path, 'c1', one)).toBeUndefined();
    expect(await linkInHome(home.path, 'c2', other)).toBeUndefined();
    // Another comparison is there by now than the one that was linked.
    expect(await linkInHome(home.path, 'c3', other)).toBeUndefined();
    expect(await listed(home)).toEqual(['c2', 'c1']);
    expect(JSON.parse((await runs(home, ['--json'])).text).runs[1].directory).toBe(realpathSync(one));
    const report = madeUpProcess(['report', 'c1', '--home', home.path]);
    expect(await report.run()).toBe(EXIT_CODES.ok.code);
    rmSync(other, { recursive: true });
    expect(await listed(home)).toEqual(['c1']);
    expect((await runs(home, ['rm', 'c1', '--yes'])).text).toBe('Deleted 1 run.\n');
    expect([existsSync(one), readdirSync(join(home.path, 'runs'))]).toEqual([false, ['c2', 'c3']]);
  });

  test('reports why a directory elsewhere cannot be listed, and links nothing that is in the home', async () => {
    using home = temporaryDirectory();
    const inHome = addRun(home, '1');
    expect(await linkInHome(home.path, 'other', inHome)).toBeUndefined();
    // However the path to the home is written.
    using other = temporaryDirectory();
    symlinkSync(home.path, join(other.path, 'home'));
    expect(await linkInHome(home.path, 'other', join(other.path, 'home', 'runs', '1'))).toBeUndefined();
    expect(await linkInHome(join(other.path, 'home'), 'other', inHome)).toBeUndefined();
    expect(readdirSync(join(home.path, 'runs'))).toEqual(['1']);
    expect(await linkInHome(home.path, '1', home.path)).toBe('a file is in its place');
  });

  test('has filters by name, tag, model, target, state and age, all of which must pass', async () => {
    using home = temporaryDirectory();
    addRun(home, '1', { name: 'Before the update', tags: { engine: 'vllm', gpu: 'h200' } });
    addRun(home, '2', {
      tags: { engine: 'sglang' },
      model: 'llama-70b',
      startedAt: new Date().toISOString(),
    });
    addRun(home, '3', { target: 'http://10.0.0.9:8000', isCutOff: true });
    expect(await listed(home, '--name', 'before')).toEqual(['1']);
    expect(await listed(home, '--tag', 'engine')).toEqual(['2', '1']);
    expect(await listed(home, '--tag', 'engine=vllm', '--tag', 'gpu')).toEqual(['1']);
    expect(await listed(home, '--tag', 'engine=vllm', '--tag', 'gpu=a100')).toEqual([]);
    expect(await listed(home, '--model', 'LLAMA')).toEqual(['2']);
    expect(await listed(home, '--target', '10.0.0.9')).toEqual(['3']);
    expect(await listed(home, '--state', 'interrupted')).toEqual(['3']);
    expect(await listed(home, '--older-than', '1d')).toEqual(['3', '1']);
    expect(await listed(home, '--limit', '1')).toEqual(['3']);
  });

  test.for([
    ['sweep', SWEEP_FOLDER],
    ['line', LINE_FOLDER],
  ] as const)(
    'lists a %s between two of its runs as running, until its process has ended',
    async ([kind, row]) => {
      using home = temporaryDirectory();
      const directory = join(home.path, 'runs', 's1');
      const inProgress = (): Promise<readonly string[]> => listed(home, '--state', 'running');
      {
        using _folder = await openDocumentFolder<never>(row, directory);
        if (kind === 'sweep') writeSweep(directory, { ...madeUpSweep('s1'), state: 'running' });
        else writeLine(directory, { ...madeUpLine(), id: 's1', state: 'running' });
        expect(await inProgress()).toEqual(['s1']);
      }
      expect(await inProgress()).toEqual([]);
      expect(await listed(home, '--state', 'interrupted')).toEqual(['s1']);
    },
  );

  test('leaves out columns where a terminal is narrow, and none in a pipe', async () => {
    using home = temporaryDirectory();
    addRun(home, '20260131-120000-ab12', { name: 'a name that is long', model: 'Qwen/Qwen3-14B-AWQ' });
    const wide = (await runs(home, [])).text;
    expect(wide).toContain('Qwen/Qwen3-14B-AWQ');
    const narrow = (await runs(home, [], { isTerminal: true, columns: 80 })).text;
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(narrow).toMatch(/^run +state .*target/);
    expect(narrow).toContain('20260131-120000-ab12');
    expect(narrow).not.toContain('Qwen');
  });

  test('reports of a home without runs that there is none', async () => {
    using home = temporaryDirectory();
    expect((await runs(home, [])).text).toBe(
      `No run in ${join(home.path, 'runs')}. Start one: plimsoll bench URL\n`,
    );
    expect((await runs(home, ['--name', 'x'])).text).toContain('matches.');
  });
});

describe('plimsoll runs rm', () => {
  test('asks, and deletes the whole directory of the run it was given', async () => {
    using home = temporaryDirectory();
    const [one, other] = [addRun(home, '1'), addRun(home, '2')];
    const requested = await runs(home, ['rm', '1'], { isTerminal: true, input: 'y\n' });
    expect(requested.text).toMatch(/Delete 1 run, .*\? \[y\/N\] Deleted 1 run\.\n$/);
    expect(existsSync(one)).toBe(false);
    expect(readdirSync(other)).toHaveLength(FILES.length + 2);
  });

  test.each(['', 'n\n'])('deletes nothing where the answer is %j', async input => {
    using home = temporaryDirectory();
    const directory = addRun(home, '1');
    const { code, text } = await runs(home, ['rm', '1'], { isTerminal: true, input });
    expect(existsSync(directory)).toBe(true);
    expect([code, text.endsWith('Nothing was deleted.\n')]).toEqual([0, true]);
  });

  test('where nobody can be asked deletes only with --yes', async () => {
    using home = temporaryDirectory();
    const directory = addRun(home, '1');
    const refused = await runs(home, ['rm', '1']);
    expect([refused.code, refused.problems]).toEqual([
      EXIT_CODES.usage.code,
      expect.stringContaining('--yes'),
    ]);
    expect(existsSync(directory)).toBe(true);
    expect((await runs(home, ['rm', directory, '--yes'])).text).toBe('Deleted 1 run.\n');
    expect(existsSync(directory)).toBe(false);
  });

  test('--json has what was deleted and what is still there, and needs --yes', async () => {
    using home = temporaryDirectory();
    const [one, other] = [addRun(home, '1'), addRun(home, '2')];
    writeFileSync(join(other, 'notes.txt'), 'of a person');
    const refused = await runs(home, ['rm', '1', '--json']);
    expect([refused.code, refused.text]).toEqual([EXIT_CODES.usage.code, '']);
    expect(refused.problems).toContain('--json needs --yes');
    expect(existsSync(one)).toBe(true);
    const { code, text } = await runs(home, ['rm', '--state', 'complete', '--yes', '--json']);
    expect(JSON.parse(text)).toEqual({
      schema: 'plimsoll.removed-runs/1',
      removed: [{ id: '1', directory: one, bytes: expect.any(Number) }],
      kept: [{ directory: other, reason: expect.stringContaining('notes.txt') }],
    });
    expect([code, existsSync(one), existsSync(other)]).toEqual([
      EXIT_CODES.benchRunDirectory.code,
      false,
      true,
    ]);
  });

  test('without a run deletes what passes the filters, and needs one', async () => {
    using home = temporaryDirectory();
    addRun(home, '1', { tags: { try: 'a' } });
    addRun(home, '2', { tags: { try: 'b' } });
    addRun(home, '3');
    expect((await runs(home, ['rm', '--tag', 'try', '--yes'])).text).toBe('Deleted 2 runs.\n');
    expect(await listed(home)).toEqual(['3']);
    expect((await runs(home, ['rm', '--yes'])).code).toBe(EXIT_CODES.usage.code);
    expect((await runs(home, ['rm', '3', '--tag', 'try', '--yes'])).code).toBe(EXIT_CODES.usage.code);
    expect(await listed(home)).toEqual(['3']);
  });

  test('leaves alone what is running, what is no run, and what holds anything that no run wrote', async () => {
    using home = temporaryDirectory();
    const live = addRun(home, 'live', { isCutOff: true });
    await addLive(home, 'live', live);
    const notes = addRun(home, 'notes');
    writeFileSync(join(notes, 'notes.txt'), 'mine');
    const nested = addRun(home, 'nested');
    mkdirSync(join(nested, 'more'));
    const elsewhere = temporaryDirectory();
    using _elsewhere = elsewhere;
    writeFileSync(join(elsewhere.path, 'precious'), '');
    const linking = addRun(home, 'linking');
    symlinkSync(elsewhere.path, join(linking, 'samples.link'));
    const linked = join(home.path, 'runs', 'linked');
    symlinkSync(notes, linked);
    for (const [name, problem] of [
      ['live', 'it is running'],
      ['notes', '"notes.txt", which no run wrote'],
      ['nested', '"more", which no run wrote'],
      ['linking', '"samples.link", which no run wrote'],
      ['linked', 'not a directory of its own'],
    ] as const) {
      const { code, problems, text } = await runs(home, ['rm', name, '--yes']);
      expect([name, code, text]).toEqual([name, EXIT_CODES.benchRunDirectory.code, 'Nothing was deleted.\n']);
      expect(problems).toContain(problem);
    }
    for (const no of ['missing', '..', home.path]) {
      expect((await runs(home, ['rm', no, '--yes'])).code).toBe(EXIT_CODES.benchRunDirectory.code);
    }
    expect(existsSync(join(elsewhere.path, 'precious'))).toBe(true);
    expect(readdirSync(join(home.path, 'runs')).sort()).toEqual([
      'linked',
      'linking',
      'live',
      'nested',
      'notes',
    ]);
  });
});
