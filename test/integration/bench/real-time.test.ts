import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { readReport } from './bench-here.ts';
import { spawnBench } from './bench-process.ts';

/** By the name of each thread of a process: its scheduling policy (proc(5), field 41 of stat; 2 is SCHED_RR). */
const policiesOf = (pid: number): ReadonlyMap<string, number> => {
  const tasks = `/proc/${pid}/task`;
  return new Map(
    readdirSync(tasks).map(task => {
      const stat = readFileSync(join(tasks, task, 'stat'), 'utf8');
      const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [readFileSync(join(tasks, task, 'comm'), 'utf8').trim(), Number(afterName[41 - 3])];
    }),
  );
};

test('with --real-time load threads alone run before other programs, and the report reports it or why not', async context => {
  if (process.platform !== 'linux') context.skip('only Linux reports the class of a thread');
  const isAllowed = spawnSync('chrt', ['--rr', '1', 'true']).status === 0;
  using folder = temporaryDirectory();
  await using mock = await spawnMock(
    { ttftMs: 5, gapMs: 1, outputTokens: 5 },
    { nodePath: process.execPath, env: process.env },
  );
  await using run = spawnBench(folder.path, [
    mock.url,
    '--duration',
    '60s',
    '--concurrency',
    '2',
    '--real-time',
  ]);
  await run.until(/measuring · \d+ issued/);
  const policies = policiesOf(run.pid);
  // It has been looked at: however long that took, the run was still going on.
  process.kill(run.pid, 'SIGINT');
  await run.ended;
  const { notices } = readReport(run.directory);
  expect(policies.get('plimsoll load 0')).toBe(isAllowed ? 2 : 0);
  expect([...policies].filter(([name, policy]) => policy !== 0 && name !== 'plimsoll load 0')).toEqual([]);
  expect(notices.filter(notice => notice.includes('--real-time'))).toEqual([
    expect.stringMatching(isAllowed ? /before every other program.*SCHED_RR/ : /as every program does/),
  ]);
});
