// What the next soak removes of one that was killed.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { reasonAgainstNamespaces } from '../network/namespaces.ts';
import { type LeftoverHost, removeLeftovers, soakPrefix, startTicksOf } from './leftovers.ts';

const madeUpHost = (
  processes: Readonly<Record<string, readonly number[]>>,
  started: ReadonlyMap<number, number>,
): LeftoverHost & { readonly done: string[] } => {
  const done: string[] = [];
  return {
    done,
    namespaces: () => Object.keys(processes),
    processesIn: name => processes[name] ?? [],
    startTicks: pid => started.get(pid),
    kill: pid => void done.push(`kill ${pid}`),
    remove: name => void done.push(`remove ${name}`),
  };
};

test('of a soak that is gone everything goes: first what runs, then where it ran', () => {
  const host = madeUpHost({ 'plim-soak-70-5000-ada': [71, 72] }, new Map());
  expect(removeLeftovers(host)).toEqual(['plim-soak-70-5000-ada']);
  expect(host.done).toEqual(['kill 71', 'kill 72', 'remove plim-soak-70-5000-ada']);
});

test('of a soak that runs nothing goes, but of one whose number another process has now', () => {
  const host = madeUpHost(
    { 'plim-soak-70-5000-ada': [], 'plim-soak-71-4000-ada': [], 'plim-0a1b2c-ada': [1], lab: [2] },
    new Map([
      [70, 5_000],
      [71, 9_000],
    ]),
  );
  expect(removeLeftovers(host)).toEqual(['plim-soak-71-4000-ada']);
});

test('a process and its namespace of a soak that was killed are gone from this machine', async context => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) return context.skip(reason);
  // Of a process that never was: numbers end at 4,194,304.
  const name = `${soakPrefix(9_000_000, process.pid)}-ada`;
  execFileSync('ip', ['netns', 'add', name]);
  const child = spawn('ip', ['netns', 'exec', name, 'sleep', '600'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  while (execFileSync('ip', ['netns', 'pids', name], { encoding: 'utf8' }).trim() === '');
  expect(removeLeftovers()).toContain(name);
  expect((await ended)[1]).toBe('SIGKILL');
  expect(execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })).not.toContain(name);
});

test('the same process always began at the same time, and one that is gone never did', () => {
  expect(startTicksOf(process.pid)).toBeGreaterThan(0);
  expect(startTicksOf(9_000_000)).toBeUndefined();
});
