// The event logger of a run: an independent subscriber to the records of the aggregator, which writes events.jsonl.
// It reads its socket independent of the disk, so that a slow disk affects only the log.

import type { MessageSubscriber } from '../messaging/subscriber.ts';
import { EventLog, type EventLogOptions, type EventLogSink, type EventLogSummary } from './event-log.ts';

interface EventLoggerOptions extends EventLogOptions {
  readonly subscriber: MessageSubscriber<Uint8Array>;
  readonly sink: EventLogSink;
  /** Ends the log before the session does. */
  readonly stop: AbortSignal;
}

/**
 * Until the session has ended or `stop` aborts; the file and the subscriber are closed then.
 * @throws what the transport throws, when the log has been closed.
 */
export const logEvents = async (options: EventLoggerOptions): Promise<EventLogSummary> => {
  const { subscriber, stop } = options;
  const log = new EventLog(options.sink, options);
  // Records sent before the stop are still in transit: wait a moment for them.
  const settled = new AbortController();
  const stopLog = (): void => {
    options.clock
      .sleep(ON_ITS_WAY_MS, settled.signal)
      .catch(() => undefined) // the session ended first
      .finally(() => log.stop());
  };
  if (stop.aborted) stopLog();
  stop.addEventListener('abort', stopLog, { once: true });
  const intake = (async () => {
    try {
      for await (const bytes of subscriber.items) log.take(bytes);
    } finally {
      log.stop();
    }
  })();
  const failed = intake.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const summary = await log.run();
  settled.abort();
  stop.removeEventListener('abort', stopLog);
  await subscriber.close();
  const failure = await failed;
  if (failure !== undefined) throw failure.error;
  return summary;
};

/** Batches that wait for the disk: half a minute of 50,000 records/s. */
export const EVENT_LOG_QUEUE_BYTES_MAX: number = 64 * 1024 * 1024;
/** A log whose parent has died is gone within 2 s. */
export const EVENT_LOG_DRAIN_MS = 1_000;
const ON_ITS_WAY_MS = 200;
