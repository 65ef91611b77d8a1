import { systemClock } from '../../../src/clock/system-clock.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import type { MeshTransport } from '../../../src/mesh/mesh.ts';
import { TlsMesh } from '../../../src/mesh/tls/tls-mesh.ts';
import { describeMesh, type MeshNetwork } from '../../contract/mesh-contract.ts';
import { type TcpCable, tcpCable } from '../../support/tcp-cable.ts';

const tlsMesh = (): MeshNetwork => {
  const keys = [makeClusterKey()];
  const cables: { readonly ends: readonly MeshTransport[]; readonly cable: TcpCable }[] = [];
  const between = (one: MeshTransport, other: MeshTransport) =>
    cables.filter(({ ends }) => ends.includes(one) && ends.includes(other)).map(({ cable }) => cable);
  return {
    transport: ({ identity, start, limits }) => {
      const listen = { host: '127.0.0.1', port: 0 };
      return new TlsMesh({ identity, start, keys, listen, limits, clock: systemClock, random: Math.random });
    },
    connect: async (dialler, listener) => {
      const cable = await tcpCable(listener.listensOn?.port ?? 0);
      cables.push({ ends: [dialler, listener], cable });
      dialler.addCandidate({ address: '127.0.0.1', port: cable.port, source: 'static' });
    },
    cut: (one, other) => {
      for (const cable of between(one, other)) cable.cut();
    },
    heal: (one, other) => {
      for (const cable of between(one, other)) cable.heal();
    },
    crash: transport => {
      for (const { ends, cable } of cables) if (ends.includes(transport)) cable.breakOff();
    },
    pass: () => new Promise(() => undefined),
    openCount: () => cables.reduce((count, { cable }) => count + cable.connectionCount, 0),
    [Symbol.asyncDispose]: async () => {
      for (const { cable } of cables) await cable[Symbol.asyncDispose]();
    },
  };
};

describeMesh('TLS', tlsMesh);
