// The whole way of an RDMA probe, with UCX over TCP in RDMA's place: two hosts, children on both ends, the rendezvous over
// another cable than the one measured.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { Namespaces, reasonAgainstNamespaces } from './namespaces.ts';

const END = fileURLToPath(new URL('./rdma-process.ts', import.meta.url));

describe('an RDMA probe between two hosts, by UCX over TCP', () => {
  let net: Namespaces;
  beforeEach((context: TestContext) => {
    const reason =
      reasonAgainstNamespaces() ??
      (spawnSync('ucx_perftest', ['-h']).error === undefined
        ? undefined
        : 'ucx_perftest is not installed (sudo apt install ucx-utils)');
    if (reason !== undefined) context.skip(reason);
    net = new Namespaces();
    net.addHost('atlas');
    net.addHost('juno');
    net.connect(
      { host: 'atlas', name: 'fast0', ipv4: '10.7.1.1/24' },
      { host: 'juno', name: 'fast1', ipv4: '10.7.1.2/24' },
    );
    net.connect(
      { host: 'atlas', name: 'slow0', ipv4: '10.7.2.1/24' },
      { host: 'juno', name: 'slow1', ipv4: '10.7.2.2/24' },
    );
    // UCX takes an interface only once the kernel calls it running, up to a second after it is up.
    for (const [host, name] of [
      ['atlas', 'fast0'],
      ['juno', 'fast1'],
    ] as const)
      while (!net.ip(host, 'link', 'show', 'dev', name).includes('state UP'));
  });
  afterEach(async () => {
    await net?.[Symbol.asyncDispose]();
  });

  const sinkOf = async (address: string, ticket = TICKET) => {
    const child = net.spawn('juno', process.execPath, [
      END,
      JSON.stringify({ role: 'sink', device: 'fast1', otherDevice: 'fast0', address, port: 0, ticket }),
    ]);
    const lines = linesOf(child.stdout);
    const { port } = await nextOf(lines);
    return { port, child, ended: () => nextOf(lines) };
  };
  const measureFrom = async (address: string, port: number, ticket = TICKET) => {
    const child = net.spawn('atlas', process.execPath, [
      END,
      JSON.stringify({
        role: 'source',
        device: 'fast0',
        otherDevice: 'fast1',
        address,
        port,
        ticket,
        bytesMax: 100_000_000,
      }),
    ]);
    return await nextOf(linesOf(child.stdout));
  };

  it('measures both directions apart and at least fifty round trips, with the rendezvous elsewhere', {
    timeout: BUSY_MS_MAX,
  }, async context => {
    if (!isLongRun) context.skip('a shaped cable of its own: in the long run');
    // The measured cable gives 200 Mbit/s one way and 50 the other; the one of the rendezvous is not limited.
    shape('atlas', 'fast0', '200mbit');
    shape('juno', 'fast1', '50mbit');
    const sink = await sinkOf('10.7.2.2');
    // A client without the ticket gets nothing, and the one that has it is still waited for.
    expect(await measureFrom('10.7.2.2', sink.port, 'a wrong ticket')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('does not accept the code'),
    });
    const outcome = await measureFrom('10.7.2.2', sink.port);
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: { engine: 'ucx', roundTripCount: 1_000, jitterNs: expect.any(Number) },
    });
    const { uploadBitsPerSecond, downloadBitsPerSecond, roundTripNsMin, roundTripNsP50, bytesUsed } =
      outcome.measurement;
    console.info(
      `UCX over TCP: ${(uploadBitsPerSecond / 1e6).toFixed(1)} Mbit/s up of 200, ${(downloadBitsPerSecond / 1e6).toFixed(1)} down of 50, ${(roundTripNsP50 / 1_000).toFixed(1)} µs, ${bytesUsed} bytes`,
    );
    // No more than each direction carries; how close UCX comes to that is the machine's affair, and printed.
    expect(uploadBitsPerSecond / 200e6).toBeLessThan(1.05);
    expect(downloadBitsPerSecond / 50e6).toBeLessThan(1.05);
    expect(downloadBitsPerSecond).toBeGreaterThan(0);
    expect(uploadBitsPerSecond).toBeGreaterThan(downloadBitsPerSecond);
    expect(roundTripNsMin).toBeLessThanOrEqual(roundTripNsP50);
    expect(bytesUsed).toBeLessThanOrEqual(100_000_000);
    expect(await sink.ended()).toMatchObject({ kind: 'served', strangers: 1 });
  });

  it('listens on the address of the probe alone', async () => {
    const sink = await sinkOf('10.7.1.2');
    expect(await measureFrom('10.7.2.2', sink.port)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    sink.child.kill('SIGTERM');
  });

  const shape = (host: string, device: string, rate: string): void => {
    net.run(
      host,
      'tc',
      'qdisc',
      'add',
      'dev',
      device,
      'root',
      'tbf',
      'rate',
      rate,
      'burst',
      '64kb',
      'latency',
      '50ms',
    );
  };
});

/** Both ends of UCX spin on a processor each: seconds on a free machine, far more on one with two busy processors. */
const BUSY_MS_MAX = 180_000;
const TICKET = 'a ticket for one probe';

// biome-ignore lint/suspicious/noExplicitAny: output of another process, whose shape the expectations check
const nextOf = async (lines: AsyncGenerator<string>): Promise<any> => {
  const { value, done } = await lines.next();
  if (done === true) throw new Error('an end of the probe exited unexpectedly');
  return JSON.parse(value);
};

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let partial = '';
  for await (const chunk of stream) {
    const lines = (partial + chunk.toString()).split('\n');
    partial = lines.pop() ?? '';
    yield* lines;
  }
}
