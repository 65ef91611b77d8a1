import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { openUdpDatagrams } from '../../../src/mesh/reachability/udp-datagrams.ts';
import { datagramPortContract } from '../../contract/datagram-port-contract.ts';
import { MemoryDatagrams } from '../../support/memory-datagrams.ts';

datagramPortContract('memory', () => {
  const wire = new MemoryDatagrams();
  let port = 1_000;
  return {
    address: '10.0.0.1',
    open: async listener => {
      port += 1;
      return wire.open(['10.0.0.1'], port, listener);
    },
  };
});

datagramPortContract('UDP, IPv4 and IPv6 together', () => ({
  address: '127.0.0.1',
  open: onDatagram => openUdpDatagrams({ listen: { host: '::', port: 0 }, onDatagram }),
}));

datagramPortContract('UDP on one address', () => ({
  address: '127.0.0.1',
  open: onDatagram => openUdpDatagrams({ listen: { host: '127.0.0.1', port: 0 }, onDatagram }),
}));

describe('a UDP port', () => {
  it('is reached by IPv4 and IPv6 at one number', async context => {
    if (networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') !== true)
      context.skip('this machine has no IPv6 on its loopback');
    const received: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await using port = await openUdpDatagrams({
      listen: { host: '::', port: 0 },
      onDatagram: (bytes, { address }) => {
        received.push(`${Buffer.from(bytes)} ${address}`);
        if (received.length === 2) resolve();
      },
    });
    await using sender = await openUdpDatagrams({
      listen: { host: '::', port: 0 },
      onDatagram: () => undefined,
    });
    await sender.send(Buffer.from('four'), { address: '127.0.0.1', port: port.port });
    await sender.send(Buffer.from('six'), { address: '::1', port: port.port });
    await promise;
    expect(received.sort()).toEqual(['four 127.0.0.1', 'six ::1']);
  });

  it('that is taken is refused with the code of the system', async () => {
    await using port = await openUdpDatagrams({
      listen: { host: '127.0.0.1', port: 0 },
      onDatagram: () => undefined,
    });
    await expect(
      openUdpDatagrams({ listen: { host: '127.0.0.1', port: port.port }, onDatagram: () => undefined }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('reports with a code where the system cannot send', async () => {
    await using port = await openUdpDatagrams({
      listen: { host: '127.0.0.1', port: 0 },
      onDatagram: () => undefined,
    });
    await expect(
      port.send(Buffer.from('x'), { address: 'fe80::1%nowhere0', port: 9 }),
    ).rejects.toHaveProperty('code');
    await expect(port.send(Buffer.from('x'), { address: '::1', port: 9 })).rejects.toMatchObject({
      code: 'ENETUNREACH',
    });
  });

  it('sends nothing more once it is disposed of', async () => {
    const port = await openUdpDatagrams({
      listen: { host: '127.0.0.1', port: 0 },
      onDatagram: () => undefined,
    });
    const { port: number } = port;
    await port[Symbol.asyncDispose]();
    await expect(port.send(Buffer.from('x'), { address: '127.0.0.1', port: number })).rejects.toThrow();
  });
});
