// `plimsoll report DIR --as TOOL` of a directory of several runs.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { guidellmRuns } from '../../../src/report/imported/guidellm-file.ts';
import { comparisonToJson } from '../../../src/wire/stored-json.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { madeUpSweep, writeSweep } from '../../support/made-up-line.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const REQUESTS = 40;

const sweepIn = (folder: TemporaryDirectory) => {
  const made = madeUpSweep('three-rates');
  const stages = made.stages
    .filter(({ load }) => load.kind === 'rate')
    .slice(0, 3)
    .map((stage, index) => ({ ...stage, number: index + 1, directory: `stage-0${index + 1}` }));
  const sweep = { ...made, stages };
  writeSweep(folder.path, sweep);
  for (const { directory, load, runId, seed } of sweep.stages)
    writeTimedRun(join(folder.path, directory), {
      seed,
      requests: REQUESTS,
      outputTokens: 6,
      run: {
        id: runId,
        pattern: load.kind === 'rate' ? { kind: 'poisson', requestsPerSecond: load.requestsPerSecond } : load,
      },
    });
  return sweep;
};

const report = async (...args: readonly string[]) => {
  const made = madeUpProcess(['report', ...args]);
  const code = await made.run();
  return { code, text: made.stdout.text, problems: made.stderr.text };
};

describe('a sweep', () => {
  test('is one file of GuideLLM with a benchmark for each stage, in their order', async () => {
    using folder = temporaryDirectory();
    const { id, stages } = sweepIn(folder);
    const file = join(folder.path, 'benchmarks.json');
    const written = await report(folder.path, '--as', 'guidellm', '--to', file);
    expect(written).toMatchObject({ code: EXIT_CODES.ok.code, problems: '' });
    expect(written.text).toMatch(/^Wrote .*benchmarks\.json, /);
    const json = JSON.parse(readFileSync(file, 'utf8'));
    expect(stages.length).toBeGreaterThan(1);
    expect(json.benchmarks.map(({ config }: { readonly config: object }) => config)).toMatchObject(
      stages.map(({ runId }, index) => ({ id_: runId, run_id: id, run_index: index })),
    );
    const profile = json.config.spec.profile;
    expect(profile).toEqual({
      kind: 'poisson',
      rate: stages.map(({ load }) => (load.kind === 'rate' ? load.requestsPerSecond : 0)),
    });
    const runs = guidellmRuns(json);
    expect(runs.map(({ figures }) => (figures.kind === 'requests' ? figures.samples.length : 0))).toEqual(
      stages.map(() => REQUESTS),
    );
  });

  test('leaves out a stage without samples, and names it', async () => {
    using folder = temporaryDirectory();
    const { stages } = sweepIn(folder);
    const [first] = stages;
    rmSync(join(folder.path, first?.directory ?? '', 'samples.jsonl'));
    const { text, problems } = await report(folder.path, '--as', 'guidellm');
    expect(JSON.parse(text).benchmarks).toHaveLength(stages.length - 1);
    expect(problems).toMatch(/^plimsoll: stage-01 is left out: .*samples\.jsonl cannot be read/);
    for (const { directory } of stages)
      rmSync(join(folder.path, directory), { recursive: true, force: true });
    expect(await report(folder.path, '--as', 'guidellm')).toMatchObject({
      code: EXIT_CODES.benchRunDirectory.code,
      text: '',
    });
  });

  test('has no place in a format of one run, which names what to write instead', async () => {
    using folder = temporaryDirectory();
    sweepIn(folder);
    expect(await report(folder.path, '--as', 'vllm')).toEqual({
      code: EXIT_CODES.usage.code,
      text: '',
      problems: [
        'plimsoll: --as vllm writes one run, and this is a load line or a sweep',
        `All of it: plimsoll report ${folder.path} --as guidellm. One of its runs: plimsoll report ${folder.path}/stage-01 --as vllm`,
        '',
      ].join('\n'),
    });
  });
});

test('a comparison is one file of GuideLLM too, with a benchmark for each segment', async () => {
  using folder = temporaryDirectory();
  const comparison = madeUpComparison([[318, 280]]);
  writeFileSync(join(folder.path, 'comparison.json'), comparisonToJson(comparison));
  const units = [...comparison.a.units, ...comparison.b.units];
  for (const { directory, runId } of units)
    writeTimedRun(join(folder.path, directory), { seed: 1, requests: 20, run: { id: runId } });
  const { text } = await report(folder.path, '--as', 'guidellm');
  expect(JSON.parse(text).benchmarks).toMatchObject(
    units.map(({ runId }) => ({ config: { id_: runId, run_id: comparison.id } })),
  );
  expect((await report(folder.path, '--as', 'vllm')).problems).toContain(
    `this is a comparison\nAll of it: plimsoll report ${folder.path} --as guidellm. One of its runs: plimsoll report ${folder.path}/pair-01-a --as vllm\n`,
  );
});

test('repeats are several runs in every format, of which one can be written', async () => {
  using repeats = temporaryDirectory();
  writeTimedRun(join(repeats.path, 'run-01'), { seed: 1, requests: 20 });
  expect((await report(repeats.path, '--as', 'csv')).problems).toContain(
    `One of its runs: plimsoll report ${repeats.path}/run-01 --as csv\n`,
  );
});
