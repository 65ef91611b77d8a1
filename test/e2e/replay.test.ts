// A recording in a real browser: the committed one, made by the demo's simulator, and one that is made here.

import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { childEnv } from '../support/child-env.ts';
import { isLongRun } from '../support/counts.ts';
import { recordingFixture } from '../support/recording-fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startCommand } from './started-command.ts';

const COMMAND = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));

describe('plimsoll up --replay', () => {
  test('shows the whole cluster, marked as a recording', async ({ browser }) => {
    await using replay = await startCommand(['up', '--replay', recordingFixture]);
    const { page, problems } = await browser.open(replay.url);
    await page.getByRole('status', { name: 'Connection' }).getByText('Recording').waitFor();
    await page.getByText('read-only').waitFor();
    for (const name of ['atlas', 'pip', 'spark-1', 'anchor'])
      await page.getByRole('link', { name: new RegExp(`^${name} \\(simulated\\), `) }).waitFor();
    await page
      .getByRole('button', { name: /^Link spark-1 to spark-2, RoCE.*: \d/ })
      .first()
      .waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('changes nothing: what would is refused', async () => {
    await using replay = await startCommand(['up', '--replay', recordingFixture]);
    const state = await (await fetch(`${replay.url}/api/state`)).text();
    const { nodeIdentities }: { nodeIdentities: Record<string, unknown> } = JSON.parse(state);
    const [node = ''] = Object.keys(nodeIdentities);
    for (const path of [`/api/nodes/${node}/forget`, '/api/probes', '/api/runs'])
      expect((await fetch(replay.url + path, { method: 'POST' })).status, path).toBeGreaterThanOrEqual(400);
  });

  test('goes on with what came before where a recording is cut off, and reports it on the page', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('its rule is held without a browser: in the long run');
    using folder = temporaryDirectory();
    const cut = join(folder.path, 'cut.plimsoll');
    const bytes = readFileSync(recordingFixture);
    writeFileSync(cut, bytes.subarray(0, Math.round(bytes.length * 0.8)));
    await using replay = await startCommand(['up', '--replay', cut, '--speed', '100']);
    const { page } = await browser.open(replay.url);
    await page.getByText(/cut off at byte \d+/).waitFor();
    await page.getByRole('link', { name: /^atlas \(simulated\), / }).waitFor();
  });
});

test('what is no recording ends with 31 and two lines', async () => {
  requireBuild();
  using folder = temporaryDirectory();
  const path = join(folder.path, 'text.plimsoll');
  copyFileSync(COMMAND, path);
  const refusal = await run(['up', '--replay', path]).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(refusal).toMatchObject({
    code: 31,
    stderr: expect.stringMatching(/is not a recording.*\n.*plimsoll record/),
  });
});

test('the demo recorded without names has none of them, and is shown again', async ({ skip }) => {
  if (!isLongRun) skip('a whole demo and its replay: in npm run test:long');
  requireBuild();
  using folder = temporaryDirectory();
  const path = join(folder.path, 'demo.plimsoll');
  {
    await using demo = await startCommand(['demo', '--nodes', '3', '--no-bench'], {
      env: { TMPDIR: folder.path },
    });
    const home = /--home (\S+)/.exec(demo.output())?.[1] ?? '';
    await run(['record', path, '--duration', '3s', '--home', home]);
    const refusal = await run(['record', path, '--duration', '1s', '--home', home]).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(refusal).toMatchObject({ code: 31, stderr: expect.stringContaining('already exists') });
  }
  await using replay = await startCommand(['up', '--replay', path]);
  const state = await (await fetch(`${replay.url}/api/state`)).text();
  expect(state).toContain('node-3');
  for (const name of ['atlas', 'hermes', 'juno', '192.0.2.']) expect(state).not.toContain(name);
});

const run = async (args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(execPath, [COMMAND, ...args], {
    env: { ...childEnv, HOME: '/nonexistent' },
  });
  return stdout;
};
