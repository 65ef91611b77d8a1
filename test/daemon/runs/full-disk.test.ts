// A daemon whose disk is full that receives runs and is then killed: what it acknowledged is there afterwards.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../support/program.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';
import { type RunningDaemon, runDaemon } from '../../support/running-daemon.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { bearer, sendRequest } from '../http/http-exchange.ts';

test('a run that was acknowledged while the disk was full outlives a kill', {
  timeout: 120_000,
}, async context => {
  using folder = temporaryDirectory();
  const disk = join(folder.path, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch {
    return context.skip('no permission to mount a file system');
  }
  try {
    const start = (): Promise<RunningDaemon> =>
      runDaemon({
        command: [process.execPath, PROGRAM, 'up'],
        home: join(disk, 'home'),
      });
    const acknowledged: string[] = [];
    const refused = new Set<string>();
    {
      await using daemon = await start();
      fill(join(disk, 'filler'));
      for (let index = 0; index < 60; index += 1) {
        const runId = `run-${index}`;
        const begun = await report(daemon, '/api/runs', { ...START, runId });
        const ended = await report(daemon, `/api/runs/${runId}/end`, { ...END, runId });
        if (begun.status === 204 && ended.status === 204) acknowledged.push(runId);
        for (const { status, body } of [begun, ended])
          if (status !== 204) refused.add(`${status} ${JSON.parse(body).code}`);
      }
      const gone = once(daemon.child, 'close');
      process.kill(daemon.pid, 'SIGKILL');
      await gone;
    }
    expect([...refused]).toEqual(['507 not-stored']);
    rmSync(join(disk, 'filler'));
    await using again = await start();
    const { body } = await sendRequest({
      port: portOf(again),
      path: '/api/runs',
      headers: bearer(again.token),
    });
    const known: { run: { runId: string } }[] = JSON.parse(body).runs;
    const ids = known.map(({ run }) => run.runId);
    expect(acknowledged.filter(id => !ids.includes(id))).toEqual([]);
    // And with room on the disk a run is acknowledged again.
    expect((await report(again, '/api/runs', { ...START, runId: 'run-after' })).status).toBe(204);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});

const report = (daemon: RunningDaemon, path: string, body: object) =>
  sendRequest({
    port: portOf(daemon),
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(daemon.token) },
    body: JSON.stringify(body),
  });

const portOf = ({ url }: RunningDaemon): number => Number(new URL(url).port);

const fill = (path: string): void => {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4_096, 512, 1]) {
      const bytes = Buffer.alloc(size, 1);
      try {
        while (writeSync(file, bytes) > 0);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    }
  } finally {
    closeSync(file);
  }
};

const {
  targetNode: _node,
  state: _state,
  reason: _reason,
  figures: _figures,
  ...BEGUN
} = madeUpRunEntry('r1');
const START = { ...BEGUN, directory: '/nowhere' };
const END = {
  state: 'complete',
  reason: '',
  model: 'made-up',
  directory: '/nowhere',
  figures: madeUpFigures(),
};
