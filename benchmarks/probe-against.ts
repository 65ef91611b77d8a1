// A probe of a connection compared with the established tool for it: both on loopback, in separate processes.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { LinkMeasurement } from '../src/probe/probe.ts';
import {
  type MeasureSocketLinkOptions,
  measureSocketLink,
  openSocketSink,
} from '../src/probe/socket/socket-link.ts';
import { median, printRow, spread } from './bench-row.ts';

export const LOOPBACK = '127.0.0.1';

export const probeLoopback = async (
  options: Pick<MeasureSocketLinkOptions, 'budget'> & Partial<MeasureSocketLinkOptions>,
): Promise<LinkMeasurement> => {
  const common = {
    ticket: '7QKF-M2XW-9TBD',
    signal: AbortSignal.timeout(60_000),
    env: process.env,
    nodePath: process.execPath,
  };
  await using sink = await openSocketSink({ host: LOOPBACK, port: 0, ...common });
  const outcome = await measureSocketLink({ address: LOOPBACK, port: sink.port, ...common, ...options });
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  await sink.ended;
  return outcome.measurement;
};

/** A server of another tool, which is ready when it has printed this. */
export const startServer = async (
  command: string,
  args: readonly string[],
  ready: RegExp,
): Promise<ChildProcess> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (ready.test(text)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${command} ended: ${text}`)));
  });
  return child;
};

export const endServer = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

export const outputOf = async (command: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, args)).stdout;

export const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
};

export interface Against {
  readonly what: string;
  readonly tool: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly reach: { readonly kind: 'at-least' | 'at-most' | 'within'; readonly value: number };
}

/** Both figures, then the ratio of their medians against what it must reach. */
export const printAgainst = ({ what, tool, unit, ours, theirs, reach }: Against): void => {
  for (const [name, values] of [
    ['Plimsoll', ours],
    [tool, theirs],
  ] as const) {
    const method = `${spread(values, 2)}, interleaved`;
    printRow({ what: `${what}: ${name}`, figure: median(values), unit, reach: { kind: 'none' }, method });
  }
  const ratio = median(ours) / median(theirs);
  const turns = ours.map((value, turn) => value / (theirs[turn] ?? Number.NaN));
  const method = `ratio of medians ${ratio.toFixed(3)}; turn by turn ${spread(turns, 3)}`;
  if (reach.kind === 'within') {
    printRow({
      what: `${what}: apart from ${tool}`,
      figure: Math.abs(ratio - 1) * 100,
      unit: '%',
      reach: { kind: 'at-most', value: reach.value },
      method,
    });
  } else {
    printRow({
      what: `${what}: Plimsoll by ${tool}`,
      figure: ratio,
      unit: 'of it',
      reach: { kind: reach.kind, value: reach.value },
      method,
    });
  }
};
