// A load process without load: starts an aggregator that writes into the given folder, lets it count a sample, and lives
// on. aggregator-process.test.ts kills it.

import { setTimeout as pause } from 'node:timers/promises';
import { issued, session } from '../support/run-records.ts';
import { runningAggregator } from './running-aggregator.ts';

const run = await runningAggregator(process.argv[2] ?? '');
run.send(session('session.started'), session('session.start_performance_tracking'), issued(1, 10));
await run.until(counters => counters.get('samplesIssued') === 1);
// The sockets' own files go with the test; a killed process cannot tidy up.
process.stdout.write(`${JSON.stringify({ aggregatorPid: run.child.pid, folder: run.socketFolder })}\n`);
await pause(120_000);
