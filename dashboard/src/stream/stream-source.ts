// Owns the one EventSource: opens it, notices that it broke or went silent, and tries again with a growing wait. The
// browser's own reconnecting is not used, because it reports neither when it will try nor why it failed.

import { droppedText } from '../../../src/wire/stream-message.ts';
import { retryDelayMs, STREAM_STALE_MS } from './link.ts';
import { STREAM_TEXT_KINDS, type StreamListener } from './port.ts';

/** Silence after which a stream that looks open is given up: the machine slept, or the daemon hangs. */
const STREAM_GIVE_UP_MS: number = 3 * STREAM_STALE_MS;
const WATCH_MS = 1_000;

export class StreamSource {
  readonly #listener: StreamListener;
  readonly #scope: string;
  #source: EventSource | undefined;
  /** When this try was opened or last received data; a hang is measured from it. */
  #aliveAtMs = 0;
  #lastMessageAtMs: number | undefined;
  #attempt = 0;
  #lostAtMs: number | undefined;
  /** The reason that the daemon gave before it closed the connection. */
  #reason = '';
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;

  /** @param scope the stream's query, '' for the whole state. */
  constructor(listener: StreamListener, scope: string) {
    this.#listener = listener;
    this.#scope = scope;
  }

  start(): void {
    this.#listener.link({ kind: 'starting' });
    this.#open();
    this.#watch = setInterval(() => this.#giveUpWhenSilent(), WATCH_MS);
  }

  retry(): void {
    if (this.#source === undefined) this.#open();
  }

  /** Drops its data and requests a new snapshot. */
  restart(): void {
    this.#open();
  }

  stop(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#watch);
    this.#source?.close();
    this.#source = undefined;
  }

  #open(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    if (this.#lostAtMs !== undefined) {
      this.#reportLost(this.#lostAtMs, undefined);
    }
    this.#aliveAtMs = performance.now();
    const source = new EventSource(this.#scope === '' ? '/api/stream' : `/api/stream?${this.#scope}`);
    this.#source = source;
    let isFirst = true;
    for (const kind of STREAM_TEXT_KINDS) {
      source.addEventListener(kind, event =>
        this.#receive(() => {
          const isBegin = isFirst;
          isFirst = false;
          this.#listener.text({ kind, text: event.data }, isBegin);
        }),
      );
    }
    source.addEventListener('heartbeat', () => this.#receive(() => this.#listener.heartbeat()));
    source.addEventListener('dropped', event => {
      this.#reason = droppedText(event.data);
    });
    source.addEventListener('error', () => this.#lose(source));
  }

  #receive(report: () => void): void {
    const nowMs = performance.now();
    this.#aliveAtMs = nowMs;
    this.#lastMessageAtMs = nowMs;
    this.#attempt = 0;
    this.#lostAtMs = undefined;
    this.#reason = '';
    this.#listener.link({ kind: 'open', lastMessageAtMs: nowMs });
    report();
  }

  #giveUpWhenSilent(): void {
    const source = this.#source;
    if (source !== undefined && performance.now() - this.#aliveAtMs > STREAM_GIVE_UP_MS) this.#lose(source);
  }

  #lose(source: EventSource): void {
    if (source !== this.#source) return;
    source.close();
    this.#source = undefined;
    const nowMs = performance.now();
    this.#lostAtMs ??= this.#lastMessageAtMs ?? nowMs;
    this.#attempt += 1;
    const nextTryAtMs = nowMs + retryDelayMs(this.#attempt);
    this.#retry = setTimeout(() => this.#open(), nextTryAtMs - nowMs);
    this.#reportLost(this.#lostAtMs, nextTryAtMs);
    void this.#fetchReason();
  }

  #reportLost(sinceMs: number, nextTryAtMs: number | undefined): void {
    this.#listener.link({ kind: 'lost', sinceMs, nextTryAtMs, reason: this.#reason });
  }

  /** An EventSource cannot distinguish a refusal from an unreachable host; a plain request can. */
  async #fetchReason(): Promise<void> {
    const answer = await fetch('/api/daemon', { cache: 'no-store' }).catch(() => undefined);
    if (answer?.status !== 401 && answer?.status !== 403) return;
    if (this.#source !== undefined) return;
    clearTimeout(this.#retry);
    this.#listener.link({ kind: 'denied' });
  }
}
