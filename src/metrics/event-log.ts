// Writes event records to a sink that may be slow, full or stuck, from its own bounded queue: records that do not fit
// or cannot be written are counted and dropped. Accepting a batch never waits.

import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, pause, unlessAborted, untilAborted } from '../clock/clock.ts';
import { type EventRecord, NO_FIGURE } from '../core/run/event-record.ts';
import { Outbox } from '../messaging/outbox.ts';
import { DecodeError } from '../wire/decode-error.ts';
import { type EventBatch, readEventBatch } from '../wire/event-batch.ts';
import { BatchLoss, readEventBatchHeader } from '../wire/event-batch-header.ts';

export interface EventLogSummary {
  readonly kind: 'summary';
  /** 'ended': the session's last record was seen; 'stopped': somebody ended the log before. */
  readonly ending: 'ended' | 'stopped';
  readonly recordsWritten: number;
  /** Arrived and were not written: the queue was full, or the disk. */
  readonly recordsDropped: number;
  /** Never arrived, by gaps in the batch numbers. Losses after the last batch are known only to the sender. */
  readonly recordsMissed: number;
  /** Of the first write that failed, "ENOSPC". */
  readonly errorCode?: string;
}

export interface EventLogOptions {
  readonly clock: Clock;
  /** Batches that wait for the disk. */
  readonly queueBytesMax: number;
  /** After `stop`, for writing what waits. */
  readonly drainMs: number;
}

export class EventLog {
  readonly #sink: EventLogSink;
  readonly #options: EventLogOptions;
  readonly #loss = new BatchLoss();
  readonly #stopped = new AbortController();
  readonly #gaveUp = new AbortController();
  readonly #queue: Outbox;
  #pending = '';
  #pendingCount = 0;
  #pendingSinceMs = 0;
  #recordsWritten = 0;
  #recordsDropped = 0;
  #errorCode: string | undefined;
  #runZeroNs = 0;
  #isOpened = false;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(sink: EventLogSink, options: EventLogOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#queue = new Outbox(options.queueBytesMax);
  }

  get summary(): EventLogSummary {
    return {
      kind: 'summary',
      ending: this.#isEnded ? 'ended' : 'stopped',
      ...this.#counts(),
      ...(this.#errorCode === undefined ? {} : { errorCode: this.#errorCode }),
    };
  }

  /** Never waits: above the queue's limit the batch is dropped and its records counted. */
  take(bytes: Uint8Array): void {
    const header = readEventBatchHeader(bytes);
    if (this.#loss.note(header) === 'repeated') return;
    if (this.#stopped.signal.aborted || !this.#queue.put(bytes)) this.#recordsDropped += header.recordCount;
    else this.#wake?.();
  }

  /** Accepts no more, and allows `drainMs` for writing the queue. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    this.#options.clock
      .sleep(this.#options.drainMs, this.#gaveUp.signal)
      .then(() => this.#gaveUp.abort())
      .catch(() => undefined); // `run` was done first
    this.#wake?.();
  }

  /** Until the session has ended or the log is stopped; the sink is closed then, unless it is stuck. */
  async run(): Promise<EventLogSummary> {
    while (!this.#gaveUp.signal.aborted) {
      const bytes = this.#queue.peek();
      if (bytes !== undefined) {
        this.#queue.shift();
        this.#format(bytes);
        if (this.#pendingCount >= FLUSH_RECORDS) await this.#flush();
      } else if (this.#isEnded || this.#stopped.signal.aborted) {
        break;
      } else {
        await this.#batchOrFlushTime();
      }
      if (this.#isFlushDue()) await this.#flush();
    }
    await this.#flush();
    this.#dropQueue();
    await this.#append(closingLine(this.#counts()));
    await unlessAborted(
      this.#sink.close().catch(error => this.#noteError(error)),
      this.#gaveUp.signal,
    );
    this.#stopped.abort();
    this.#gaveUp.abort();
    return this.summary;
  }

  #counts(): { recordsWritten: number; recordsDropped: number; recordsMissed: number } {
    return {
      recordsWritten: this.#recordsWritten,
      recordsDropped: this.#recordsDropped,
      recordsMissed: this.#loss.lostRecordCount,
    };
  }

  #dropQueue(): void {
    for (let bytes = this.#queue.peek(); bytes !== undefined; bytes = this.#queue.peek()) {
      this.#recordsDropped += readEventBatchHeader(bytes).recordCount;
      this.#queue.shift();
    }
  }

  #format(bytes: Uint8Array): void {
    const batch = readable(bytes);
    if (batch === undefined) {
      this.#recordsDropped += readEventBatchHeader(bytes).recordCount;
      return;
    }
    if (this.#pendingCount === 0) this.#pendingSinceMs = this.#options.clock.nowMs();
    this.#runZeroNs = batch.runZeroNs;
    for (const record of batch.records) {
      this.#pending += recordLine(record);
      if (record.kind === 'session.ended') this.#isEnded = true;
    }
    this.#pendingCount += batch.records.length;
  }

  async #flush(): Promise<void> {
    if (this.#pendingCount === 0) return;
    const text = this.#isOpened ? this.#pending : openingLine(this.#runZeroNs) + this.#pending;
    const count = this.#pendingCount;
    this.#pending = '';
    this.#pendingCount = 0;
    if (await this.#append(text)) {
      this.#isOpened = true;
      this.#recordsWritten += count;
    } else {
      this.#recordsDropped += count;
    }
  }

  /** False when the sink failed, or was stuck when the log gave up. */
  async #append(text: string): Promise<boolean> {
    if (this.#gaveUp.signal.aborted) return false;
    const appended = this.#sink.append(text).then(
      () => true,
      error => {
        this.#noteError(error);
        return false;
      },
    );
    return (await unlessAborted(appended, this.#gaveUp.signal)) ?? false;
  }

  #noteError(error: unknown): undefined {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    this.#errorCode ??= code;
  }

  #isFlushDue(): boolean {
    return this.#pendingCount > 0 && this.#options.clock.nowMs() - this.#pendingSinceMs >= FLUSH_AFTER_MS;
  }

  async #batchOrFlushTime(): Promise<void> {
    const awake = new AbortController();
    this.#wake = () => awake.abort();
    const waitMs =
      this.#pendingCount === 0
        ? Number.POSITIVE_INFINITY
        : this.#pendingSinceMs + FLUSH_AFTER_MS - this.#options.clock.nowMs();
    if (waitMs === Number.POSITIVE_INFINITY) {
      await untilAborted(awake.signal);
    } else {
      await pause(this.#options.clock, Math.max(0, waitMs), awake.signal);
    }
    this.#wake = undefined;
  }
}

const readable = (bytes: Uint8Array): EventBatch | undefined => {
  try {
    return readEventBatch(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
};

const FLUSH_RECORDS = 100;
const FLUSH_AFTER_MS = 500;

const EVENT_LOG_SCHEMA = 'plimsoll.events/1';

/** The first line. Times in all others are nanoseconds since `runZeroNs`, which is CLOCK_MONOTONIC of the host. */
const openingLine = (runZeroNs: number): string =>
  `${JSON.stringify({ kind: 'log.opened', schema: EVENT_LOG_SCHEMA, runZeroNs })}\n`;

const recordLine = (record: EventRecord): string => {
  if (record.kind !== 'sample.complete') return `${JSON.stringify(record)}\n`;
  return `${JSON.stringify({
    ...record,
    firstAnswerNs: figureOrNull(record.firstAnswerNs),
    firstByteNs: figureOrNull(record.firstByteNs),
    inputTokens: figureOrNull(record.inputTokens),
    outputTokens: figureOrNull(record.outputTokens),
    answerHash: figureOrNull(record.answerHash),
  })}\n`;
};

/** The last line: a log without one was cut off. */
const closingLine = (summary: {
  readonly recordsWritten: number;
  readonly recordsDropped: number;
  readonly recordsMissed: number;
}): string => `${JSON.stringify({ kind: 'log.closed', ...summary })}\n`;

const figureOrNull = (figure: number): number | null => (figure === NO_FIGURE ? null : figure);

// events.jsonl on disk. A text is written as a whole or not at all: a partial write on a full disk is truncated
// again, so that every line of the file can be read.

/** Where the event logger writes. */
export interface EventLogSink {
  /** Rejects if nothing of the text is in the file afterwards. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Created for its owner alone, or appended to. @throws the system's error when it cannot be opened. */
export const openEventLogFile = async (path: string): Promise<EventLogSink> => {
  const handle = await open(path, 'a', 0o600);
  const { size } = await handle.stat();
  return new EventLogFile(handle, size);
};

class EventLogFile implements EventLogSink {
  readonly #handle: FileHandle;
  #size: number;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      }
    } catch (error) {
      // If even that fails, a reader finds one truncated line.
      await this.#handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
