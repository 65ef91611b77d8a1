// Watches the inference servers that config.toml names: while one has requests in flight, this node reports that every
// two seconds, and probes skip its machine. A server that is down has no requests; one that does not count them is
// reported.

import { fetchText } from '../bench/target/fetch-text.ts';
import { requestsInFlight } from '../bench/target/llama-slots.ts';
import { pagePath } from '../bench/target/server-pages.ts';
import { parseTargetUrl } from '../bench/target/target-url.ts';
import type { Clock } from '../clock/clock.ts';
import type { EndpointConfig } from '../config/config.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { endpointRunnerKey } from '../core/run/run-selectors.ts';
import type { Reported } from '../core/unknown.ts';
import type { Notices } from './notices.ts';

interface EndpointWatchParts {
  readonly clock: Clock;
  readonly endpoints: () => readonly EndpointConfig[];
  readonly record: (fact: Fact) => void;
  readonly notices: Notices;
  /** On which node a URL is served. */
  readonly nodeOf: (url: string) => Reported<NodeId>;
}

/** DESIGN §3.1: a lease is renewed every 2 s. */
export const WATCH_MS = 2_000;
/** Of those that config.toml may name; the rest is not asked. */
const ENDPOINTS_MAX = 32;

export class EndpointWatch {
  readonly #parts: EndpointWatchParts;
  /** Endpoints with a reported lease that has not ended. */
  readonly #active = new Set<string>();
  readonly #silent = new Set<string>();

  constructor(parts: EndpointWatchParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.look(signal);
        await this.#parts.clock.sleep(WATCH_MS, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** One round: each endpoint is asked once, all at the same time. */
  async look(signal: AbortSignal): Promise<void> {
    const urls = this.#parts.endpoints().map(({ url }) => url);
    const watched = [...new Set(urls)].slice(0, ENDPOINTS_MAX);
    this.#forgetOthers(new Set(watched.map(url => new URL(url).origin)));
    await Promise.all(watched.map(url => this.#readServer(url, signal)));
  }

  async #readServer(url: string, signal: AbortSignal): Promise<void> {
    const target = parseTargetUrl(url);
    if (target.kind === 'wrong') return;
    const { server, authorization } = target.value;
    const path = pagePath(target.value, '/metrics');
    const { origin } = new URL(url);
    const headers = authorization === undefined ? [] : [{ name: 'authorization', value: authorization }];
    const answer = await fetchText({ server, path, headers, timeoutMs: ANSWER_MS, signal });
    const count =
      answer.kind === 'answer' && answer.status === 200 ? requestsInFlight(answer.text) : undefined;
    // A server that does not answer in time may be busy: its last report counts until its lease expires.
    if (answer.kind === 'no-answer') return;
    this.#report(origin, url, count ?? 0);
    this.#note(origin, answer.kind === 'answer' && count === undefined);
  }

  #report(origin: string, url: string, count: number): void {
    if (count === 0 && !this.#active.has(origin)) return;
    if (count === 0) this.#active.delete(origin);
    else this.#active.add(origin);
    this.#parts.record({
      kind: 'runner.reported',
      payload: {
        runnerKey: endpointRunnerKey(origin),
        source: 'endpoint',
        targetNode: this.#parts.nodeOf(url),
        requestsInFlight: count,
      },
    });
  }

  #note(origin: string, isSilent: boolean): void {
    const id = `endpoint ${origin}`;
    if (!isSilent) {
      if (this.#silent.delete(origin)) this.#parts.notices.clear(id);
      return;
    }
    this.#silent.add(origin);
    this.#parts.notices.raise({
      id,
      code: 'endpoint-silent',
      origin,
      problem: `The server at ${origin} does not report how many requests it has: probes cannot wait for it.`,
      advice:
        'llama-server needs --metrics, SGLang --enable-metrics; or remove it from [[endpoints]] in config.toml.',
    });
  }

  #forgetOthers(origins: ReadonlySet<string>): void {
    for (const origin of [...this.#silent].filter(one => !origins.has(one))) this.#note(origin, false);
    for (const origin of [...this.#active].filter(one => !origins.has(one))) this.#report(origin, origin, 0);
  }
}

/** Shorter than the pause: one round never overtakes the next. */
const ANSWER_MS = 1_500;
