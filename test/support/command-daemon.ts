// A daemon that `plimsoll up` runs inside the test: commands find it by its home as they would any other.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MadeUpProcess, madeUpProcess } from './made-up-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface CommandDaemon extends AsyncDisposable {
  readonly home: string;
  readonly process: MadeUpProcess;
}

/** @param config of config.toml; undefined: the one that a first start writes */
export const commandDaemon = async (http = '127.0.0.1:0', config?: string): Promise<CommandDaemon> => {
  const folder = temporaryDirectory();
  const home = join(folder.path, 'home');
  if (config !== undefined) {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.toml'), config);
  }
  const process = madeUpProcess([
    'up',
    '--home',
    home,
    '--http',
    http,
    '--no-open',
    '--probes',
    'off',
    '--name',
    'atlas',
  ]);
  const ended = process.run();
  await Promise.race([process.stdout.until(/Dashboard/), ended]);
  return {
    home,
    process,
    [Symbol.asyncDispose]: async () => {
      process.stop('SIGTERM');
      await ended;
      folder[Symbol.dispose]();
    },
  };
};
