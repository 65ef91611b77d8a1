// The process as the command line sees it, gathered once. Nothing else of the command line touches `process`, so that a
// test runs any command as a function with a state of its own.

import { existsSync, readFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { forTerminal } from '../core/text/single-line.ts';
import type { ProcessResources } from '../daemon/daemon-options.ts';
import type { Env } from '../process/child.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { programName } from './program-name.ts';
import { type InputLine, inputLines, readInput, typedText } from './standard-input.ts';

export interface ProcessState {
  /** Without node and the script. */
  readonly args: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  /** Of the user. */
  readonly homeDirectory: string;
  readonly platform: string;
  /** "24.21.0" */
  readonly nodeVersion: string;
  /** The Node that runs this, for processes of our own. */
  readonly nodePath: string;
  /** bin/plimsoll.js of this package, absolute. */
  readonly script: string;
  readonly temporaryFolder: string;
  readonly pid: number;
  /** undefined where the system has no such numbers. */
  readonly userId: number | undefined;
  /** Of this package. */
  readonly version: string;
  /** What a person types for `plimsoll` here. */
  readonly program: string;
  /** undefined when the dashboard was not built. */
  readonly dashboardDir: string | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Standard input as UTF-8, to its end or just past `bytesMax`. @throws the reason of `stop`. */
  readInput(bytesMax: number): Promise<string>;
  /** Its lines as they come, until it ends, a line is longer than `bytesMax`, or somebody asks to stop. */
  inputLines(bytesMax: number): AsyncIterable<InputLine>;
  /**
   * What is typed, as the terminal sends it and without waiting for a line, until the signal aborts; Ctrl-C comes as a sign, too.
   * Nothing where standard input is no terminal.
   */
  typedText(until: AbortSignal): AsyncIterable<string>;
  /** Aborts with a StopRequest when somebody asks the process to end. */
  readonly stop: AbortSignal;
  /**
   * From now on a second request aborts what this gives, instead of ending the process on the spot: for a command that
   * has something to save. A third one ends the process.
   */
  takeSecondStop(): AbortSignal;
  /**
   * From now on the young generation of this process's heap stays as small as it is, 1 MB at the start: for a process that
   * runs for weeks and does little. Else V8 lets it grow while the code is loaded, to 16 MB twice, and keeps the pages.
   */
  keepYoungGenerationSmall(): void;
  resources(): ProcessResources;
  isAlive(pid: number): boolean;
  exit(code: ExitCode): void;
}

export interface OutputStream {
  /** Resolves when it was taken; what goes to a closed pipe is dropped. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly isUnicode: boolean;
  /** Of the terminal now; 80 and 24 elsewhere. */
  readonly columns: number;
  readonly rows: number;
  /** Aborts when the reader went away. */
  readonly closed: AbortSignal;
}

export class StopRequest extends Error {
  override readonly name = 'StopRequest';
  /** For a command that had not finished. */
  readonly exitCode: ExitCode;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`);
    this.exitCode = STOP_CODES[signal];
  }
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export const readProcessState = (): ProcessState => {
  const env: Env = { ...process.env };
  const stdout = outputStream(process.stdout, env);
  const stops = stopSignals();
  const packageRoot = new URL('../../', import.meta.url);
  const dashboardDir = fileURLToPath(new URL('dist/dashboard', packageRoot));
  return {
    args: process.argv.slice(2),
    env,
    cwd: process.cwd(),
    // HOME may be set to nothing; the home must not end up in the current directory.
    homeDirectory: homedir() || userInfo().homedir,
    platform: process.platform,
    nodeVersion: process.versions.node,
    nodePath: process.execPath,
    script: fileURLToPath(new URL('bin/plimsoll.js', packageRoot)),
    temporaryFolder: tmpdir(),
    pid: process.pid,
    userId: process.getuid?.(),
    version: versionOf(new URL('package.json', packageRoot)),
    program: programName({
      root: fileURLToPath(packageRoot),
      isCheckout: existsSync(new URL('scripts/start.js', packageRoot)),
      script: process.argv[1] ?? '',
      cwd: process.cwd(),
    }),
    dashboardDir: existsSync(dashboardDir) ? dashboardDir : undefined,
    stdout,
    stderr: outputStream(process.stderr, env),
    readInput: bytesMax => readInput(process.stdin, bytesMax, stops.stop),
    inputLines: bytesMax => inputLines(process.stdin, bytesMax, stops.stop),
    typedText: until => typedText(process.stdin, until),
    ...stops,
    resources: () => {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / 1e6, residentBytes: process.memoryUsage.rss() };
    },
    // V8 reads it whenever it would grow the young generation; --max-semi-space-size counts only before the start.
    keepYoungGenerationSmall: () => setFlagsFromString(SMALL_YOUNG_GENERATION),
    isAlive,
    exit: requested => {
      const code =
        requested === EXIT_CODES.ok.code && stdout.hasFailed() ? EXIT_CODES.failure.code : requested;
      process.exitCode = code;
      // Everything was closed; should anything hold the process nevertheless, it ends all the same.
      setTimeout(() => process.exit(code), EXIT_GRACE_MS).unref();
    },
  };
};

/** FORCE_COLOR and NO_COLOR (no-color.org) before what the terminal can do. */
const wantsColor = (env: Env, isTerminal: boolean): boolean => {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
};

/** By locale, in the order in which POSIX looks; without any the terminal is taken to be a modern one. */
const wantsUnicode = (env: Env): boolean => {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    value => value !== undefined && value !== '',
  );
  if (env['TERM'] === 'linux') return false; // the console's font has few of our signs
  return locale === undefined || /utf-?8/i.test(locale);
};

/** With whether something of what was written is lost, as on a full disk. */
type ProcessOutput = OutputStream & { hasFailed(): boolean };

const outputStream = (stream: NodeJS.WriteStream, env: Env): ProcessOutput => {
  const closed = new AbortController();
  let hasFailed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // EPIPE: the reader has seen enough.
    hasFailed ||= error.code !== 'EPIPE';
    closed.abort();
  });
  const isTerminal = stream.isTTY === true;
  return {
    write: text =>
      new Promise(resolve => {
        if (closed.signal.aborted || text === '') resolve();
        else stream.write(isTerminal ? forTerminal(text) : text, () => resolve());
      }),
    isTerminal,
    hasColor: wantsColor(env, isTerminal),
    isUnicode: wantsUnicode(env),
    get columns() {
      return positive(stream.columns) ?? positive(Number(env['COLUMNS'])) ?? 80;
    },
    get rows() {
      return positive(stream.rows) ?? 24;
    },
    closed: closed.signal,
    hasFailed: () => hasFailed,
  };
};

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/**
 * The first signal requests a stop; the second ends the process immediately, unless a command handles that one too. A signal
 * right after the first counts as the same request: `timeout` signals the process and then its group, service managers a
 * group and then its processes.
 */
const stopSignals = (): Pick<ProcessState, 'stop' | 'takeSecondStop'> => {
  const stop = new AbortController();
  const stopNow = new AbortController();
  let isSecondTaken = false;
  let requestedAtMs = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!stop.signal.aborted) {
        requestedAtMs = performance.now();
        stop.abort(new StopRequest(signal));
        setTimeout(() => {
          if (!isSecondTaken) endBy(signal);
        }, STOP_MS_MAX).unref();
      } else if (performance.now() - requestedAtMs < SAME_REQUEST_MS) return;
      else if (isSecondTaken && !stopNow.signal.aborted) stopNow.abort(new StopRequest(signal));
      else endBy(signal);
    });
  }
  return {
    stop: stop.signal,
    takeSecondStop: () => {
      isSecondTaken = true;
      return stopNow.signal;
    },
  };
};

/** By the signal itself: process.exit waits for readings that are under way, and one of a file system that hangs has no end. */
const endBy = (signal: StopSignal): void => {
  process.exitCode = STOP_CODES[signal];
  for (const each of STOP_SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const versionOf = (packageFile: URL): string => {
  const { version }: { version?: unknown } = JSON.parse(readFileSync(packageFile, 'utf8'));
  return typeof version === 'string' ? version : 'unknown';
};

const STOP_CODES: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted.code,
  SIGTERM: EXIT_CODES.terminated.code,
  SIGHUP: EXIT_CODES.hangup.code,
};
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Other versions of V8 may not know it: they would print a line, and use more memory. */
export const SMALL_YOUNG_GENERATION = '--semi-space-growth-factor=1';
/** Shorter than a person takes to press Ctrl-C again. */
export const SAME_REQUEST_MS = 300;
const EXIT_GRACE_MS = 300;
/** Limit for a command that has nothing to save and does not end; a daemon shuts down in less. */
const STOP_MS_MAX = 30_000;
