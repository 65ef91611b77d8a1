// A built command that ends by itself, in a process of its own: `plimsoll bench`, `plimsoll mock`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { repositoryRoot } from '../support/repository-root.ts';

interface StartedProcess extends AsyncDisposable {
  output(): string;
  /** Resolves with all that was printed once it matches. */
  printed(pattern: RegExp): Promise<string>;
  /** Its exit code; null where a signal ended it. */
  ended(): Promise<number | null>;
}

export const startProcess = (args: readonly string[]): StartedProcess => {
  const child = spawn(execPath, [join(repositoryRoot, 'bin/plimsoll.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]): number | null => code);
  let output = '';
  const received: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const receive of received) receive();
    });
  return {
    output: () => output,
    printed: pattern =>
      new Promise((resolve, reject) => {
        const receive = (): void => {
          if (pattern.test(output)) resolve(output);
        };
        received.push(receive);
        receive();
        void ended.then(() => reject(new Error(`ended before it printed ${pattern}: ${output}`)));
      }),
    ended: () => ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
};
