// The short-lived process of the end that is dialled. Its one argument is JSON; the ticket is in the environment, which
// other users of the machine cannot read. It reports to its parent where it listens, and at its end the SinkEnding.

import process from 'node:process';
import * as v from 'valibot';
import { systemClock } from '../../clock/system-clock.ts';
import { errorCode, errorMessage, shortReason } from '../../core/problem.ts';
import { loadSockets } from '../../native/sockets.ts';
import { reportParent, watchParent } from '../../process/parent-watch.ts';
import { sinkArgumentSchema, streamsOfProcessor, ticketOf } from './process-arguments.ts';
import { Sink } from './sink.ts';
import { openStreamEngine } from './stream-engine.ts';

const main = async (): Promise<void> => {
  const terminated = new AbortController();
  process.on('SIGINT', () => undefined); // of a terminal: the parent decides
  process.on('SIGTERM', () => terminated.abort(new Error('it was stopped')));
  const parent = watchParent(process.env);
  const signal =
    parent.kind === 'watching' ? AbortSignal.any([terminated.signal, parent.signal]) : terminated.signal;
  const argument = v.parse(sinkArgumentSchema, JSON.parse(process.argv[2] ?? ''));
  const engine = await openStreamEngine(process.env, process.platform);
  const sockets = await loadSockets(process.platform);
  const sink = new Sink({
    host: argument.host,
    port: argument.port,
    ticket: ticketOf(process.env),
    sourceAddresses: argument.sourceAddresses,
    waitMsMax: argument.waitMsMax ?? Number.POSITIVE_INFINITY,
    durationMsMax: argument.durationMsMax,
    engine,
    clock: systemClock,
    streamsMax: streamsOfProcessor(),
    sockets: sockets.kind === 'loaded' ? sockets.sockets : undefined,
    signal,
  });
  let port: number;
  try {
    port = await sink.listen();
  } catch (error) {
    const isTaken = errorCode(error) === 'EADDRINUSE';
    reportParent(process.env, { kind: 'cannot-listen', isTaken, reason: shortReason(error) });
    return;
  }
  reportParent(process.env, { kind: 'listening', port });
  let reported = { strangers: 0, bytesUsed: 0 };
  const reports = setInterval(() => {
    const { strangers, bytesUsed } = sink;
    if (strangers > reported.strangers) reportParent(process.env, { kind: 'strangers', count: strangers });
    if (bytesUsed > reported.bytesUsed) reportParent(process.env, { kind: 'spent', bytesUsed });
    reported = { strangers, bytesUsed };
  }, REPORT_INTERVAL_MS);
  const ending = await sink.serve();
  clearInterval(reports);
  reportParent(process.env, ending);
};

/** Limit for any number of connections and any amount of data. */
const REPORT_INTERVAL_MS = 1_000;

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
