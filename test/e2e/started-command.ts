// A built command that serves a page, in a process of its own: `plimsoll demo`, `plimsoll up --replay`.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { childEnv } from '../support/child-env.ts';

export interface StartedCommand extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to the printed URL. */
  readonly urlAfterMs: number;
  output(): string;
  /** With a one-time code, as `plimsoll open` prints it: what is no terminal gets none at the start. */
  signInUrl(): Promise<string>;
  /** Sends the signal; resolves with the exit code, null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface CommandEnvironment {
  /** In addition to PATH. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the built program of this checkout. */
  readonly program?: string;
}

/** @throws Error with what it printed when it ends before it serves. */
export const startCommand = async (
  args: readonly string[],
  { env = {}, program = COMMAND }: CommandEnvironment = {},
): Promise<StartedCommand> => {
  const beganAtMs = performance.now();
  const child = spawn(execPath, [program, ...args, '--http', '127.0.0.1:0', '--no-open'], {
    env: { ...childEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let reported = '';
  const ended = once(child, 'exit').then(([code]): number | null => code);
  const url = await new Promise<string>((resolve, reject) => {
    const receive = (chunk: Buffer): void => {
      reported += chunk.toString('utf8');
      const found = /^Dashboard: (\S+)$/m.exec(reported)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`it ended with ${code}: ${reported}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await ended;
  };
  return {
    url: new URL(url).origin,
    pid: child.pid ?? 0,
    urlAfterMs: performance.now() - beganAtMs,
    output: () => reported,
    signInUrl: async () => {
      const [, home = ''] = /^To sign a browser in: .*open --home (\S+)$/m.exec(reported) ?? [];
      const args = [program, 'open', '--no-open', '--home', home];
      return execFileSync(execPath, args, { env: { ...childEnv, ...env }, encoding: 'utf8' }).trim();
    },
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
};

const COMMAND = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));
