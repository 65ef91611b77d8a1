// `plimsoll up` as a person starts it: the built command, in a process of its own, on a free port of loopback.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Env } from '../../src/process/child.ts';
import { childEnv } from '../support/child-env.ts';

interface StartedDaemon extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** By SIGKILL: at once, without a shutdown. */
  kill(): Promise<void>;
}

export interface DaemonStart {
  readonly home: string;
  /** 0 or none: any free one. */
  readonly port?: number;
  readonly env?: Env;
}

export const startDaemon = async ({ home, port = 0, env = {} }: DaemonStart): Promise<StartedDaemon> => {
  const child = spawn(
    execPath,
    [COMMAND, 'up', '--home', home, '--http', `127.0.0.1:${port}`, '--no-open', '--probes', 'off'],
    {
      env: { ...childEnv, HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  try {
    const url = new URL(await printedUrl(child));
    return {
      url: url.origin,
      port: Number(url.port),
      kill: () => stop('SIGKILL'),
      [Symbol.asyncDispose]: () => stop('SIGTERM'),
    };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
};

/** @throws Error with what the daemon printed when it ended before it served. */
const printedUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let reported = '';
    const receive = (chunk: Buffer): void => {
      reported += chunk.toString('utf8');
      const url = /^Dashboard: (\S+)$/m.exec(reported)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', receive);
    child.stderr?.on('data', receive);
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the daemon ended with ${code}: ${reported}`)));
  });

const COMMAND = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));
