// A daemon with nothing to do but to be watched: a reader of its stream and a scraper of /metrics. One
// process through all segments of a call, so that what it keeps in the first is seen in the last; the next
// call continues with its home. Next to it a twin, of which heap snapshots are taken: they would disturb the
// memory of the one that is measured.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { journalBytes, sampleProcess } from './process-sample.ts';
import { WARM_UP_HOURS } from './trend.ts';

interface IdleSoakOptions {
  readonly out: string;
  /** Of each segment. */
  readonly hours: number;
  readonly segments: number;
  readonly signal: AbortSignal;
}

export const runIdleSoak = async ({ out, hours, segments, signal }: IdleSoakOptions): Promise<void> => {
  const snapshots = resolve(out, 'snapshots');
  mkdirSync(snapshots, { recursive: true, mode: 0o700 });
  const watched = DAEMONS.map(({ name, flags }) => startDaemon({ name, flags, out, snapshots }));
  const visitors: ChildProcess[] = [];
  try {
    await pause(COME_UP_MS, signal);
    for (const { home } of watched)
      visitors.push(
        spawn(process.execPath, [VISITOR, home, 'watch'], { stdio: ['ignore', 'pipe', 'inherit'] }),
      );
    const twin = watched.find(({ name }) => name === 'twin');
    const snapshot = async (afterHours: number): Promise<void> => {
      await pause(afterHours * HOUR_MS, signal);
      if (!signal.aborted) twin?.child.kill('SIGUSR2');
    };
    const last = hours * segments - LAST_SNAPSHOT_HOURS;
    await Promise.all([
      snapshot(Math.min(WARM_UP_HOURS, last)),
      snapshot(last),
      runSegments({ out, hours, segments, signal, watched, visitors }),
    ]);
  } finally {
    for (const visitor of visitors) visitor.kill();
    await Promise.all(watched.map(({ child }) => ended(child)));
  }
};

interface Watched {
  readonly name: string;
  readonly home: string;
  readonly child: ChildProcess;
}

interface Segments extends IdleSoakOptions {
  readonly watched: readonly Watched[];
  readonly visitors: readonly ChildProcess[];
}

const runSegments = async ({ out, hours, segments, signal, watched, visitors }: Segments): Promise<void> => {
  let folder = '';
  let startedMs = 0;
  const atMs = (): number => Math.round(performance.now() - startedMs);
  const report = (event: object): void => {
    appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify({ atMs: atMs(), ...event })}\n`);
  };
  for (const [index, visitor] of visitors.entries())
    visitor.stdout?.setEncoding('utf8').on('data', (reported: string) => {
      report({
        what: 'fault: a visitor was refused',
        process: watched[index]?.name,
        reported: reported.trim(),
      });
    });
  let isOver = false;
  for (const { child, name } of watched)
    child.once('exit', (code, killedBy) => {
      if (!isOver) report({ what: 'fault: ended by itself', process: name, code, signal: killedBy });
    });
  for (let segment = 1; segment <= segments && !signal.aborted; segment += 1) {
    folder = join(out, `piece-${1 + readdirSync(out).filter(name => /^piece-\d+$/.test(name)).length}`);
    mkdirSync(folder);
    startedMs = performance.now();
    const about = {
      startedAt: new Date().toISOString(),
      hours,
      node: process.version,
      cpus: os.cpus().length,
    };
    writeFileSync(join(folder, 'about.json'), `${JSON.stringify({ ...about, kind: 'idle', segment })}\n`);
    const end = AbortSignal.any([signal, AbortSignal.timeout(hours * HOUR_MS)]);
    while (!end.aborted) {
      for (const { name, home, child } of watched) {
        const sample = child.pid === undefined ? undefined : sampleProcess(child.pid);
        if (sample === undefined) continue;
        const row = { atMs: atMs(), load: os.loadavg()[0] ?? 0, process: name, pid: child.pid, ...sample };
        appendFileSync(
          join(folder, 'rows.jsonl'),
          `${JSON.stringify({ ...row, journalBytes: journalBytes(home) })}\n`,
        );
      }
      await pause(ROW_MS, end);
    }
  }
  isOver = true;
};

const startDaemon = ({
  name,
  flags,
  out,
  snapshots,
}: {
  readonly name: string;
  readonly flags: readonly string[];
  readonly out: string;
  readonly snapshots: string;
}): Watched => {
  const home = resolve(out, 'homes', name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const args = ['up', '--home', home, '--http', '127.0.0.1:0', '--no-open', '--name', name];
  const child = spawn(process.execPath, [...flags, PROGRAM, ...args], { stdio: 'ignore', cwd: snapshots });
  return { name, home, child };
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

const pause = async (ms: number, end: AbortSignal): Promise<void> => {
  await delay(Math.max(0, ms), undefined, { signal: end }).catch(() => undefined);
};

/** `idle` is started as users start it. */
const DAEMONS = [
  { name: 'idle', flags: [] },
  // Node writes into its working directory.
  { name: 'twin', flags: ['--heapsnapshot-signal=SIGUSR2'] },
] as const;
const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));
const VISITOR = fileURLToPath(new URL('./visitor-process.ts', import.meta.url));
const HOUR_MS = 3_600_000;
const ROW_MS = 60_000;
const COME_UP_MS = 20_000;
/** Before the end. */
const LAST_SNAPSHOT_HOURS = 1 / 30;
