// A folder of small shell scripts that stand in for a Mac's tools, put first on PATH. A gatherer meets real processes
// that print, hang, break and disappear.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../src/process/child.ts';

export interface StandInTools extends Disposable {
  readonly folder: string;
  readonly env: Env;
  /** A shell script; "$HERE" is the folder. */
  script(name: string, body: string): void;
  /** A tool that prints a text and ends. */
  prints(name: string, text: string): void;
  remove(name: string): void;
}

export const standInTools = (): StandInTools => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-tools-'));
  const script = (name: string, body: string): void => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nHERE='${folder}'\n${body}\n`);
    chmodSync(path, 0o755);
  };
  return {
    folder,
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder },
    script,
    prints: (name, text) => {
      writeFileSync(join(folder, `${name}.out`), text);
      script(name, `cat "$HERE/${name}.out"`);
    },
    remove: name => rmSync(join(folder, name)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
