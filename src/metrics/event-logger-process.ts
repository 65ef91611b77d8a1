// The process of the event logger. Its one argument is JSON, {"endpoint","file"}. It sends its parent
// {"kind":"ready"} when records reach it, and at its end the EventLogSummary. It ends with the session, when its
// parent requests it, and when its parent is gone; signals are for the main process, which decides.

import * as v from 'valibot';
import { systemClock } from '../clock/system-clock.ts';
import { errorMessage } from '../core/problem.ts';
import { eventBatchBytesCodec } from '../messaging/event-batch-codec.ts';
import { EVERY_MESSAGE } from '../messaging/subscriber.ts';
import { removeOtherSockets } from '../messaging/zeromq/socket-folder.ts';
import { openZeromqSubscriber } from '../messaging/zeromq/zeromq-subscriber.ts';
import { reportParent, stopsOf, watchParent } from '../process/parent-watch.ts';
import { openEventLogFile } from './event-log.ts';
import { EVENT_LOG_DRAIN_MS, EVENT_LOG_QUEUE_BYTES_MAX, logEvents } from './event-logger.ts';

const argumentSchema = v.object({ endpoint: v.string(), file: v.string() });

const main = async (): Promise<void> => {
  const parent = watchParent(process.env);
  const { stop: requested } = stopsOf(parent, (signal, received) => process.on(signal, received));
  const stop = parent.kind === 'watching' ? AbortSignal.any([requested, parent.signal]) : requested;
  const { endpoint, file } = v.parse(argumentSchema, JSON.parse(process.argv[2] ?? ''));
  const sink = await openEventLogFile(file);
  const subscriber = await openZeromqSubscriber(endpoint, eventBatchBytesCodec, EVERY_MESSAGE);
  stop.addEventListener('abort', () => setTimeout(exitNow, LAST_MS).unref(), { once: true });
  try {
    await subscriber.ready(stop);
  } catch (error) {
    await subscriber.close();
    await sink.close();
    if (stop.aborted) process.exit(0);
    throw error;
  }
  reportParent(process.env, { kind: 'ready' });
  const summary = await logEvents({
    subscriber,
    sink,
    stop,
    clock: systemClock,
    queueBytesMax: EVENT_LOG_QUEUE_BYTES_MAX,
    drainMs: EVENT_LOG_DRAIN_MS,
  });
  if (parent.kind === 'watching' && parent.signal.aborted) await removeOtherSockets(endpoint);
  reportParent(process.env, summary);
  if (summary.errorCode !== undefined) process.stderr.write(`events.jsonl: ${summary.errorCode}\n`);
  // A write that is stuck in the kernel would block an ordinary exit.
  setTimeout(exitNow, LAST_MS).unref();
};

/** Exits without any cleanup. */
const exitNow = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** Behind the time for draining. */
const LAST_MS: number = EVENT_LOG_DRAIN_MS + 500;

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
