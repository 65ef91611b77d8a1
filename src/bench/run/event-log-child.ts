// The event log of a run as its main process uses it: with its own queue, so that a slow or dead logger delays
// nothing, and a count of what was not written.

import { unlessAborted } from '../../clock/clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { eventBatchBytesCodec } from '../../messaging/event-batch-codec.ts';
import { LOSSLESS, type MessagePublisher } from '../../messaging/publisher.ts';
import { openZeromqPublisher } from '../../messaging/zeromq/zeromq-publisher.ts';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { type OwnProcess, type OwnProcessExit, startOwnProcess } from '../../process/own-process.ts';
import { readEventBatchHeader } from '../../wire/event-batch-header.ts';
import type { BenchSettings } from './bench-parts.ts';

interface EventLogStart {
  readonly endpoint: string;
  readonly file: string;
  readonly nodePath: string;
  readonly env: Env;
  readonly settings: BenchSettings;
  readonly signal: AbortSignal;
}

interface EventLogResult {
  /** Records that are not in events.jsonl. */
  readonly droppedRecords: number;
  readonly notices: readonly string[];
}

export interface EventLogChild extends AsyncDisposable {
  publish(batch: Uint8Array): void;
  finish(stopNow: AbortSignal): Promise<EventLogResult>;
}

/** @throws OwnProcessError when the logger does not start. */
export const openEventLog = async (options: EventLogStart): Promise<EventLogChild> => {
  const publisher = await openZeromqPublisher(options.endpoint, eventBatchBytesCodec, LOSSLESS);
  try {
    const logger = await startOwnProcess({
      entry: entryUrl(import.meta.url, '../../metrics/event-logger-process.ts'),
      args: [JSON.stringify({ endpoint: publisher.endpoint, file: options.file })],
      nodePath: options.nodePath,
      env: options.env,
      readyTimeoutMs: options.settings.readyMsMax,
      signal: options.signal,
    });
    return new LoggerSide(publisher, logger, options.settings);
  } catch (error) {
    await publisher.close(0);
    throw error;
  }
};

class LoggerSide implements EventLogChild {
  readonly #publisher: MessagePublisher<Uint8Array>;
  readonly #logger: OwnProcess;
  readonly #settings: BenchSettings;
  #recordCount = 0;
  #isGone = false;

  constructor(publisher: MessagePublisher<Uint8Array>, logger: OwnProcess, settings: BenchSettings) {
    this.#publisher = publisher;
    this.#logger = logger;
    this.#settings = settings;
    void logger.exited.then(() => {
      this.#isGone = true;
    });
  }

  publish(batch: Uint8Array): void {
    this.#recordCount += readEventBatchHeader(batch).recordCount;
    if (!this.#isGone) this.#publisher.publish(batch);
  }

  async finish(stopNow: AbortSignal): Promise<EventLogResult> {
    const { logMsMax } = this.#settings;
    await this.#publisher.close(this.#isGone || stopNow.aborted ? 0 : logMsMax);
    // It ends by itself when it has seen the session's end.
    const patience = AbortSignal.any([AbortSignal.timeout(logMsMax), stopNow]);
    const exit = (await unlessAborted(this.#logger.exited, patience)) ?? (await this.#logger.stop(logMsMax));
    return eventLogResult(exit, this.#recordCount);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#publisher.close(0);
    await this.#logger.stop(DISPOSE_MS);
  }
}

const eventLogResult = (exit: OwnProcessExit, recordCount: number): EventLogResult => {
  const { lastMessage } = exit;
  const isSummary =
    typeof lastMessage === 'object' && lastMessage !== null && 'recordsWritten' in lastMessage;
  const written =
    isSummary && typeof lastMessage.recordsWritten === 'number' ? lastMessage.recordsWritten : undefined;
  if (written === undefined) {
    return {
      droppedRecords: recordCount,
      notices: [
        `the event logger exited early (${exit.signal ?? `code ${exit.code}`}): events.jsonl is not complete`,
      ],
    };
  }
  const droppedRecords = Math.max(0, recordCount - written);
  const reason = isSummary && 'errorCode' in lastMessage ? ` (${String(lastMessage.errorCode)})` : '';
  return {
    droppedRecords,
    notices:
      droppedRecords === 0
        ? []
        : [`events.jsonl lacks ${droppedRecords} of ${counted(recordCount, 'record')}${reason}`],
  };
};

const DISPOSE_MS = 1_000;
