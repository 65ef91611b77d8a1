// Executables that stand in for the tools of a machine: scripts in a temporary folder that is the whole PATH. Every start
// leaves its process id and arguments, so that tests can signal them and see that none outlives its reader.

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../../src/process/child.ts';

interface ToolStart {
  readonly processId: number;
  readonly args: readonly string[];
}

export class StandInTools {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<StandInTools> {
    return new StandInTools(await mkdtemp(join(tmpdir(), 'plimsoll-tools-')));
  }

  get env(): Env {
    return { PATH: this.folder };
  }

  /**
   * `body` is CommonJS with `args`, `print(line)`, `every(ms, action)` and `startNumber`, which counts this tool's
   * starts with the same first argument from 1.
   */
  add(name: string, body: string): void {
    const path = join(this.folder, name);
    const log = JSON.stringify(`${path}.starts`);
    writeFileSync(
      path,
      // The line of a script that names its program may hold no space, and a checkout may lie in a folder with one.
      `#!/bin/sh
':' //; exec '${process.execPath}' "$0" "$@"
const fs = require('node:fs');
const args = process.argv.slice(2);
fs.appendFileSync(${log}, JSON.stringify({ processId: process.pid, args }) + '\\n');
const startNumber = fs.readFileSync(${log}, 'utf8').trim().split('\\n')
  .filter(line => JSON.parse(line).args[0] === args[0]).length;
const print = line => fs.writeSync(1, line + '\\n');
const every = (ms, action) => { action(); setInterval(action, ms); };
${body}
`,
    );
    chmodSync(path, 0o755);
  }

  remove(name: string): void {
    rmSync(join(this.folder, name));
  }

  starts(name: string): readonly ToolStart[] {
    let log: string;
    try {
      log = readFileSync(join(this.folder, `${name}.starts`), 'utf8');
    } catch {
      return [];
    }
    return log
      .trim()
      .split('\n')
      .map(line => {
        const start: ToolStart = JSON.parse(line);
        return start;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
