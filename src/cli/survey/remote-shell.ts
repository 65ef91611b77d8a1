// One connection of the user's own OpenSSH client, over which the script of a survey serves requests. Its replies are bounded in bytes and
// time, of one and of all, and every way in which it can fail is a sentence and what to do.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type Problem, ProblemError } from '../../core/problem.ts';
import { lastLine, plainLine } from '../../core/text/single-line.ts';
import type { Env } from '../../process/child.ts';
import { READY, REMOTE_SCRIPT } from './remote-script.ts';
import { ReplyBuffer } from './reply-buffer.ts';
import { sshProblem } from './ssh-problem.ts';

export class SurveyError extends ProblemError<Problem<'survey'>> {
  override readonly name = 'SurveyError';
}

export interface RemoteShellOptions {
  readonly target: string;
  /** For `ssh -F`; undefined: the user's own. */
  readonly configFile: string | undefined;
  readonly env: Env;
  /** Until the next reply, ms. Default: 30 s, twice as long as a tool may take. */
  readonly replyMsMax?: number;
  readonly signal: AbortSignal;
}

export interface RemoteReply {
  /** "ok", "ENOENT"; of a tool its exit code or "missing". */
  readonly status: string;
  readonly bytes: Buffer;
  /** Of a tool. */
  readonly stderr: string;
}

/** A verb of the script and its words. */
export type RemoteRequest = readonly [verb: 'file' | 'names' | 'link' | 'real' | 'kind' | 'run', ...string[]];

interface Pending {
  readonly isTool: boolean;
  readonly onOutput: ((text: string) => void) | undefined;
  readonly resolve: (reply: RemoteReply) => void;
  readonly reject: (error: Error) => void;
  /** Of a tool, once its standard error follows. */
  output: Buffer | undefined;
}

export class RemoteShell implements AsyncDisposable {
  readonly #target: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #mark = randomBytes(12).toString('hex');
  readonly #pending: Pending[] = [];
  readonly #ready = Promise.withResolvers<string>();
  readonly #closed = Promise.withResolvers<void>();
  #isReady = false;
  #bytes = 0;
  readonly #buffer: ReplyBuffer = new ReplyBuffer();
  #stderr = '';
  #failure: SurveyError | undefined;
  readonly #alive: NodeJS.Timeout;
  /** Starts again with each reply. */
  readonly #late: NodeJS.Timeout;
  #bytesAtLate = 0;
  #busyMs = 0;

  private constructor({ target, configFile, env, replyMsMax = REPLY_MS_MAX, signal }: RemoteShellOptions) {
    this.#target = target;
    const config = configFile === undefined ? [] : ['-F', configFile];
    this.#child = spawn('ssh', [...config, ...SSH_OPTIONS, '--', target, 'sh', '-s'], {
      env: { ...env, LC_ALL: 'C' },
      stdio: 'pipe',
      signal,
      killSignal: 'SIGKILL',
    });
    this.#ready.promise.catch(() => {}); // nothing may wait for it yet; what does gets the error
    const { stdin, stdout, stderr } = this.#child;
    stdin.on('error', () => {}); // the connection may end before its input is read
    stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < STDERR_LENGTH_MAX) this.#stderr += chunk.toString('utf8');
    });
    this.#child.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(
        error.code === 'ENOENT'
          ? ['ssh is not installed on this machine', 'Install the client of OpenSSH.']
          : [error.message, ''],
      ),
    );
    this.#child.on('close', code => {
      this.#fail(sshProblem(target, { stderr: this.#stderr, wasReady: this.#isReady, code }));
      this.#closed.resolve();
    });
    stdin.write(REMOTE_SCRIPT);
    // The script ends itself when it receives no request for a while.
    this.#alive = setInterval(() => {
      if (this.#pending.length > 0) this.#busyMs += ALIVE_MS;
      if (this.#busyMs > BUSY_MS_MAX)
        this.#fail([`${target} took longer than ${BUSY_MS_MAX / 60_000} min`, CHECK]);
      // Its failure ends the connection, which each other request reports.
      else if (this.#isReady) this.request(['kind', '/']).catch(() => {});
    }, ALIVE_MS);
    this.#late = setTimeout(() => {
      if (this.#pending.length > 0)
        this.#fail([`${target} did not reply to a request in ${replyMsMax / 1_000} s`, CHECK]);
    }, replyMsMax);
  }

  /** @throws SurveyError if the machine does not serve requests. */
  static async open(options: RemoteShellOptions): Promise<{
    readonly shell: RemoteShell;
    /** As uname prints it. */
    readonly system: string;
  }> {
    const shell = new RemoteShell(options);
    const deadline = setTimeout(
      () => shell.#fail([`${options.target} did not answer in ${OPEN_MS / 1_000} s`, 'Try: ssh HOST sh -s']),
      OPEN_MS,
    );
    try {
      return { shell, system: await shell.#ready.promise };
    } catch (error) {
      await shell[Symbol.asyncDispose]();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  /**
   * Requests are served in their order. `onOutput`: called with all that a tool has printed so far.
   * @throws SurveyError when the connection ends.
   */
  request(words: RemoteRequest, onOutput?: (text: string) => void): Promise<RemoteReply> {
    const [verb, ...rest] = words;
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#pending.length === 0) this.#late.refresh();
      this.#pending.push({ isTool: verb === 'run', onOutput, resolve, reject, output: undefined });
      this.#child.stdin.write(`${[verb, rest.length, ...rest].join('\n')}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#alive);
    clearTimeout(this.#late);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_MS);
    if (this.#child.pid !== undefined) await this.#closed.promise;
    clearTimeout(timer);
  }

  #receive(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#isReady ? BYTES_MAX : BANNER_BYTES_MAX)) {
      this.#fail([
        this.#isReady
          ? `${this.#target} sent more than ${BYTES_MAX / 1_048_576} MiB`
          : `${this.#target} printed more than ${BANNER_BYTES_MAX} bytes before it ran sh`,
        LOOK,
      ]);
      return;
    }
    // A long reply over a slow line is no silence; a few bytes now and then are.
    if (this.#bytes - this.#bytesAtLate >= PROGRESS_BYTES) this.#noteProgress();
    this.#buffer.add(chunk);
    if (!this.#isReady && !this.#takeReady()) return;
    while (this.#takeReply());
    const [first] = this.#pending;
    if (first?.onOutput !== undefined && first.output === undefined)
      first.onOutput(this.#buffer.start(OUTPUT_SEEN_BYTES_MAX).toString('utf8'));
  }

  #noteProgress(): void {
    this.#bytesAtLate = this.#bytes;
    this.#late.refresh();
  }

  /** What a login prints before it, a banner or a greeting, is skipped. */
  #takeReady(): boolean {
    const taken = this.#buffer.take(READY);
    if (taken === undefined) return false;
    this.#isReady = true;
    this.#child.stdin.write(`${this.#mark}\n`);
    this.#ready.resolve(plainLine(taken.rest));
    return true;
  }

  #takeReply(): boolean {
    const [first] = this.#pending;
    const taken = first === undefined ? undefined : this.#buffer.take(this.#mark);
    if (first === undefined || taken === undefined) return false;
    const { bytes, rest: status } = taken;
    this.#noteProgress();
    if (first.isTool && first.output === undefined) {
      first.output = bytes;
      return true;
    }
    this.#pending.shift();
    if (first.output === undefined) first.resolve({ status, bytes, stderr: '' });
    else {
      const text = bytes.toString('utf8');
      const code = lastLine(text);
      first.resolve({ status: code, bytes: first.output, stderr: text.slice(0, -code.length).trim() });
    }
    return true;
  }

  #fail([problem, advice]: readonly [problem: string, advice: string]): void {
    if (this.#failure !== undefined) return;
    const failure = new SurveyError({ code: 'survey', problem, advice });
    this.#failure = failure;
    this.#ready.reject(failure);
    for (const { reject } of this.#pending.splice(0)) reject(failure);
    this.#child.kill('SIGKILL');
  }
}

/** No question can be answered here, nothing is forwarded, and a connection that is gone is noticed in 15 s. */
const SSH_OPTIONS: readonly string[] = [
  '-T',
  '-a',
  '-x',
  ...[
    'BatchMode=yes',
    'ConnectTimeout=10',
    'ServerAliveInterval=5',
    'ServerAliveCountMax=3',
    'ClearAllForwardings=yes',
    'PermitLocalCommand=no',
  ].flatMap(option => ['-o', option]),
];
const OPEN_MS = 20_000;
const ALIVE_MS = 4_000;
const CLOSE_MS = 2_000;
/** All that one machine sends: what it has in /proc and /sys, nvidia-smi, system_profiler. */
const BYTES_MAX = 64 * 1024 * 1024;
const BANNER_BYTES_MAX = 256 * 1024;
const STDERR_LENGTH_MAX = 16 * 1024;
const REPLY_MS_MAX = 30_000;
/** Of a reply that takes longer: at least a KiB a second. */
const PROGRESS_BYTES = 32 * 1024;
/** With a request that has no reply yet: of links to eleven machines, two tries each. */
const BUSY_MS_MAX = 900_000;
/** Of a tool that still runs: it prints where it listens. */
const OUTPUT_SEEN_BYTES_MAX = 4_096;
const CHECK = 'A disk or a tool there may hang. Check it: ssh HOST uptime';
const LOOK = 'Look at what its login prints: ssh HOST true';
