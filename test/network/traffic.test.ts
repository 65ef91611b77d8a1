// The reading of traffic against what `ip -s link` counts, with traffic on a cable between two hosts; and that an interface
// which is recreated under its old name brings no spike.

import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { NodeTraffic } from '../../src/core/node/traffic.ts';
import { isUnknown } from '../../src/core/unknown.ts';
import { isLongRun } from '../support/counts.ts';
import { type HostProcess, Namespaces, reasonAgainstNamespaces } from './namespaces.ts';
import { lineOf } from './two-hosts.ts';

const PORT = 5_001;
const SERVER = `require('net').createServer(s => s.resume()).listen(${PORT}, '10.98.0.2', () => console.log('listening'))`;
/** A mebibyte every 25 ms for four seconds, then it ends. */
const CLIENT = `
const socket = require('net').connect(${PORT}, '10.98.0.2');
let left = 160;
const timer = setInterval(() => {
  if (left-- === 0) { clearInterval(timer); socket.end(); return; }
  socket.write(Buffer.alloc(1 << 20));
}, 25);
`;

test('the reading of traffic agrees within 2 % with ip, each way, and has no spike when an interface is recreated', {
  timeout: 120_000,
}, async ({ skip, signal }) => {
  if (!isLongRun) skip('seconds of traffic: in npm run test:long');
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) skip(reason);
  await using net = new Namespaces();
  for (const host of ['one', 'other']) net.addHost(host);
  const ends = [
    { host: 'one', name: 'en0', ipv4: '10.98.0.1/24' },
    { host: 'other', name: 'en0', ipv4: '10.98.0.2/24' },
  ] as const;
  net.connect(...ends);
  const readings = readingsOf(
    net.spawn('one', process.execPath, [join(import.meta.dirname, 'traffic-process.ts')]),
  );
  await nextWith(readings, rates => rates.sent === 0 && rates.received === 0);
  const before = counted(net);
  await carry(net, signal);
  const seen = await untilQuiet(readings);
  const after = counted(net);
  for (const way of ['received', 'sent'] as const) {
    const grown = after[way] - before[way];
    const reported = seen.reduce((sum, { rates, seconds }) => sum + rates[way] * seconds, 0);
    expect(grown).toBeGreaterThan(way === 'sent' ? 160 * 2 ** 20 : 10_000);
    expect(Math.abs(reported - grown) / grown).toBeLessThan(0.02);
  }

  net.ip('one', 'link', 'del', 'en0');
  net.connect(...ends);
  await nextWith(readings, rates => rates.sent < 1e6);
  await carry(net, signal);
  const again = await untilQuiet(readings);
  const carried = again.reduce((sum, { rates, seconds }) => sum + rates.sent * seconds, 0);
  expect(carried).toBeGreaterThan(0.98 * 160 * 2 ** 20);
  expect(carried).toBeLessThan(1.1 * 160 * 2 ** 20);
});

interface ReportedState {
  readonly seconds: number;
  readonly rates: Record<'received' | 'sent', number>;
}

/** Of en0, those that have rates. */
const readingsOf = async function* (child: HostProcess): AsyncGenerator<ReportedState> {
  let beforeMs = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    const { atMs, value }: { atMs: number; value: NodeTraffic } = JSON.parse(line);
    const seconds = (atMs - beforeMs) / 1_000;
    beforeMs = atMs;
    const rates = value.ports.find(({ name }) => name === 'en0')?.rates;
    if (rates === undefined || isUnknown(rates)) continue;
    yield {
      seconds,
      rates: { received: rates.received.bytesPerSecond, sent: rates.sent.bytesPerSecond },
    };
  }
};

const nextWith = async (
  readings: AsyncGenerator<ReportedState>,
  fits: (rates: ReportedState['rates']) => boolean,
): Promise<void> => {
  for (;;) {
    const { value, done } = await readings.next();
    if (done === true) throw new Error('the gatherer has ended');
    if (fits(value.rates)) return;
  }
};

/** All readings up to the first, after the traffic began, in which nothing went either way. */
const untilQuiet = async (readings: AsyncGenerator<ReportedState>): Promise<readonly ReportedState[]> => {
  const seen: ReportedState[] = [];
  for (;;) {
    const { value, done } = await readings.next();
    if (done === true) throw new Error('the gatherer has ended');
    const { received, sent } = value.rates;
    seen.push(value);
    if (received + sent === 0 && seen.some(reported => reported.rates.sent > 1e6)) return seen;
  }
};

const carry = async (net: Namespaces, signal: AbortSignal): Promise<void> => {
  const server = net.spawn('other', process.execPath, ['-e', SERVER]);
  await lineOf(server, /listening/, signal);
  await once(net.spawn('one', process.execPath, ['-e', CLIENT]), 'exit');
  server.kill();
};

const counted = (net: Namespaces): Record<'received' | 'sent', number> => {
  const [link]: { stats64: Record<'rx' | 'tx', { bytes: number }> }[] = JSON.parse(
    net.ip('one', '-j', '-s', 'link', 'show', 'dev', 'en0'),
  );
  if (link === undefined) throw new Error('ip lists no en0');
  return { received: link.stats64.rx.bytes, sent: link.stats64.tx.bytes };
};
