// Copies what passes the proxy to the thread that records it, in batches, after it has been passed on. The copy is
// bounded: if the recorder is too far behind, whole exchanges are left out and counted, and traffic goes on.

import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../core/problem.ts';
import { entryUrl } from '../../process/entry.ts';
import type { EndKind } from '../arena/load-record.ts';
import {
  batchBytes,
  type FromRecorder,
  type RecordedFigures,
  type RecorderOptions,
  type TapEvent,
  type ToRecorder,
} from './tap-message.ts';

type Passed<Kind extends TapEvent['kind']> = Omit<
  Extract<TapEvent, { readonly kind: Kind }>,
  'kind' | 'exchange' | 'start' | 'end'
>;

export class Tap {
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<string | undefined>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #recorded: Set<number> = new Set();
  #events: TapEvent[] = [];
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #used = 0;
  #timer: NodeJS.Timeout | undefined;
  #exchanges = 0;
  /** Posted and not read yet. */
  #unreadBytes = 0;
  #figures: RecordedFigures | undefined;
  #failure: string | undefined;
  /** On request: its end is no failure. */
  #isStopped = false;
  /** Requests that the recorder never saw. */
  #lost = 0;

  constructor(options: RecorderOptions) {
    this.#worker = new Worker(entryUrl(import.meta.url, './record-worker.ts'), {
      name: 'plimsoll capture',
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: RECORDER_MEBIBYTES_MAX },
    });
    this.#worker.on('message', (message: FromRecorder) => this.#received(message));
    this.#worker.on('error', error => this.#ended(errorMessage(error)));
    this.#worker.on('exit', () => this.#ended('its thread ended'));
  }

  /** The reason why the first file cannot be created; undefined: it was. */
  get ready(): Promise<string | undefined> {
    return this.#ready.promise;
  }

  get figures(): RecordedFigures | undefined {
    if (this.#figures === undefined) return undefined;
    const { lost, problem, ...others } = this.#figures;
    return { ...others, lost: lost + this.#lost, problem: this.#failure ?? problem };
  }

  /** @returns the exchange */
  request(begun: Passed<'request'>): number {
    const exchange = this.#exchanges;
    this.#exchanges += 1;
    if (this.#failure === undefined && this.#hasRoomFor(0)) this.#recorded.add(exchange);
    else this.#lost += 1;
    this.#add({ kind: 'request', exchange, ...begun });
    return exchange;
  }

  requestBody(exchange: number, chunk: Buffer): void {
    this.#add({ kind: 'request-body', exchange, ...this.#copied(exchange, chunk) });
  }

  reply(exchange: number, head: Passed<'reply'>): void {
    this.#add({ kind: 'reply', exchange, ...head });
  }

  replyBody(exchange: number, chunk: Buffer, atMs: number): void {
    this.#add({ kind: 'reply-body', exchange, atMs, ...this.#copied(exchange, chunk) });
  }

  end(exchange: number, how: EndKind, atMs: number): void {
    this.#add({ kind: 'end', exchange, atMs, how });
    this.#recorded.delete(exchange);
  }

  /** Everything that was recorded is in its file when this resolves. */
  async stop(): Promise<void> {
    this.#post();
    if (this.#failure === undefined) {
      this.#send({ kind: 'stop' });
      await this.#stopped.promise;
    }
    await this.#worker.terminate();
  }

  #add(event: TapEvent): void {
    if (!this.#recorded.has(event.exchange)) return;
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#post(), BATCH_MS);
  }

  #copied(exchange: number, chunk: Buffer): { readonly start: number; readonly end: number } {
    if (!this.#recorded.has(exchange)) return { start: 0, end: 0 };
    if (!this.#hasRoomFor(chunk.length)) {
      this.#add({ kind: 'lost', exchange });
      this.#recorded.delete(exchange);
      return { start: 0, end: 0 };
    }
    if (this.#used + chunk.length > this.#bytes.length) {
      this.#post();
      if (chunk.length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(chunk.length);
    }
    const start = this.#used;
    this.#used += chunk.copy(this.#bytes, start);
    return { start, end: this.#used };
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#unreadBytes + batchBytes(this.#events.length, this.#used + bytes) <= UNREAD_BYTES_MAX;
  }

  #post(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#events.length === 0) return;
    const bytes = new Uint8Array(this.#bytes.buffer, 0, this.#used);
    this.#unreadBytes += batchBytes(this.#events.length, this.#used);
    this.#send({ kind: 'batch', events: this.#events, bytes }, [bytes.buffer]);
    this.#events = [];
    this.#bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.#used = 0;
  }

  #send(message: ToRecorder, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#failure === undefined) this.#worker.postMessage(message, [...transfer]);
  }

  #received(message: FromRecorder): void {
    switch (message.kind) {
      case 'ready':
        this.#ready.resolve(message.problem);
        break;
      case 'read':
        this.#unreadBytes -= message.bytes;
        this.#figures = message.figures;
        break;
      case 'stopped':
        this.#figures = message.figures;
        this.#isStopped = true;
        this.#stopped.resolve();
        break;
      default:
        message satisfies never;
    }
  }

  /** Traffic goes on without a record. */
  #ended(reason: string): void {
    if (this.#isStopped) return;
    this.#failure ??= `the recorder failed: ${reason}`;
    this.#lost += this.#recorded.size;
    this.#recorded.clear();
    this.#ready.resolve(this.#failure);
    this.#stopped.resolve();
  }
}

const BATCH_BYTES = 262_144;
const BATCH_MS = 50;
/** What waits for the recorder, all exchanges together. */
const UNREAD_BYTES_MAX = 268_435_456;
const RECORDER_MEBIBYTES_MAX = 2_048;
