// A load thread's end of the feed: requests of a trace that are ready, until they are sent. Warm-up requests come
// from the writer that every run has.

import type { MessagePort } from 'node:worker_threads';
import type { PreparedRequest, RequestSource } from '../target/http1/request-writer.ts';
import type { FeedTaken, FromFeed } from './feed-message.ts';

export class RequestFeed implements RequestSource {
  readonly #port: MessagePort;
  readonly #warmup: RequestSource;
  readonly #firstSampleId: number;
  readonly #ready: ({ readonly sampleId: number; readonly bytes: Uint8Array } | undefined)[] = [];
  /** Index in `#ready` of the next request to be sent. */
  #next = 0;
  #taken = { requests: 0, bytes: 0 };
  readonly #primed = Promise.withResolvers<void>();
  #came: () => void = () => undefined;

  constructor(port: MessagePort, warmup: RequestSource, firstSampleId: number) {
    this.#port = port;
    this.#warmup = warmup;
    this.#firstSampleId = firstSampleId;
    port.on('message', (message: FromFeed) => {
      if (message.kind === 'primed') this.#primed.resolve();
      else {
        this.#ready.push(message);
        // With more than one, the pattern has been notified already.
        if (this.#ready.length === this.#next + 1) this.#came();
      }
    });
  }

  /** The queue is full: the load can begin. */
  get primed(): Promise<void> {
    return this.#primed.promise;
  }

  onRequestsAvailable(came: () => void): void {
    this.#came = came;
  }

  has(sampleId: number): boolean {
    if (sampleId < this.#firstSampleId) return this.#warmup.has(sampleId);
    for (;;) {
      const first = this.#ready[this.#next];
      if (first === undefined) return false;
      if (first.sampleId >= sampleId) return first.sampleId === sampleId;
      this.#take(first.bytes.length);
    }
  }

  prepare(into: PreparedRequest, sampleId: number, target: number): void {
    if (sampleId < this.#firstSampleId) {
      this.#warmup.prepare(into, sampleId, target);
      return;
    }
    const request = this.has(sampleId) ? this.#ready[this.#next] : undefined;
    if (request === undefined) throw new RangeError(`request ${sampleId} is not ready`);
    const { buffer, byteOffset, byteLength } = request.bytes;
    into.bytes = Buffer.from(buffer, byteOffset, byteLength);
    into.sampleId = sampleId;
    // What the writer finds there is nothing of its own.
    into.promptIndex = -1;
  }

  /** Reports what has been taken, so that more is generated. */
  tick(): void {
    if (this.#taken.requests === 0) return;
    const taken: FeedTaken = this.#taken;
    this.#port.postMessage(taken);
    this.#taken = { requests: 0, bytes: 0 };
  }

  #take(bytes: number): void {
    this.#ready[this.#next] = undefined;
    this.#next += 1;
    this.#taken.requests += 1;
    this.#taken.bytes += bytes;
    if (this.#next < COMPACTED) return;
    this.#ready.splice(0, this.#next);
    this.#next = 0;
  }
}

/** Array slots of finished requests are released this many at a time. */
const COMPACTED = 256;
