// An agent that listens on a port and serves one coordinator at a time. A code is valid for consecutive runs that
// follow one another within a minute, such as the stages of a sweep. Then it has expired, and there is a new one.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FramePipe } from '../../channel/frame-pipe.ts';
import { type Clock, pause } from '../../clock/clock.ts';
import { channelToCoordinator } from '../fleet/framed-channel.ts';
import { serveCoordinator } from './agent-session.ts';
import type { AgentSessionEnd, AgentSessionParts } from './session-parts.ts';
import { AgentListener } from './tls/agent-listener.ts';

interface AgentHostOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly session: AgentSessionParts;
  /** A new secret at each call; undefined: no more, and the host ends. */
  readonly nextSecret: () => string | undefined;
  /** How long a used secret stays valid while no coordinator is connected, ms. */
  readonly restMs: number;
  /** How long an unused secret stays valid, ms; Infinity: without limit. */
  readonly unusedMs: number;
  readonly observer: AgentHostObserver;
}

export interface AgentHostObserver {
  /** The secret that this port accepts from now on. */
  secret(secret: string, port: number): void;
  began(peer: string): void;
  ended(end: AgentSessionEnd): void;
  /** Number of connections refused so far. */
  strangers(count: number): void;
}

export class AgentHost implements AsyncDisposable {
  /** Resolves when there are no more secrets, or it was disposed of. Rejects with what no coordinator should cause. */
  readonly over: Promise<void>;
  readonly #options: AgentHostOptions;
  readonly #clock: Clock;
  readonly #door: AgentListener;
  readonly #ending = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #sessions = new Set<Promise<void>>();
  #secret: string | undefined;
  #port = 0;
  #isServing = false;
  /** Aborted to end the wait for the next run under the same secret. */
  #rest = new AbortController();

  constructor(options: AgentHostOptions) {
    this.#options = options;
    this.#clock = options.session.bench.clock;
    this.over = this.#ending.promise;
    this.over.catch(() => undefined); // prevents an unhandled rejection before `over` is awaited; the promise still rejects there
    this.#door = new AgentListener({
      secret: () => this.#secret,
      clock: this.#clock,
      onPipe: (pipe, from) => this.#welcome(pipe, from),
      onStrangers: count => options.observer.strangers(count),
    });
  }

  /** The port. @throws the system's error when it cannot listen there. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    this.#port = await this.#door.listen(host, port);
    this.#renew();
    return this.#port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the agent was stopped'));
    this.#secret = undefined;
    this.#rest.abort();
    await Promise.all(this.#sessions);
    await this.#door.close();
    this.#ending.resolve();
  }

  #renew(): void {
    this.#secret = this.#stop.signal.aborted ? undefined : this.#options.nextSecret();
    if (this.#secret === undefined) {
      this.#ending.resolve();
      return;
    }
    this.#options.observer.secret(this.#secret, this.#port);
    this.#expireIn(this.#options.unusedMs);
  }

  #expireIn(durationMs: number): void {
    this.#rest.abort();
    if (!Number.isFinite(durationMs)) return;
    const rest = new AbortController();
    this.#rest = rest;
    void pause(this.#clock, durationMs, rest.signal).then(() => {
      if (!rest.signal.aborted) this.#renew();
    });
  }

  #welcome(pipe: FramePipe, from: string): void {
    const session = this.#isServing ? this.#turnAway(pipe, from) : this.#serve(pipe, from);
    const tracked = session
      .catch((error: unknown) => this.#ending.reject(error))
      .finally(() => this.#sessions.delete(tracked));
    this.#sessions.add(tracked);
  }

  async #serve(pipe: FramePipe, from: string): Promise<void> {
    const { session, observer, restMs } = this.#options;
    this.#isServing = true;
    this.#rest.abort();
    observer.began(from);
    try {
      const signal = AbortSignal.any([session.signal, this.#stop.signal]);
      const end = await serveCoordinator(channelToCoordinator(pipe, from), { ...session, signal });
      await trimKeptRuns(session.folder);
      observer.ended(end);
    } finally {
      this.#isServing = false;
      if (!this.#stop.signal.aborted) this.#expireIn(restMs);
    }
  }

  async #turnAway(pipe: FramePipe, from: string): Promise<void> {
    await using channel = channelToCoordinator(pipe, from);
    await channel.send({ kind: 'refused', problem: BUSY });
    await channel.close('done', BUSY.problem);
  }
}

const BUSY = {
  code: 'busy',
  problem: 'this agent works for another coordinator',
  advice: 'Wait until that run is over, or use another machine.',
};

// Runs whose samples no coordinator has acknowledged stay on the agent's disk, so that a person can copy them. Only
// the newest few are kept, so that a coordinator that dies repeatedly cannot fill the disk.

/** @throws the file system's error. */
export const trimKeptRuns = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter(name => RUN_FOLDER.test(name));
  if (names.length <= KEPT_RUNS_MAX) return;
  const aged = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      return { path, changedMs: (await stat(path)).mtimeMs };
    }),
  );
  aged.sort((a, b) => b.changedMs - a.changedMs);
  for (const { path } of aged.slice(KEPT_RUNS_MAX)) await rm(path, { recursive: true, force: true });
};

/** The format of AgentSession: 8 random bytes. */
const RUN_FOLDER = /^[0-9a-f]{16}$/;
const KEPT_RUNS_MAX = 4;
