// An agent that listens: a door, and behind it one coordinator at a time. A code is good for the runs of one sitting: for as many
// as follow one another within a minute, as the stages of a sweep do. Then it is spent, and there is a new one.

import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import { channelToCoordinator, type FrameLine } from '../fleet/framed-channel.ts';
import { serveCoordinator } from './agent-session.ts';
import { trimKeptRuns } from './kept-runs.ts';
import type { AgentSessionEnd, AgentSessionParts } from './session-parts.ts';
import { AgentListener } from './tls/agent-listener.ts';

interface AgentHostOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly session: AgentSessionParts;
  /** Another secret each time; undefined: no more, the host is over. */
  readonly nextSecret: () => string | undefined;
  /** How long a secret that was used stays good while nobody is served. */
  readonly restMs: number;
  /** How long one that was not used does; Infinity for ever. */
  readonly unusedMs: number;
  readonly observer: AgentHostObserver;
}

export interface AgentHostObserver {
  /** It opens the door on that port from now on. */
  secret(secret: string, port: number): void;
  began(peer: string): void;
  ended(end: AgentSessionEnd): void;
  /** Refused so far. */
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
  /** Ends the waiting for the next run under the same secret. */
  #rest = new AbortController();

  constructor(options: AgentHostOptions) {
    this.#options = options;
    this.#clock = options.session.bench.clock;
    this.over = this.#ending.promise;
    this.over.catch(() => undefined); // not unhandled before somebody waits: the promise keeps it for whoever does
    this.#door = new AgentListener({
      secret: () => this.#secret,
      clock: this.#clock,
      onLine: (line, from) => this.#welcome(line, from),
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

  #welcome(line: FrameLine, from: string): void {
    const session = this.#isServing ? this.#turnAway(line, from) : this.#serve(line, from);
    const tracked = session
      .catch((error: unknown) => this.#ending.reject(error))
      .finally(() => this.#sessions.delete(tracked));
    this.#sessions.add(tracked);
  }

  async #serve(line: FrameLine, from: string): Promise<void> {
    const { session, observer, restMs } = this.#options;
    this.#isServing = true;
    this.#rest.abort();
    observer.began(from);
    try {
      const signal = AbortSignal.any([session.signal, this.#stop.signal]);
      const end = await serveCoordinator(channelToCoordinator(line, from), { ...session, signal });
      await trimKeptRuns(session.folder);
      observer.ended(end);
    } finally {
      this.#isServing = false;
      if (!this.#stop.signal.aborted) this.#expireIn(restMs);
    }
  }

  async #turnAway(line: FrameLine, from: string): Promise<void> {
    await using channel = channelToCoordinator(line, from);
    await channel.send({ kind: 'refused', problem: BUSY });
    await channel.close('done', BUSY.problem);
  }
}

const BUSY = {
  code: 'busy',
  problem: 'this agent works for another coordinator',
  advice: 'Wait until that run is over, or use another machine.',
};
