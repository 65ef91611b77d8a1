import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { baselineFromJson } from '../../../src/wire/stored-json.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { type TimedRunOptions, writeTimedRun } from '../../support/timed-runs.ts';

const add = (home: TemporaryDirectory, id: string, { run, ...options }: TimedRunOptions): void => {
  writeTimedRun(join(home.path, 'runs', id), {
    requests: 80,
    outputTokens: 4,
    runEffect: 0.01,
    ...options,
    run: { id, ...run },
  });
};

const addSet = (home: TemporaryDirectory, tag: string, runs: number, factor = 1): void => {
  for (let index = 0; index < runs; index += 1)
    add(home, `${tag}-${index}`, {
      seed: 50 * factor + index,
      factor,
      run: { tags: { [tag]: 'yes' }, seed: index },
    });
};

const plimsoll = async (home: TemporaryDirectory, ...args: string[]) => {
  const made = madeUpProcess([...args, '--home', home.path]);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

const fileOf = (home: TemporaryDirectory, name: string): string =>
  join(home.path, 'baselines', `${name}.json`);

describe('a baseline', () => {
  test('keeps what five runs reported, so that a later comparison needs none of their files', async () => {
    using home = temporaryDirectory();
    addSet(home, 'main', 5);
    addSet(home, 'branch', 5, 1.3);
    const saved = await plimsoll(home, 'baseline', 'save', 'main-h200', 'runs:tag=main');
    expect(saved).toMatchObject({ code: EXIT_CODES.ok.code, problems: '' });
    expect(saved.text).toMatch(/TTFT p50\s+[\d.]+\sms\s+\d.*\sms to \d.*\sms\s+\d\.\d\s%\s+\d\.\d\s%/);
    for (let index = 0; index < 5; index += 1)
      rmSync(join(home.path, 'runs', `main-${index}`), { recursive: true });
    const compared = await plimsoll(
      home,
      'compare',
      '--baseline',
      'main-h200',
      '--b',
      'runs:tag=branch',
      '--fail-if',
      'ttft.p50 > +5%',
    );
    expect(compared.code).toBe(EXIT_CODES.benchWorse.code);
    expect(compared.text).toContain('baseline main-h200');
    const baseline = baselineFromJson(readFileSync(fileOf(home, 'main-h200'), 'utf8'));
    expect(baseline).toMatchObject({
      environment: { cpu: expect.any(String) },
      units: [{ facts: { datasetDigest: { kind: 'unknown' } } }, {}, {}, {}, {}],
    });
    expect(baseline.spread.find(({ name }) => name === 'ttft.p50')?.spread).toBeGreaterThan(0);
  });

  test('of four runs is not comparable, also where somebody made the file by hand', async () => {
    using home = temporaryDirectory();
    addSet(home, 'main', 5);
    const few = await plimsoll(home, 'baseline', 'save', 'few', 'main-0', 'main-1', 'main-2', 'main-3');
    expect(few.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(few.problems).toContain('4 runs are too few for a baseline, 5 are needed');
    await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main');
    const baseline = JSON.parse(readFileSync(fileOf(home, 'main'), 'utf8'));
    writeFileSync(fileOf(home, 'main'), JSON.stringify({ ...baseline, units: baseline.units.slice(1) }));
    const compared = await plimsoll(home, 'compare', '--baseline', 'main', '--b', 'runs:tag=main');
    expect(compared.code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(compared.text).toMatch(/A: 4 runs, at least\s+5\s+are\s+needed/);
  });

  test('of runs that are not comparable with each other is refused', async () => {
    using home = temporaryDirectory();
    addSet(home, 'main', 4);
    add(home, 'main-9', { seed: 9, run: { model: 'another', tags: { main: 'yes' } } });
    const { code, problems } = await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main');
    expect(code).toBe(EXIT_CODES.benchNotComparable.code);
    expect(problems).toContain('Different models answered: made-up, another');
    expect(existsSync(fileOf(home, 'main'))).toBe(false);
  });

  test('is listed, shown, replaced only when asked, and deleted', async () => {
    using home = temporaryDirectory();
    addSet(home, 'main', 5);
    await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main');
    expect((await plimsoll(home, 'baseline', 'list')).text).toMatch(/main +\d.* +5 +made-up/);
    expect((await plimsoll(home, 'baseline', 'show', 'main')).text).toContain('Of 5 runs');
    const again = await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main');
    expect(again.code).toBe(EXIT_CODES.benchInput.code);
    expect(again.problems).toContain('there is a baseline main already');
    const replaced = await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main', '--replace');
    expect(replaced.code).toBe(EXIT_CODES.ok.code);
    expect((await plimsoll(home, 'baseline', 'rm', 'main')).code).toBe(EXIT_CODES.ok.code);
    expect((await plimsoll(home, 'baseline', 'rm', 'main')).problems).toContain('there is no baseline main');
  });

  test.each(['Main', '../main', 'a.b', '', 'constructor ', 'a'.repeat(65), 'ä'])(
    'cannot be called %j',
    async name => {
      using home = temporaryDirectory();
      const { code, problems } = await plimsoll(home, 'baseline', 'show', name);
      expect(code).toBe(EXIT_CODES.usage.code);
      expect(problems.trim().split('\n')).toHaveLength(2);
    },
  );

  test.each<[string, (baseline: Record<string, unknown>) => string]>([
    ['is not JSON', () => '{'],
    ['is of another schema', baseline => JSON.stringify({ ...baseline, schema: 'plimsoll.baseline/2' })],
    ['has no runs', baseline => JSON.stringify({ ...baseline, units: [] })],
    ['has keys of every object', () => '{"__proto__": {"schema": "plimsoll.baseline/1"}, "constructor": 1}'],
    [
      'has a figure that is a text',
      baseline => JSON.stringify(baseline).replace(/"issued":80/, '"issued":"80"'),
    ],
    ['is nested without end', () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['calls itself otherwise', baseline => JSON.stringify({ ...baseline, name: 'other' })],
    ['is huge', baseline => JSON.stringify({ ...baseline, target: 'x'.repeat(5 * 1024 * 1024) })],
  ])('from elsewhere that %s is refused in two lines', async (_, forged) => {
    using home = temporaryDirectory();
    mkdirSync(join(home.path, 'baselines'));
    writeFileSync(fileOf(home, 'main'), forged(BASELINE));
    add(home, 'b', { seed: 1 });
    const { code, problems } = await plimsoll(home, 'compare', '--baseline', 'main', '--b', 'b');
    expect(code).toBe(EXIT_CODES.benchInput.code);
    expect(problems).toContain('the baseline main cannot be used');
    expect(problems.trim().split('\n')).toHaveLength(2);
  });
});

const BASELINE = await (async (): Promise<Record<string, unknown>> => {
  using home = temporaryDirectory();
  addSet(home, 'main', 5);
  await plimsoll(home, 'baseline', 'save', 'main', 'runs:tag=main');
  return JSON.parse(readFileSync(fileOf(home, 'main'), 'utf8'));
})();
