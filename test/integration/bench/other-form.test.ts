// A benchmark or a sweep that prints its report in the format of another tool.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMock } from '../../../src/mock/mock-server.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

test('prints what report --as prints of its run, and nothing else, with bursts as vLLM names them', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 });
  const load = [mock.url, '--requests', '20', '--rate', '80', '--burstiness', '0.5', '--events', 'off'];
  const run = await benchHere(folder.path, [...load, '--as', 'vllm']);
  expect(run.exit).toBe('ok');
  expect(JSON.parse(run.stdout)).toMatchObject({ completed: 20, request_rate: 80, burstiness: 0.5 });
  const report = madeUpProcess([
    'report',
    run.directory,
    '--as',
    'vllm',
    '--home',
    join(folder.path, 'home'),
  ]);
  await report.run();
  expect(run.stdout).toBe(report.stdout.text);
});

test('writes the other format into a file next to its own report', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 });
  const file = join(folder.path, 'result.csv');
  const load = [mock.url, '--requests', '5', '--no-warmup', '--model', 'm', '--events', 'off'];
  const run = await benchHere(folder.path, [...load, '--as', 'csv', '--to', file]);
  expect(run.stdout).toContain('Run directory:');
  expect(run.stdout).toContain(file);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(6);
});

test('prints the stages of a sweep as report --as does, and names what to write for a format of one run', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 });
  const home = ['--home', join(folder.path, 'home')];
  const directory = join(folder.path, 'sweep');
  const load = ['--concurrency', '1,2', '--duration', '200ms', '--pause', '1ms', '--out', directory];
  const printed = async (...args: readonly string[]) => {
    const process = madeUpProcess([...args, ...home]);
    await process.run();
    return { out: process.stdout.text, err: process.stderr.text };
  };
  const refused = await printed('sweep', mock.url, ...load, '--as', 'vllm');
  expect(refused.err).toContain('vllm writes one run, and this is several');
  expect(refused.err).toContain('plimsoll report DIR/stage-01 --as vllm');
  const sweep = await printed('sweep', mock.url, ...load, '--as', 'guidellm');
  expect(JSON.parse(sweep.out).benchmarks).toHaveLength(2);
  expect(sweep.out).toBe((await printed('report', directory, '--as', 'guidellm')).out);
});
