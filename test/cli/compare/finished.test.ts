import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { comparisonFromJson } from '../../../src/wire/stored-json.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { type TimedRunOptions, writeTimedRun } from '../../support/timed-runs.ts';

const LATENCIES = { requests: 100, stepNs: 3e9, outputTokens: 4 } as const;

const add = (home: TemporaryDirectory, id: string, { run, ...options }: TimedRunOptions): void => {
  writeTimedRun(join(home.path, 'runs', id), { ...LATENCIES, ...options, run: { id, ...run } });
};

const addSets = (home: TemporaryDirectory, { factor = 1, runs = 6 } = {}): void => {
  for (let index = 0; index < runs; index += 1) {
    add(home, `a-${index}`, { seed: index, runEffect: 0.01, run: { tags: { at: 'before' } } });
    add(home, `b-${index}`, { seed: 100 + index, runEffect: 0.01, factor, run: { tags: { at: 'after' } } });
  }
};

const compare = async (home: TemporaryDirectory, ...args: string[]) => {
  const made = madeUpProcess(['compare', ...args, '--home', home.path]);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

const compared = async (home: TemporaryDirectory, ...args: string[]): Promise<ComparisonDocument> =>
  comparisonFromJson((await compare(home, ...args, '--json')).text);

const SETS = ['--a', 'runs:tag=at=before', '--b', 'runs:tag=at=after', '--primary', 'ttft.p50'];

describe('two finished runs', () => {
  test('differ at most, for any figures', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2, factor: 1.5 });
    const document = await compared(home, '--a', 'a', '--b', 'b', '--primary', 'ttft.p50');
    expect(document).toMatchObject({ mode: 'runs', verdict: { kind: 'different' }, refusals: [] });
    expect(document.sentence).toMatch(/^These two runs differ: TTFT p50 \+\d+\.\d %/);
    expect(document.notices[0]).toMatch(/^The variation between runs is unknown/);
    for (const { verdict } of document.metrics)
      expect(['different', 'undecided', 'not-comparable']).toContain(verdict.kind);
    const p50 = document.metrics.find(({ name }) => name === 'ttft.p50')?.ratio;
    expect(p50).toMatchObject({ value: expect.closeTo(1.5, 0) });
  });

  test('are printed in the format of another tool, and nothing else', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2 });
    const { text } = await compare(home, '--a', 'a', '--b', 'b', '--as', 'guidellm');
    expect(JSON.parse(text).benchmarks).toMatchObject(['a', 'b'].map(id => ({ config: { id_: id } })));
  });

  test('give the same intervals each time', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2 });
    const [one, other] = [
      await compared(home, '--a', 'a', '--b', 'b'),
      await compared(home, '--a', 'a', '--b', 'b'),
    ];
    expect(other.metrics).toEqual(one.metrics);
  });

  test('report of a p99 that 100 requests are too few, and of a short run that it is too short', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2 });
    add(home, 'short', { seed: 3, requests: 60 });
    const p99 = await compare(home, '--a', 'a', '--b', 'b', '--fail-if', 'ttft.p99 > +5%');
    expect(p99.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(p99.text).not.toContain('TTFT p99 ');
    expect(p99.text).toContain('ttft.p99 > +5%: not comparable, neither side has this figure');
    const short = await compare(home, '--a', 'a', '--b', 'short');
    expect(short.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(short.text).toMatch(/too short: 177 s contain 17 blocks of 10 s,\s+and\s+20\s+are\s+needed/);
  });

  test('of different loads are refused and listed, and with --anyway listed first and compared', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2, outputTokens: 5, run: { pattern: { kind: 'concurrency', concurrency: 4 } } });
    const refused = await compare(home, '--a', 'a', '--b', 'b');
    expect(refused.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(refused.text).toMatch(/^A and B cannot be compared: Different numbers of requests/);
    expect(refused.text).toContain('in flight (A: 8 at a time; B: 4 at a time)');
    const anyway = await compare(home, '--a', 'a', '--b', 'b', '--anyway');
    expect(anyway.code).toBe(EXIT_CODES.ok.code);
    expect(anyway.text.indexOf('Compared anyway, although')).toBeLessThan(anyway.text.indexOf('TTFT p50'));
    expect(anyway.text.indexOf('Compared anyway, although')).toBeGreaterThan(0);
  });

  test('of one model under two names are compared with --same-model, and the two names are listed', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1, run: { model: 'org/m' } });
    add(home, 'b', { seed: 2, run: { model: '/models/m.gguf' } });
    const refused = await compare(home, '--a', 'a', '--b', 'b');
    expect(refused.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(refused.text.replace(/\s+/g, ' ')).toContain(
      'Different models answered; if they are one model under two names, add --same-model (A: org/m; B: /models/m.gguf)',
    );
    const same = await compare(home, '--a', 'a', '--b', 'b', '--same-model');
    expect(same.code).not.toBe(EXIT_CODES.benchNotComparable.code);
    expect(same.text).not.toContain('Compared anyway');
    expect(same.text.replace(/\s+/g, ' ')).toContain(
      'A calls its model org/m, B /models/m.gguf: compared as the same model (--same-model)',
    );
  });

  test('of which one is not complete are refused', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    add(home, 'b', { seed: 2 });
    const samples = join(home.path, 'runs', 'b', 'samples.jsonl');
    writeFileSync(samples, readFileSync(samples, 'utf8').split('\n').slice(0, -2).join('\n'));
    writeFileSync(join(home.path, 'runs', 'b', 'report.json'), '{}');
    const { code, text } = await compare(home, '--a', 'a', '--b', 'b');
    expect(code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(text).toContain('A run is not complete');
  });
});

describe('two sets of runs', () => {
  test('are worse, better or the same, because the run is the unit', async () => {
    using worse = temporaryDirectory();
    addSets(worse, { factor: 1.2 });
    const document = await compared(worse, ...SETS);
    expect(document).toMatchObject({ mode: 'sets', verdict: { kind: 'worse' }, a: { label: '6 runs' } });
    expect(document.a.units.map(({ runId }) => runId)).toEqual(['a-0', 'a-1', 'a-2', 'a-3', 'a-4', 'a-5']);
    expect((await compare(worse, ...SETS)).code).toBe(EXIT_CODES.benchWorse.code);
    using better = temporaryDirectory();
    addSets(better, { factor: 0.8 });
    expect((await compared(better, ...SETS)).verdict).toEqual({ kind: 'better' });
    using same = temporaryDirectory();
    addSets(same, { factor: 1 });
    expect((await compared(same, ...SETS, '--margin', '20%')).verdict).toEqual({ kind: 'same' });
  });

  test('need two runs a side', async () => {
    using home = temporaryDirectory();
    addSets(home, { runs: 2 });
    const { code, text } = await compare(home, '--a', 'a-0', '--b', 'runs:tag=at=after');
    expect(code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(text).toMatch(/\(A: 1 run, at least 2 are needed;\s+B: 2 runs\)/);
  });

  test('pass and break a gate, in words, as JUnit and as Markdown', async () => {
    using home = temporaryDirectory();
    addSets(home, { factor: 1.2 });
    const junit = join(home.path, 'junit.xml');
    const markdown = join(home.path, 'compare.md');
    const rules = ['--fail-if', 'ttft.p50 > +5%', '--fail-if', 'requests.rate < -2%'];
    const { code, text, problems } = await compare(
      home,
      ...SETS,
      ...rules,
      '--junit',
      junit,
      '--markdown',
      markdown,
    );
    expect(code).toBe(EXIT_CODES.benchWorse.code);
    expect(text).toMatch(/ttft\.p50 > \+5%: broken, nearest end of the interval \+\d+\.\d %/);
    expect(text).toContain('requests.rate < -2%: passes');
    expect(problems).toContain('The gate fails: 1 of 2 rules broken (code 18)');
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toContain('tests="3" failures="1" errors="0" skipped="0"');
    expect(xml).toMatch(/name="ttft\.p50 &#62; \+5%"[^>]*><failure/);
    expect(readFileSync(markdown, 'utf8')).toMatch(
      /^## B is worse: TTFT p50 \+.*\n\n\*\*The gate fails: 1 of 2/,
    );
    const passing = await compare(home, ...SETS, '--fail-if', 'ttft.p50 > +50%');
    expect(passing.code).toBe(EXIT_CODES.ok.code);
  });
});

describe('a comparison', () => {
  test.each([
    [['--a', 'a'], '--b is missing'],
    [['--a', 'http://127.0.0.1:1', '--b', 'a'], 'one side is an endpoint'],
    [['--a', 'runs:tga=x', '--b', 'a'], 'Did you mean runs:tag=…?'],
    [['--a', 'runs:tag=nobody', '--b', 'a'], 'names no run'],
    [['--a', 'nowhere', '--b', 'a'], 'is not the directory of a run'],
    [['--a', 'a', '--b', 'a', '--margin', '0%'], 'is not a margin'],
    [['--a', 'a', '--b', 'a', '--primary', 'tftt.p90'], 'Did you mean ttft.p90?'],
  ])('refuses %j', async (args, problem) => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    const { code, problems } = await compare(home, ...args);
    expect([EXIT_CODES.usage.code, EXIT_CODES.benchRunDirectory.code]).toContain(code);
    expect(problems).toContain(problem);
    expect(problems.trim().split('\n')).toHaveLength(2);
    expect(existsSync(join(home.path, 'runs', 'nowhere'))).toBe(false);
  });

  test('has one name for each unknown figure and its reason', async () => {
    using home = temporaryDirectory();
    add(home, 'a', { seed: 1 });
    const document = await compared(home, '--a', 'a', '--b', 'a');
    for (const { ratio } of document.metrics) if (isUnknown(ratio)) expect(ratio.reason).not.toBe('');
  });

  test('are found again with what their gate reported, in the home or where --out points', async () => {
    using home = temporaryDirectory();
    addSets(home, { factor: 1.5 });
    const out = join(home.path, 'kept');
    const requested = [...SETS, '--fail-if', 'ttft.p50 > +5%'];
    const reported = await compared(home, ...requested);
    expect(reported.gate).toMatchObject({ outcome: 'broken' });
    const kept = readFileSync(join(home.path, 'runs', reported.id, 'comparison.json'), 'utf8');
    expect(comparisonFromJson(kept)).toEqual(reported);
    expect((await compare(home, ...requested, '--out', out)).text).toContain(`Directory: ${out}`);
    const report = madeUpProcess(['report', out, '--home', home.path]);
    expect(await report.run()).toBe(EXIT_CODES.ok.code);
    expect(report.stdout.text).toContain(reported.sentence);
    const listing = madeUpProcess(['runs', '--json', '--home', home.path]);
    await listing.run();
    const listed: readonly { readonly kind: string; readonly directory: string; readonly result: string }[] =
      JSON.parse(listing.stdout.text).runs;
    const comparisons = listed.filter(({ kind }) => kind === 'comparison');
    expect(comparisons.map(({ directory }) => directory).sort()).toEqual(
      [out, join(home.path, 'runs', reported.id)].map(path => realpathSync(path)).sort(),
    );
    expect(comparisons.map(({ result }) => result)[0]).toMatch(/^worse: TTFT p50 \+/);
  });
});
