// Foreign tools, run with a deadline or read line by line. A tool that is missing, hangs, floods or dies is expected:
// the result is data or one error with a code, and its process never outlives its reader.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../clock/system-clock.ts';
import { TokenBucket } from '../clock/token-bucket.ts';
import { type Problem, ProblemError } from '../core/problem.ts';
import { lastLine } from '../core/text/single-line.ts';
import { LineQueue } from './line-queue.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type ToolResult =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'timeout'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface RunToolOptions {
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Limit for stdout and for stderr, each. Default 4 MiB. */
  readonly outputBytesMax?: number;
  readonly input?: string;
}

/**
 * Runs a tool to its end.
 * @throws only the signal's reason, when it aborts.
 */
export const runTool = async (
  command: string,
  args: readonly string[],
  options: RunToolOptions,
): Promise<ToolResult> => {
  options.signal.throwIfAborted();
  const child = spawn(command, args, {
    env: { ...options.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const outputBytesMax = options.outputBytesMax ?? OUTPUT_BYTES_MAX;
  const stdout = new CappedText(outputBytesMax);
  const stderr = new CappedText(outputBytesMax);
  child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk) || kill());
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk) || kill());
  releaseAfterExit(child, () => false);
  child.stdin.on('error', () => child.stdin.destroy()); // a tool may exit without reading its input
  child.stdin.end(options.input ?? '');
  const kill = (): void => {
    child.kill('SIGKILL');
    // A grandchild may hold the pipes open after the tool itself is dead.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  deadline.addEventListener('abort', kill, { once: true });
  options.signal.addEventListener('abort', kill, { once: true });
  try {
    const ending = await endingOf(child);
    options.signal.throwIfAborted();
    if (ending.kind !== 'exited') return { ...ending, reason: `${command}: ${ending.reason}` };
    if (stdout.isFull || stderr.isFull) {
      return { kind: 'failed', reason: `${command} printed more than ${outputBytesMax} bytes` };
    }
    if (deadline.aborted)
      return { kind: 'timeout', reason: `${command} gave no answer in ${options.timeoutMs} ms` };
    if (ending.code === null) return { kind: 'failed', reason: `${command} was killed by ${ending.signal}` };
    return { kind: 'exited', code: ending.code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    deadline.removeEventListener('abort', kill);
    options.signal.removeEventListener('abort', kill);
  }
};

type ToolProblem =
  | Problem<'tool-missing' | 'no-answer' | 'line-too-long' | 'flood' | 'failed'>
  /** `exitCode` is null if a signal killed it. */
  | Problem<'exited', { readonly exitCode: number | null }>;

export class ToolError extends ProblemError<ToolProblem> {
  override readonly name = 'ToolError';
}

export interface StreamLinesOptions {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** A tool silent for longer is killed and reported. Infinity for tools that only print on a change. */
  readonly idleTimeoutMs: number;
  /** Default 1 MiB. */
  readonly lineBytesMax?: number;
  /** For tools that print at an interval. Default: as fast as they are read. */
  readonly linesPerSecondMax?: number;
  /** Written to the tool, whose input then stays open: for tools that read what to watch. */
  readonly input?: string;
}

/**
 * Lines of a tool that keeps running, without their line ends; a last line cut off in the middle is not
 * given. Ends when the signal aborts. The tool is killed when the reader leaves, for any reason.
 * @throws ToolError when the tool is missing, exits, falls silent, floods or prints a line above the limit.
 */
export async function* streamLines(
  command: string,
  args: readonly string[],
  options: StreamLinesOptions,
): AsyncGenerator<string, void, void> {
  if (options.signal.aborted) return;
  const child = spawn(command, args, {
    env: { ...options.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = endingOf(child);
  child.stdin.on('error', () => child.stdin.destroy()); // a tool may exit without reading its input
  if (options.input === undefined) child.stdin.end();
  else child.stdin.write(options.input);
  const stderr = new CappedText(STDERR_TAIL_BYTES_MAX);
  const queue = new LineQueue(options.lineBytesMax ?? LINE_BYTES_MAX);
  const { linesPerSecondMax: most } = options;
  // A tool that prints endlessly would take a processor of the machine being measured.
  const pace =
    most === undefined ? undefined : new TokenBucket(systemClock, { burst: most, perSecond: most });
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  child.stdout.on('data', (chunk: Buffer) => {
    if (!queue.add(chunk)) child.stdout.pause();
  });
  child.stdout.on('close', () => queue.close());
  releaseAfterExit(child, () => !queue.isEmpty);
  child.on('error', () => queue.close());
  const stop = (): void => queue.close();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    while (true) {
      const line = await queue.next(options.idleTimeoutMs);
      if (options.signal.aborted) return;
      if (line.kind === 'line') {
        if (queue.isEmpty && child.stdout.isPaused()) child.stdout.resume();
        if (pace?.take() === false) {
          throw toolError('flood', `${command} prints more than ${most} lines a second`);
        }
        yield line.text;
        continue;
      }
      if (line.kind === 'silent') {
        throw toolError('no-answer', `${command} was silent for ${options.idleTimeoutMs} ms`);
      }
      if (line.kind === 'too-long')
        throw toolError('line-too-long', `${command} sent a line that is too long`);
      const ending = await ended;
      if (ending.kind !== 'exited')
        throw toolError(
          ending.kind === 'missing' ? 'tool-missing' : 'failed',
          `${command}: ${ending.reason}`,
        );
      const reported = lastLine(stderr.text());
      const how = ending.code === null ? `was killed by ${ending.signal}` : `exited with code ${ending.code}`;
      throw new ToolError({
        code: 'exited',
        exitCode: ending.code,
        problem: reported === '' ? `${command} ${how}` : `${command} ${how}: ${reported}`,
        advice: '',
      });
    }
  } finally {
    options.signal.removeEventListener('abort', stop);
    await killAndWait(child, ended);
  }
}

type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** How a child ended; 'close' rather than 'exit', so that its output is complete. Never rejects. */
const endingOf = (child: ChildProcess): Promise<Ending> =>
  new Promise(resolve => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ kind: 'missing', reason: 'not installed' });
      else resolve({ kind: 'failed', reason: error.message });
    });
    child.once('close', (code, signal) => resolve({ kind: 'exited', code, signal }));
  });

/** A child of the tool may hold its output open indefinitely: the tool itself has finished. */
const releaseAfterExit = (child: ChildProcess, isReaderBehind: () => boolean): void => {
  child.once('exit', () => {
    const release = (): void => {
      if (isReaderBehind()) return;
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    // With setImmediate, so the contents of the pipe are read first even if this process was busy meanwhile.
    const timer = setInterval(() => setImmediate(release), RELEASE_AFTER_MS);
    child.once('close', () => clearInterval(timer));
  });
};

/** SIGTERM, and SIGKILL if that has no effect: a stopped or stuck tool must not outlive its reader. */
const killAndWait = async (child: ChildProcess, ended: Promise<Ending>): Promise<void> => {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), TERMINATE_GRACE_MS);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    clearTimeout(timer);
  }
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  await ended;
};

/** Bytes up to a limit, decoded at the end. */
class CappedText {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** False once the limit is passed. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.isFull) return false;
    this.#chunks.push(chunk);
    return true;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

const toolError = (code: Exclude<ToolProblem['code'], 'exited'>, problem: string): ToolError =>
  new ToolError({ code, problem, advice: '' });

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const STDERR_TAIL_BYTES_MAX = 64 * 1024;
const LINE_BYTES_MAX = 1024 * 1024;
const TERMINATE_GRACE_MS = 500;
const RELEASE_AFTER_MS = 250;

// Tools that may print nothing for days: they would not notice by themselves that their reader is gone, and each kill -9 would leave one.

/**
 * The lines of a tool that only prints on a change. @throws as `streamLines`; a missing tool exits with
 * NOT_FOUND.
 */
export const quietLines = (
  command: readonly string[],
  options: Omit<StreamLinesOptions, 'idleTimeoutMs' | 'input'>,
): AsyncGenerator<string, void, void> =>
  streamLines('sh', ['-c', END_WITH_US, 'sh', ...command], {
    ...options,
    idleTimeoutMs: Number.POSITIVE_INFINITY,
    input: '',
  });

/** Exit code of a shell if there is no such command (POSIX). */
export const NOT_FOUND = 127;

/**
 * Replaces itself by the tool, with a reader of our end of the pipe that ends the tool when this process is
 * gone.
 */
const END_WITH_US = `exec 3<&0 </dev/null
{ read -r _ <&3; kill $$; } >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;
