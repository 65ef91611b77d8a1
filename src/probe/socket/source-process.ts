// The short-lived process of the end that dials. Its one argument is JSON; the ticket is in the environment, which
// other users of the machine cannot read. It reports {"kind":"ready"} to its parent, and at its end the outcome.

import process from 'node:process';
import * as v from 'valibot';
import { systemClock } from '../../clock/system-clock.ts';
import { errorMessage } from '../../core/problem.ts';
import { loadSockets } from '../../native/sockets.ts';
import { reportParent, watchParent } from '../../process/parent-watch.ts';
import type { LinkLoad } from '../link-engine.ts';
import { probeFailedBy } from '../link-outcome.ts';
import type { LinkMeasurement, ProbeOutcome } from '../probe.ts';
import { STREAMS_MAX } from './control-message.ts';
import { loadLink } from './load-link.ts';
import { measureLink } from './measure-link.ts';
import { sourceArgumentSchema, streamsOfProcessor, ticketOf } from './process-arguments.ts';
import { openStreamEngine } from './stream-engine.ts';

const main = async (): Promise<void> => {
  const terminated = new AbortController();
  process.on('SIGINT', () => undefined); // of a terminal: the parent decides
  process.on('SIGTERM', () => terminated.abort(new Error('it was stopped')));
  const parent = watchParent(process.env);
  const signal =
    parent.kind === 'watching' ? AbortSignal.any([terminated.signal, parent.signal]) : terminated.signal;
  const argument = v.parse(sourceArgumentSchema, JSON.parse(process.argv[2] ?? ''));
  const engine = await openStreamEngine(process.env, process.platform);
  reportParent(process.env, { kind: 'ready' });
  const sockets = engine.name === 'socket-ffi' ? await loadSockets(process.platform) : undefined;
  let bytesUsed = 0;
  let outcome: ProbeOutcome<LinkMeasurement | LinkLoad>;
  try {
    const parts = {
      sink: {
        address: argument.address,
        port: argument.port,
        ticket: ticketOf(process.env),
        sourceInterface: argument.sourceInterface ?? undefined,
        sockets: sockets?.kind === 'loaded' ? sockets.sockets : undefined,
      },
      engine,
      clock: systemClock,
      signal,
    };
    const streamsMax = Math.min(streamsOfProcessor(), argument.streamsMax ?? STREAMS_MAX);
    const onBytes = (bytes: number): void => {
      bytesUsed = bytes;
      reportParent(process.env, { kind: 'spent', bytesUsed });
    };
    const { budget, load, roundTrips } = argument;
    const measurement =
      load === undefined
        ? await measureLink({ ...parts, budget, roundTrips, streamsMax }, onBytes)
        : await loadLink({ ...parts, ...load, streams: Math.min(load.streams, streamsMax) }, onBytes);
    outcome = { kind: 'measured', measurement };
  } catch (error) {
    outcome = probeFailedBy(error, bytesUsed);
  }
  reportParent(process.env, outcome);
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
