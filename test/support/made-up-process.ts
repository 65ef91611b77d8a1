// A process for the command line that is only memory: a test runs a command as a function and reads what it printed.

import { tmpdir } from 'node:os';
import type { Command } from '../../src/cli/command.ts';
import { commandsFor } from '../../src/cli/commands.ts';
import {
  type OutputStream,
  type ProcessState,
  StopRequest,
  type StopSignal,
} from '../../src/cli/process-state.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { childEnv } from './child-env.ts';
import { repositoryRoot } from './repository-root.ts';

export interface MadeUpProcess {
  readonly state: ProcessState;
  readonly stdout: MadeUpOutput;
  readonly stderr: MadeUpOutput;
  /** As a signal would; the second time as the second one. */
  stop(signal: StopSignal): void;
  /** Runs the words; resolves with the exit code. */
  run(commands?: readonly Command[]): Promise<number>;
}

export interface MadeUpProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly nodeVersion?: string;
  readonly platform?: string;
  readonly homeDirectory?: string;
  readonly program?: string;
  /** Of other processes, a daemon of its own among them; without it only this one is. */
  readonly isAlive?: ProcessState['isAlive'];
  /** What comes on standard input. */
  readonly input?: string;
}

export const madeUpProcess = (args: readonly string[], options: MadeUpProcessOptions = {}): MadeUpProcess => {
  const stop = new AbortController();
  const stopNow = new AbortController();
  const stdout = new MadeUpOutput(options);
  const stderr = new MadeUpOutput(options);
  const state: ProcessState = {
    args,
    env: { ...childEnv, ...options.env },
    cwd: '/',
    homeDirectory: options.homeDirectory ?? '/home/nobody-here',
    platform: options.platform ?? process.platform,
    nodeVersion: options.nodeVersion ?? process.versions.node,
    nodePath: process.execPath,
    script: `${repositoryRoot}bin/plimsoll.js`,
    temporaryFolder: tmpdir(),
    pid: process.pid,
    userId: process.getuid?.(),
    version: '1.2.3',
    program: options.program ?? 'plimsoll',
    dashboardDir: undefined,
    stdout,
    stderr,
    readInput: async bytesMax => (options.input ?? '').slice(0, bytesMax + 1),
    inputLines: async function* () {
      for (const text of (options.input ?? '').split('\n')) yield { kind: 'line', text };
    },
    // Nobody types.
    typedText: async function* (until) {
      await new Promise(resolve => until.addEventListener('abort', resolve, { once: true }));
    },
    stop: stop.signal,
    takeSecondStop: () => stopNow.signal,
    resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
    keepYoungGenerationSmall: () => undefined,
    isAlive: options.isAlive ?? (pid => pid === process.pid),
    exit: () => undefined,
  };
  return {
    state,
    stdout,
    stderr,
    stop: signal => (stop.signal.aborted ? stopNow : stop).abort(new StopRequest(signal)),
    run: async commands => runCommand(commands ?? (await commandsFor(args)), state),
  };
};

export class MadeUpOutput implements OutputStream {
  readonly isTerminal: boolean;
  readonly hasColor: boolean = false;
  readonly isUnicode: boolean = true;
  readonly columns: number;
  readonly rows: number;
  readonly #closed = new AbortController();
  #text = '';
  #wake: () => void = () => undefined;

  constructor({ isTerminal = false, columns = 80, rows = 24 }: MadeUpProcessOptions = {}) {
    this.isTerminal = isTerminal;
    this.columns = columns;
    this.rows = rows;
  }

  get text(): string {
    return this.#text;
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  close(): void {
    this.#closed.abort();
  }

  async write(text: string): Promise<void> {
    this.#text += text;
    this.#wake();
  }

  /** Resolves once the text from `from` on matches. */
  async until(pattern: RegExp, from = 0): Promise<void> {
    while (!pattern.test(this.#text.slice(from))) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
}
