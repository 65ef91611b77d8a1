// Supervises one server that a command line started: in a process group of its own, which ends when our parent
// requests it, and when our parent is gone for any reason. The server's output goes to a file of limited size.

import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { errorCode, errorMessage } from '../../core/problem.ts';
import { reportParent, stopsOf, watchParent } from '../../process/parent-watch.ts';
import { SUPERVISOR_VARIABLE, supervisorOrderSchema } from './supervisor-message.ts';

const main = async (): Promise<void> => {
  const parent = watchParent(process.env);
  const { stop } = stopsOf(parent, (signal, received) => process.on(signal, received));
  const ended = parent.kind === 'watching' ? AbortSignal.any([stop, parent.signal]) : stop;
  const { [SUPERVISOR_VARIABLE]: order, ...env } = process.env;
  const { command, cwd, log } = v.parse(supervisorOrderSchema, JSON.parse(order ?? ''));
  const file = openSync(log, 'a', 0o600);
  // A session of its own: Ctrl-C of our terminal is for us, and its whole group can be ended at once.
  const server = spawn('/bin/sh', ['-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let room = LOG_BYTES_MAX;
  let tail = '';
  const keep = (chunk: Buffer): void => {
    tail = `${tail}${chunk.toString('utf8')}`.slice(-TAIL_KEPT);
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    room -= kept.length;
    try {
      writeSync(file, kept);
      if (room <= 0) writeSync(file, `\n[more is not kept: ${LOG_BYTES_MAX} bytes]\n`);
    } catch (error) {
      // A full disk is no reason to end the server; its last output is still reported when it ends.
      if (errorCode(error) === undefined) throw error;
      room = 0;
    }
  };
  server.stdout.on('data', keep);
  server.stderr.on('data', keep);
  const gone = new Promise<void>(resolve => {
    server.once('error', error => {
      reportParent(process.env, { kind: 'exited', reason: errorMessage(error) });
      resolve();
    });
    server.once('close', (code, signal) => {
      reportParent(process.env, { kind: 'exited', reason: exitText(code, signal, tail) });
      resolve();
    });
  });
  reportParent(process.env, { kind: 'started', pid: server.pid ?? 0 });
  // Alive until it is stopped: the group may have members whose first process has ended.
  const alive = setInterval(() => undefined, ALIVE_MS);
  await new Promise<void>(resolve => {
    if (ended.aborted) resolve();
    else ended.addEventListener('abort', () => resolve(), { once: true });
  });
  if (server.pid !== undefined) await endGroup(server.pid);
  await Promise.race([gone, sleep(PIPES_MS)]);
  clearInterval(alive);
  closeSync(file);
};

/** SIGTERM first, so that a server releases its devices properly. */
const endGroup = async (group: number): Promise<void> => {
  for (let waitedMs = 0; signalGroup(group, waitedMs === 0 ? 'SIGTERM' : 0); waitedMs += POLL_MS) {
    if (waitedMs >= GRACE_MS) {
      signalGroup(group, 'SIGKILL');
      return;
    }
    await sleep(POLL_MS);
  }
};

/** @returns false where the group has no member left. */
const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH' || errorCode(error) === 'EPERM') return false;
    throw error;
  }
};

const exitText = (code: number | null, signal: string | null, tail: string): string => {
  const how = code === null ? `it was ended by ${signal}` : `it exited with ${code}`;
  const reported = tail.trim().split('\n').at(-1) ?? '';
  return reported === '' ? how : `${how}: ${reported.slice(0, OUTPUT_LENGTH)}`;
};

const LOG_BYTES_MAX: number = 16 * 1024 * 1024;
const TAIL_KEPT = 4_096;
const OUTPUT_LENGTH = 300;
const ALIVE_MS = 60_000;
const POLL_MS = 50;
const GRACE_MS = 10_000;
const PIPES_MS = 500;

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
