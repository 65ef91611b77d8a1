// The demo as a person starts it: the built command, its page in a real browser, and nothing left afterwards.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect } from 'vitest';
import type { State } from '../../src/core/state.ts';
import { childrenOf, untilGone } from '../integration/bench/bench-process.ts';
import { requireBuild } from '../support/build.ts';
import { childEnv } from '../support/child-env.ts';
import { isLongRun } from '../support/counts.ts';
import { whenState } from '../support/streamed-state.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startCommand } from './started-command.ts';

const COMMAND = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));

beforeAll(requireBuild);

describe('plimsoll demo', () => {
  test('shows as many nodes as were asked for, each marked as simulated, on every surface', async () => {
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--nodes', '5', '--no-bench'], folders);
    console.info(`the demo printed its URL after ${Math.round(demo.urlAfterMs)} ms`);
    await whenState(demo.url, state => Object.keys(state.nodeIdentities).length === 5);
    const state: { nodeIdentities: State['nodeIdentities'] } = await json(demo.url, '/api/state');
    expect(Object.values(state.nodeIdentities).map(({ value }) => value.isSimulated)).toEqual(
      Array(5).fill(true),
    );
    const metrics = await (await fetch(`${demo.url}/metrics`)).text();
    expect(metrics.match(/^plimsoll_node_info\{.*simulated="true"/gm)).toHaveLength(5);
    const home = /plimsoll status --home (\S+)/.exec(demo.output())?.[1] ?? '';
    const status = await run(['status', '--home', home], folders.env);
    expect(status.match(/ simulated\b/g)).toHaveLength(5);
    const printed: { nodes: { identity: { value: { isSimulated: boolean } } }[] } = JSON.parse(
      await run(['status', '--json', '--home', home], folders.env),
    );
    expect(printed.nodes.map(({ identity }) => identity.value.isSimulated)).toEqual(Array(5).fill(true));
  });

  test('shows its cluster in a browser, and reports that it is none', async ({ browser, skip }) => {
    if (!isLongRun) skip('a demo of its own: in npm run test:long');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--no-bench'], folders);
    const openedAtMs = performance.now();
    const { page, problems } = await browser.open(demo.url);
    await page.getByRole('note').getByText('Simulated: no node is real').waitFor();
    for (const name of ['atlas', 'hermes', 'juno', 'pip', 'spark-1', 'spark-2', 'bosun', 'anchor'])
      await page.getByRole('link', { name: new RegExp(`^${name} \\(simulated\\), `) }).waitFor();
    await page
      .getByRole('button', { name: /^Link atlas to hermes, Thunderbolt 5 \(RDMA\): \d/ })
      .first()
      .waitFor();
    const shownMs = demo.urlAfterMs + performance.now() - openedAtMs;
    console.info(`eight nodes and their links were on the page ${Math.round(shownMs)} ms after the start`);
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('shows at once who is asleep, and a past with a fall', async ({ browser, skip }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--no-bench'], folders);
    const { page, problems } = await browser.open(demo.url);
    const ghost = page.getByRole('link', {
      name: /^juno \(simulated\), no contact, .*no contact for \d min/,
    });
    await ghost.waitFor();
    await page
      .getByRole('button', { name: 'Link atlas to juno, Thunderbolt 5 (RDMA): no contact' })
      .waitFor();
    await page.getByRole('link', { name: /^bosun \(simulated\), / }).click();
    const past = page.getByRole('region', { name: 'Profile history' });
    await past.getByRole('img', { name: /^GPU 1, compute since .*; −2\d.% since/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('without faults lets everybody reach everybody', async ({ skip }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--no-bench', '--faults', 'off'], folders);
    await whenState(demo.url, state => {
      const sinks = Object.values(state.linkProfiles).map(profiles => Object.keys(profiles).length);
      return sinks.length === 8 && sinks.every(count => count === 7);
    });
  });

  test('measures a link when a person who opened the printed address asks for it', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--no-bench', '--nodes', '2'], folders);
    const { page, problems } = await browser.open(await demo.signInUrl());
    await page.getByRole('button', { name: /^Link / }).dispatchEvent('click');
    await page.getByRole('button', { name: /^Probe now: / }).click();
    const dock = page.getByRole('region', { name: /^Connections of / });
    await dock
      .getByText(/^(measuring|\d (started|waiting))/)
      .first()
      .waitFor();
    expect(page.url()).not.toContain('code=');
    expect(problems).toEqual([]);
  });

  test('runs a real benchmark against the mock, seen live on a page that reports where', async ({
    browser,
  }) => {
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--nodes', '2'], folders);
    const state = await whenState(demo.url, state =>
      Object.values(state.runProgress).some(runs => Object.keys(runs).length > 0),
    );
    const [run] = Object.values(state.runs).flatMap(runs => Object.values(runs));
    if (run === undefined) throw new Error('no run');
    const target = run.value.targetNode;
    expect(typeof target === 'string' && state.nodeIdentities[target]?.value.isSimulated).toBe(true);
    const { page } = await browser.open(`${demo.url}/runs/${run.value.runId}`);
    await page.getByText('in a simulated cluster').waitFor();
    await page.getByText('demo-model').first().waitFor();
  });

  test('leaves nothing when it is stopped: no process, no home, and ends with 0', async ({ skip }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    if (!existsSync('/proc/self')) return skip('no /proc on this system');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--nodes', '2'], folders);
    await whenState(demo.url, state =>
      Object.values(state.runProgress).some(runs => Object.keys(runs).length > 0),
    );
    const family = familyOf(demo.pid);
    expect(family.length).toBeGreaterThanOrEqual(3); // the mock, the benchmark, its aggregator
    expect(await demo.end('SIGINT')).toBe(0);
    for (const pid of family) await untilGone(pid);
    expect(readdirSync(folders.temporary).filter(name => name.startsWith('plimsoll-demo-'))).toEqual([]);
    expect(readdirSync(folders.home)).toEqual([]);
  });

  test('leaves no process when it is killed, and the next one removes its home', async ({ skip }) => {
    if (!isLongRun) skip('a demo of its own: in the long run');
    if (!existsSync('/proc/self')) return skip('no /proc on this system');
    using folders = demoFolders();
    await using demo = await startCommand(['demo', '--nodes', '2'], folders);
    await whenState(demo.url, state =>
      Object.values(state.runProgress).some(runs => Object.keys(runs).length > 0),
    );
    const family = familyOf(demo.pid);
    await demo.end('SIGKILL');
    for (const pid of family) await untilGone(pid);
    const left = readdirSync(folders.temporary).filter(name => name.startsWith('plimsoll-demo-'));
    expect(left).toHaveLength(1);
    await using next = await startCommand(['demo', '--nodes', '1', '--no-bench'], folders);
    expect(next.output()).toContain('A simulated cluster of 1 node;');
    expect(readdirSync(folders.temporary)).not.toContain(left[0]);
  });
});

/** A person's home and a folder for temporary files, to see what is left in either. */
const demoFolders = () => {
  const folder = temporaryDirectory();
  const home = join(folder.path, 'person');
  const temporary = join(folder.path, 'temporary');
  mkdirSync(home);
  mkdirSync(temporary);
  return {
    home,
    temporary,
    env: { HOME: home, TMPDIR: temporary },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
};

/** Every process that it started, and theirs. */
const familyOf = (pid: number): readonly number[] => {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(familyOf)];
};

const json = async (url: string, path: string) => JSON.parse(await (await fetch(url + path)).text());

const run = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> => {
  const { stdout } = await promisify(execFile)(execPath, [COMMAND, ...args], {
    env: { ...childEnv, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
};
