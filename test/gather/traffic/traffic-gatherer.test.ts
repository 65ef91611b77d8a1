import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { RdmaPortCounters } from '../../../src/gather/infiniband/port-counters.ts';
import { parseNetstat } from '../../../src/gather/netstat/parse-netstat.ts';
import { linuxTrafficGatherer } from '../../../src/gather/procfs/linux-traffic-gatherer.ts';
import { parseNetDev } from '../../../src/gather/procfs/parse-net-dev.ts';
import { TrafficMeter } from '../../../src/gather/traffic-meter.ts';
import { fixture } from '../../support/fixture.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt } from '../recorded-tree.ts';

const NET_DEV = fixture('procfs/net-dev-vm.txt');
const portLine = (name: string, bytes: number, drops = 0): string =>
  `${name}: ${bytes} ${bytes} 0 ${drops} 0 0 0 0 ${2 * bytes} 8 0 0 0 0 0 0\n`;
const netDev = (...lines: readonly string[]): string =>
  NET_DEV.split('\n')
    .slice(0, 2)
    .join('\n')
    .concat('\n', ...lines);

describe('/proc/net/dev', () => {
  it('reports bytes, packets, errors and drops of each interface and direction', () => {
    expect(parseNetDev(NET_DEV)?.map(({ name }) => name)).toEqual(['lo', 'ifb0', 'eth0']);
    expect(parseNetDev(NET_DEV)?.[2]).toEqual({
      name: 'eth0',
      kind: 'interface',
      received: { bytes: 485_536_307, packets: 10_627, errors: 2, drops: 5 },
      sent: { bytes: 741_060, packets: 6_285, errors: 1, drops: 3 },
    });
  });

  it('may have a name that touches its first counter, and counters of 64 bits', () => {
    const [port] =
      parseNetDev(netDev('ens1f0np0:18446744073709551615 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n')) ?? [];
    expect(port).toMatchObject({ name: 'ens1f0np0', received: { bytes: 2 ** 64 } });
  });

  it('loses a line that is cut, and no other', () => {
    expect(parseNetDev(netDev(portLine('eth0', 1), 'eth1: 1 2 3'))?.map(({ name }) => name)).toEqual([
      'eth0',
    ]);
    expect(parseNetDev('hello\n')).toBeUndefined();
  });
});

describe('netstat -ib of a Mac', () => {
  it('reports each interface once, also one without an address or down', () => {
    const ports = parseNetstat(fixture('netstat/macbook.txt'));
    expect(ports?.map(({ name }) => name)).toEqual(['lo0', 'gif0', 'en6', 'en0', 'utun0']);
    const drops = unknown('netstat -ib does not report it');
    expect(ports?.[2]).toMatchObject({
      received: { bytes: 328_257_753, packets: 4_282_122, errors: 0, drops },
      sent: { bytes: 370_506_734, packets: 2_083_355, errors: 106, drops },
    });
    expect(ports?.[0]?.received.bytes).toBe(466_453_111);
  });

  it('of another form is none', () => {
    expect(parseNetstat('netstat: illegal option\n')).toBeUndefined();
  });
});

describe('RDMA ports', () => {
  const counters = (port: string, words: number) => ({
    [`${port}/counters/port_rcv_data`]: `${words}\n`,
    [`${port}/counters/port_xmit_data`]: `${2 * words}\n`,
    [`${port}/counters/port_rcv_packets`]: '10\n',
    [`${port}/counters/port_xmit_packets`]: '20\n',
    [`${port}/counters/port_rcv_errors`]: '1\n',
    [`${port}/counters/port_xmit_discards`]: '3\n',
  });

  it('count words of four bytes, and are named as connections name them', async () => {
    using ports = new RdmaPortCounters(
      recordedFiles([
        filesAt({
          ...counters('/sys/class/infiniband/mlx5_0/ports/1', 1_000),
          ...counters('/sys/class/infiniband/mlx4_0/ports/1', 1),
          ...counters('/sys/class/infiniband/mlx4_0/ports/2', 2),
          '/sys/class/infiniband/siw0/ports/1/state': '4: ACTIVE\n',
        }),
      ]),
    );
    ports.look();
    const reported = await ports.read();
    expect(reported.map(({ name }) => name)).toEqual(['mlx4_0:1', 'mlx4_0:2', 'mlx5_0']);
    const notCounted = unknown('RDMA ports do not count it');
    expect(reported[2]).toEqual({
      name: 'mlx5_0',
      kind: 'rdma',
      received: { bytes: 4_000, packets: 10, errors: 1, drops: notCounted },
      sent: { bytes: 8_000, packets: 20, errors: notCounted, drops: 3 },
    });
  });

  it('are left out where counters of 32 bits are full and stand still, which is not silence', async () => {
    using ports = new RdmaPortCounters(
      recordedFiles([
        filesAt({
          ...counters('/sys/class/infiniband/mlx4_0/ports/1', 2 ** 32 - 1),
          ...counters('/sys/class/infiniband/mlx5_0/ports/1', 2 ** 33),
        }),
      ]),
    );
    ports.look();
    expect((await ports.read()).map(({ name }) => name)).toEqual(['mlx5_0']);
  });
});

describe('the rates of a port', () => {
  const readAll = (...texts: readonly string[]) => {
    const meter = new TrafficMeter();
    return texts.map(
      (text, second) => meter.read(parseNetDev(text) ?? [], 5_000 + 1_000 * second).ports[0]?.rates,
    );
  };

  it('are what its counters grew by a second, unknown at first', () => {
    const meter = new TrafficMeter();
    meter.read(parseNetDev(netDev(portLine('eth0', 1_000))) ?? [], 0);
    const [port] = meter.read(parseNetDev(netDev(portLine('eth0', 4_000, 3))) ?? [], 1_500).ports;
    expect(port?.rates).toEqual({
      received: { bytesPerSecond: 2_000, packetsPerSecond: 2_000, errorsPerSecond: 0, dropsPerSecond: 2 },
      sent: { bytesPerSecond: 4_000, packetsPerSecond: 0, errorsPerSecond: 0, dropsPerSecond: 0 },
    });
    expect(readAll(netDev(portLine('eth0', 1_000)))).toEqual([unknown('needs two readings')]);
  });

  it('have no spike if a counter went back or wrapped: the port starts again', () => {
    const rates = readAll(
      netDev(portLine('eth0', 4_294_967_000)),
      netDev(portLine('eth0', 200)),
      netDev(portLine('eth0', 700)),
    );
    expect(rates.slice(1)).toMatchObject([
      unknown('its counters were reset'),
      { received: { bytesPerSecond: 500 }, sent: { bytesPerSecond: 1_000 } },
    ]);
  });

  it('start again with an interface that was gone, and ignore its previous counters', () => {
    const rates = readAll(
      netDev(portLine('wg0', 10)),
      netDev(portLine('eth0', 1)),
      netDev(portLine('wg0', 9_000_000)),
    );
    expect(rates[2]).toEqual(unknown('needs two readings'));
  });

  it('are reported for the 64 ports that have carried most, in the order of the source', () => {
    const meter = new TrafficMeter();
    const lines = Array.from({ length: 100 }, (_, index) => portLine(`veth${index}`, index * 7));
    const { ports } = meter.read(parseNetDev(netDev(...lines)) ?? [], 0);
    expect(ports.map(({ name }) => name)).toEqual(lines.slice(36).map((_, index) => `veth${index + 36}`));
  });
});

describe('the traffic of a Linux machine', () => {
  it('is read once a second, without the interfaces that are to be ignored', async () => {
    const files = { '/proc/net/dev': NET_DEV };
    const clock = new VirtualClock();
    const machine = machineForTest({
      files: recordedFiles([filesAt(files)]),
      settings: () => ({ name: undefined, ignoredInterfaces: ['ifb0'] }),
    });
    await using run = runForTest([linuxTrafficGatherer(machine)], clock);
    await clock.advance(2_500);
    const ports = run.reported.map(reported =>
      reported.kind === 'reading' && reported.reading.kind === 'traffic' ? reported.reading.value.ports : [],
    );
    expect(ports).toHaveLength(3);
    expect(ports[2]).toMatchObject([
      { name: 'lo', rates: { received: { bytesPerSecond: 0 } } },
      { name: 'eth0', rates: { sent: { bytesPerSecond: 0 } } },
    ]);
  });

  it('fails with the reason where the file is not there', async () => {
    const clock = new VirtualClock();
    const machine = machineForTest({ files: recordedFiles([filesAt({})]) });
    await using run = runForTest([linuxTrafficGatherer(machine)], clock);
    await clock.advance(100);
    expect(run.reported).toMatchObject([{ kind: 'failure', about: 'traffic', reason: 'no /proc/net/dev' }]);
  });
});
