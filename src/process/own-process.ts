// Starts one of our own entries as a child process: it reports when it is ready, it notices our death through a pipe
// (parent-watch.ts), and it never outlives its owner.

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Problem, ProblemError } from '../core/problem.ts';
import type { Env } from './child.ts';
import { JsonLines } from './json-lines.ts';
import { PARENT_PIPES_VARIABLE, type ParentSignal } from './parent-watch.ts';

export interface OwnProcessOptions {
  /** From `entryUrl`. */
  readonly entry: URL;
  readonly args: readonly string[];
  /** process.execPath */
  readonly nodePath: string;
  readonly env: Env;
  readonly readyTimeoutMs: number;
  /** Ends the start; a child that is ready is ended by its owner. */
  readonly signal: AbortSignal;
  /** Size of the stored end of its stderr output. Default 16 KiB. */
  readonly stderrBytesMax?: number;
  /** Each value after its ready line, as it arrives. */
  readonly onMessage?: (message: unknown) => void;
}

export interface OwnProcessExit {
  /** null if a signal killed it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The last value after its ready line; undefined if none. */
  readonly lastMessage: unknown;
  readonly stderr: string;
}

export interface OwnProcess extends AsyncDisposable {
  readonly pid: number;
  /** The value of its ready line. */
  readonly ready: unknown;
  /** Never rejects. */
  readonly exited: Promise<OwnProcessExit>;
  /**
   * Requests it over the pipe and by SIGTERM, and sends SIGKILL if neither works within the grace period.
   * Idempotent; returns when the child is gone.
   */
  stop(graceMs: number): Promise<OwnProcessExit>;
  /** Over the pipe: the child's work is being stopped; the child decides what that means. */
  interrupt(): void;
  /** SIGKILL at once. */
  kill(): Promise<OwnProcessExit>;
}

type OwnProcessErrorCode = 'not-started' | 'not-ready' | 'exited';

export class OwnProcessError extends ProblemError<Problem<OwnProcessErrorCode>> {
  override readonly name = 'OwnProcessError';

  constructor(code: OwnProcessErrorCode, problem: string, options?: ErrorOptions) {
    super({ code, problem, advice: '' }, options);
  }
}

/**
 * Resolves when the child has reported that it is ready.
 * @throws OwnProcessError when it cannot be started, ends, or stays silent; the signal's reason when it
 * aborts. No child is left behind.
 */
export const startOwnProcess = async (options: OwnProcessOptions): Promise<OwnProcess> => {
  options.signal.throwIfAborted();
  const child = spawn(options.nodePath, [fileURLToPath(options.entry), ...options.args], {
    env: { ...options.env, [PARENT_PIPES_VARIABLE]: '3,4' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const own = new SpawnedProcess(child, options);
  const patience = AbortSignal.any([options.signal, AbortSignal.timeout(options.readyTimeoutMs)]);
  const name = options.entry.pathname.split('/').at(-1) ?? '';
  const start = await own.started(patience);
  if (start === 'ready') return own;
  const { code, signal, stderr } = await own.kill();
  options.signal.throwIfAborted();
  const reported = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
  if (start === 'failed') throw new OwnProcessError('not-started', `${name} could not be started${reported}`);
  if (start === 'silent')
    throw new OwnProcessError(
      'not-ready',
      `${name} was not ready after ${options.readyTimeoutMs} ms${reported}`,
    );
  throw new OwnProcessError('exited', `${name} exited at once with ${code ?? signal}${reported}`);
};

class SpawnedProcess implements OwnProcess {
  readonly exited: Promise<OwnProcessExit>;
  readonly #child: ChildProcess;
  readonly #lines: JsonLines;
  readonly #stderrBytesMax: number;
  #stderr: Buffer = Buffer.alloc(0);
  #spawnError: Error | undefined;

  constructor(child: ChildProcess, { stderrBytesMax, onMessage }: OwnProcessOptions) {
    this.#child = child;
    this.#lines = new JsonLines(onMessage);
    this.#stderrBytesMax = stderrBytesMax ?? STDERR_BYTES_MAX;
    child.stderr?.on('data', (chunk: Buffer) => this.#keepTail(chunk));
    const [, , , watched, reported] = child.stdio;
    // While it is open, the child detects that this process lives.
    watched?.on('error', ignore);
    reported?.on('data', (chunk: Buffer) => this.#lines.add(chunk));
    reported?.on('error', ignore);
    this.exited = new Promise(resolve => {
      // 'close' rather than 'exit': its last output is read first. A grandchild may hold a pipe open for longer.
      const settle = (code: number | null, signal: string | null): void => {
        this.#lines.close();
        for (const stream of child.stdio) stream?.destroy();
        resolve({
          code,
          signal,
          lastMessage: this.#lines.last,
          stderr: this.#stderr.toString('utf8'),
        });
      };
      child.once('close', settle);
      child.once('exit', (code, signal) =>
        setTimeout(() => setImmediate(settle, code, signal), PIPES_AFTER_EXIT_MS).unref(),
      );
      child.once('error', error => {
        if (child.pid !== undefined) return;
        this.#spawnError = error;
        this.#stderr = Buffer.from(error.message);
        settle(null, null);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get ready(): unknown {
    return this.#lines.first;
  }

  async started(patience: AbortSignal): Promise<'ready' | 'silent' | 'exited' | 'failed'> {
    const isReady = await this.#lines.waitForFirst(patience);
    if (isReady) return 'ready';
    if (patience.aborted) return 'silent';
    return this.#spawnError === undefined ? 'exited' : 'failed';
  }

  async stop(graceMs: number): Promise<OwnProcessExit> {
    this.#request('stop');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  interrupt(): void {
    this.#request('interrupt');
  }

  kill(): Promise<OwnProcessExit> {
    this.#child.kill('SIGKILL');
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(DISPOSE_GRACE_MS);
  }

  #request(signal: ParentSignal): void {
    const [, , , watched] = this.#child.stdio;
    if (watched instanceof Socket && watched.writable) watched.write(`${signal}\n`);
  }

  #keepTail(chunk: Buffer): void {
    this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-this.#stderrBytesMax);
  }
}

const ignore = (): void => undefined;

const STDERR_BYTES_MAX: number = 16 * 1024;
const DISPOSE_GRACE_MS = 2_000;
const PIPES_AFTER_EXIT_MS = 500;
