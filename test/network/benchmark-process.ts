// What a benchmark reports to the daemon of a home: that it began against this address, every second that it is in
// progress, and nothing more. It waits for the daemon; prints a line when the daemon has accepted it; ends with SIGTERM.

import { request } from 'node:http';
import { join } from 'node:path';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { RunStart } from '../../src/core/run/run.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import { madeUpRunEntry } from '../support/run-entry.ts';

const [home = '', target = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const {
  targetNode: _target,
  state: _state,
  reason: _reason,
  figures: _figures,
  ...entry
} = madeUpRunEntry('r1');
const begun: RunStart = { ...entry, target, directory: join(home, 'runs', 'r1') };
let isStated = false;
while (!stop.signal.aborted) {
  const path = isStated ? `/api/runs/${begun.runId}/lease` : '/api/runs';
  const status = await report(isStated ? 'PUT' : 'POST', path, isStated ? { requestsInFlight: 4 } : begun);
  if (!isStated && status !== undefined && status < 300) process.stdout.write('accepted\n');
  isStated = status !== undefined && status < 300;
  await systemClock.sleep(isStated ? 1_000 : 50, stop.signal).catch(() => undefined);
}

/** The status; undefined where no daemon answers. */
async function report(method: string, path: string, body: object): Promise<number | undefined> {
  const found = await readDaemonFile(join(home, 'daemon.json'));
  if (found.kind !== 'found') return undefined;
  const { url, token } = found.file;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return await new Promise(resolve => {
    const requested = request(new URL(path, url), { method, headers }, answer => {
      answer.resume();
      resolve(answer.statusCode);
    });
    requested.on('error', () => resolve(undefined));
    requested.end(JSON.stringify(body));
  });
}
