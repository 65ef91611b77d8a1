// A cable that is pulled and put back seven times, on a real kernel: the port at the other end counts it, and what it counts is
// a warning.

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import {
  flapsOf,
  type NodePortHealth,
  type PortHealth,
  portFaults,
} from '../../src/core/node/port-health.ts';
import { type HostProcess, Namespaces, reasonAgainstNamespaces } from './namespaces.ts';

test('a port whose cable is pulled seven times has flapped seven times', { timeout: 60_000 }, async ({
  skip,
}) => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) skip(reason);
  await using net = new Namespaces();
  for (const host of ['one', 'other']) net.addHost(host);
  net.connect(
    { host: 'one', name: 'en0', ipv4: '10.98.1.1/24' },
    { host: 'other', name: 'en0', ipv4: '10.98.1.2/24' },
  );
  const readings = portsOf(
    net.spawn('one', process.execPath, [join(import.meta.dirname, 'flapping-process.ts')]),
  );
  await nextWith(readings, port => port.counters[0]?.lastHour === 0);
  for (let pull = 0; pull < 7; pull += 1) {
    net.ip('other', 'link', 'set', 'en0', 'down');
    net.ip('other', 'link', 'set', 'en0', 'up');
  }
  const port = await nextWith(readings, ({ counters }) => counters[0]?.lastHour === 14);
  expect(flapsOf(portFaults(port))).toBe(7);
});

const portsOf = async function* (child: HostProcess): AsyncGenerator<PortHealth> {
  for await (const line of createInterface({ input: child.stdout })) {
    const { ports }: NodePortHealth = JSON.parse(line);
    const port = ports.find(({ name }) => name === 'en0');
    if (port !== undefined) yield port;
  }
};

const nextWith = async (
  readings: AsyncGenerator<PortHealth>,
  fits: (port: PortHealth) => boolean,
): Promise<PortHealth> => {
  for (;;) {
    const { value, done } = await readings.next();
    if (done === true) throw new Error('the gatherer has ended');
    if (fits(value)) return value;
  }
};
