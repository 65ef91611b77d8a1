// Starts the work that a request asks for, each in a process of its own: the command of the same name, with the same options, so that
// its energy, headroom and provenance are those of a run started on the command line, and nothing is measured within a daemon.

import { type ChildProcess, spawn } from 'node:child_process';
import type * as v from 'valibot';
import { newId } from '../../bench/run/new-id.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { type Parsed, wrong } from '../../core/figure/parse-figure.ts';
import { type JsonObject, parseAnyJson } from '../../core/json.ts';
import { showable } from '../../core/text/single-line.ts';
import { unknown } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import type { Job } from '../../wire/api/job-answers.ts';

/** What may be requested: a command, and what its options make of a request. */
export interface JobKind {
  readonly command: string;
  readonly body: v.GenericSchema<unknown, JsonObject>;
  /** Words of the command line. */
  readonly words: (request: JsonObject, process: JobProcess) => Parsed<readonly string[]>;
  /** Address of its documents in the API; undefined: it has none. */
  readonly path: string | undefined;
}

export interface JobProcess {
  readonly jobId: string;
  readonly home: string;
  /** Requested by the user of the daemon itself: files may be read, as on a command line. */
  readonly isLocal: boolean;
}

export interface JobOptions {
  /** Loaded with the first request: a daemon that starts nothing needs none of it. */
  readonly kinds: () => Promise<readonly JobKind[]>;
  /** process.execPath */
  readonly nodePath: string;
  /** bin/plimsoll.js, absolute. */
  readonly script: string;
  /** What it may use, such as a key for the endpoint. */
  readonly env: Env;
}

interface RunningJob {
  job: Job;
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  result: unknown;
  isStopRequested: boolean;
}

export class JobRunner implements AsyncDisposable {
  readonly #options: JobOptions & { readonly home: string };
  readonly #runningMax: number;
  readonly #jobs = new Map<string, RunningJob>();

  constructor(options: JobOptions & { readonly home: string }, runningMax: number = RUNNING_MAX) {
    this.#options = options;
    this.#runningMax = runningMax;
  }

  kinds(): Promise<readonly JobKind[]> {
    return this.#options.kinds();
  }

  /** The newest first. */
  get jobs(): readonly Job[] {
    return [...this.#jobs.values()].map(({ job }) => job).reverse();
  }

  get isFull(): boolean {
    return this.jobs.filter(({ state }) => state === 'running').length >= this.#runningMax;
  }

  find(jobId: string): Pick<RunningJob, 'job' | 'result' | 'ended'> | undefined {
    return this.#jobs.get(jobId);
  }

  /** What is wrong with the request; else its process runs. The caller has checked `isFull`. */
  start(kind: JobKind, request: JsonObject, isLocal: boolean): Parsed<Job> {
    const { home, nodePath, script, env } = this.#options;
    const jobId = newId();
    const words = kind.words(request, { jobId, home, isLocal });
    if (words.kind === 'wrong') return wrong(words.problem, words.advice);
    const child = spawn(nodePath, [script, kind.command, ...words.value], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const job: Job = {
      jobId,
      command: kind.command,
      startedAt: new Date(systemClock.wallMs()).toISOString(),
      state: 'running',
      exitCode: unknown('it is in progress'),
      messages: [],
      path: kind.path === undefined ? '' : `${kind.path}/${jobId}`,
    };
    const ended = this.#follow(jobId, child);
    const running: RunningJob = { job, child, ended, result: null, isStopRequested: false };
    this.#jobs.set(jobId, running);
    this.#forgetOld();
    return { kind: 'ok', value: job };
  }

  /** As Ctrl-C does. False if none of that id is in progress. */
  stop(jobId: string): boolean {
    const running = this.#jobs.get(jobId);
    if (running?.job.state !== 'running') return false;
    running.isStopRequested = true;
    running.child.kill('SIGINT');
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#jobs.values()].filter(({ job }) => job.state === 'running');
    for (const { child } of running) child.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const { child } of running) child.kill('SIGKILL');
    }, STOP_MS_MAX);
    await Promise.all(running.map(({ ended }) => ended));
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #follow(jobId: string, child: ChildProcess): Promise<void> {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length <= RESULT_LENGTH_MAX) stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MESSAGES_LENGTH_MAX);
    });
    const { code, problem } = await new Promise<{ code: number | null; problem: string }>(resolve => {
      child.once('error', error => resolve({ code: null, problem: error.message }));
      child.once('close', code => resolve({ code, problem: '' }));
    });
    const running = this.#jobs.get(jobId);
    if (running === undefined) return;
    const result = stdout.length > RESULT_LENGTH_MAX ? undefined : parseAnyJson(stdout);
    running.result = result ?? null;
    running.job = {
      ...running.job,
      state: running.isStopRequested ? 'stopped' : result === undefined ? 'failed' : 'ended',
      exitCode: code ?? unknown(problem === '' ? 'a signal ended it' : problem),
      messages: `${stderr}${problem}`
        .split('\n')
        .map(line => showable(line.trim()).slice(0, MESSAGE_LENGTH_MAX))
        .filter(line => line !== '')
        .slice(-MESSAGES_MAX),
    };
  }

  #forgetOld(): void {
    const ended = [...this.#jobs].filter(([, { job }]) => job.state !== 'running').map(([id]) => id);
    for (const id of ended.slice(0, Math.max(0, this.#jobs.size - STORED_MAX))) this.#jobs.delete(id);
  }
}

/** Bounds are in docs/limits.md. */
const RUNNING_MAX = 4;
const STORED_MAX = 64;
/** Characters. */
const RESULT_LENGTH_MAX = 4 * 1024 * 1024;
const MESSAGES_LENGTH_MAX = 16_384;
const MESSAGE_LENGTH_MAX = 1_000;
const MESSAGES_MAX = 32;
const STOP_MS_MAX = 10_000;
