import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { comparedUnit } from '../../../src/core/comparison/comparison-document.ts';
import { runSpread, smallestLogDifference } from '../../../src/core/comparison/run-spread.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

describe('repeated runs', () => {
  test('are reported together: how they differ, and what change so many can show', async () => {
    using directory = temporaryDirectory();
    const five = join(directory.path, 'runs', 'five');
    for (let run = 1; run <= 5; run += 1)
      writeTimedRun(join(five, `run-0${run}`), {
        seed: run,
        requests: 80,
        outputTokens: 4,
        runEffect: 0.02,
        run: { id: `run-${run}`, seed: run, tags: { of: 'five' } },
      });
    const made = madeUpProcess(['report', five]);
    expect(await made.run()).toBe(EXIT_CODES.ok.code);
    expect(made.stdout.text).toMatch(/^5 runs in five: made-up at http/);
    expect(made.stdout.text).toMatch(/TTFT p50\s+[\d.]+\sms\s+/);
    const { units, spread } = JSON.parse(readFileSync(join(five, 'repeat.json'), 'utf8'));
    expect(units).toHaveLength(5);
    const ttft = spread.find(({ name }: { readonly name: string }) => name === 'ttft.p50');
    expect(ttft.mean.low).toBeLessThan(ttft.mean.value);
    expect(ttft.smallestDifference).toBeCloseTo(Math.expm1(2.8 * ttft.spread * Math.sqrt(2 / 5)), 12);
    expect(readFileSync(join(five, 'repeat.md'), 'utf8')).toMatch(/^## 5 runs of ` made-up `/);
    const sides = ['--a', five, '--b', 'runs:tag=of=five', '--primary', 'ttft.p50'];
    const compared = madeUpProcess(['compare', ...sides, '--home', directory.path]);
    await compared.run();
    expect(compared.stdout.text).toMatch(/unit\s+5 and 5 runs/);
  });

  test('are written as one HTML file, a line of CSV for each run, and Markdown', async () => {
    using directory = temporaryDirectory();
    for (const run of [1, 2])
      writeTimedRun(join(directory.path, `run-0${run}`), {
        seed: run,
        requests: 20,
        run: { id: `run-${run}` },
      });
    const written = async (form: string): Promise<string> => {
      const made = madeUpProcess(['report', directory.path, `--${form}`, '-']);
      expect(await made.run()).toBe(EXIT_CODES.ok.code);
      return made.stdout.text;
    };
    const [head, ...lines] = (await written('csv'))
      .trimEnd()
      .split('\n')
      .map(line => line.split(','));
    expect(lines.map(line => line[head?.indexOf('run') ?? -1])).toEqual(['run-1', 'run-2']);
    expect(lines.every(line => Number(line[head?.indexOf('ttft_p50_ns') ?? -1]) > 0)).toBe(true);
    const html = await written('html');
    expect(html).toContain('<h2>Figures over runs');
    expect(html).not.toMatch(/NaN|undefined|Infinity|<script/);
    expect(await written('md')).toBe(readFileSync(join(directory.path, 'repeat.md'), 'utf8'));
  });

  test('that are not comparable, or not complete, are reported as such', async () => {
    using directory = temporaryDirectory();
    writeTimedRun(join(directory.path, 'run-01'), { seed: 1, requests: 20, run: { id: 'one' } });
    writeTimedRun(join(directory.path, 'run-02'), {
      seed: 2,
      requests: 20,
      run: { id: 'two', model: 'another' },
    });
    const made = madeUpProcess(['report', directory.path]);
    await made.run();
    expect(made.stdout.text.replace(/\s+/g, ' ')).toContain(
      'The runs are not comparable with each other. Different models answered',
    );
    expect(existsSync(join(directory.path, 'repeat.txt'))).toBe(true);
  });
});

test('one run does not show how runs vary, and two with the same figures have a spread of 0', () => {
  using directory = temporaryDirectory();
  const report = writeTimedRun(join(directory.path, 'run'), { seed: 1, requests: 80 });
  const unit = comparedUnit(report, directory.path);
  const of = (units: number) =>
    runSpread(Array.from({ length: units }, () => unit)).find(({ name }) => name === 'ttft.p50');
  expect(of(1)?.spread).toMatchObject({ reason: 'one run does not show how runs vary' });
  expect(of(2)).toMatchObject({ spread: 0, smallestDifference: 0 });
  expect(smallestLogDifference(0.02, 5)).toBeCloseTo(0.0354, 4);
});
