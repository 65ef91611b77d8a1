// Networks for the contract of events and requests (test/contract/exchange-contract.ts): pairs of links in memory or over TLS,
// and a fleet on a real server.

import { systemClock } from '../../src/clock/system-clock.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { MeshRequests } from '../../src/mesh/mesh-requests.ts';
import type { NatsFleet } from '../../src/mesh/nats/nats-fleet.ts';
import { TlsMesh } from '../../src/mesh/tls/tls-mesh.ts';
import type { ExchangeNetwork, ExchangeNode, ExchangeNodeOptions } from '../contract/exchange-contract.ts';
import { openFleetNode, QUICK } from './fleet-nodes.ts';
import { MeshNode } from './mesh-node.ts';
import type { NatsServer } from './nats-server.ts';
import { tcpCable } from './tcp-cable.ts';

type PairOptions = Pick<ExchangeNodeOptions, 'key' | 'start'>;

/** Every pair of nodes is linked by a cable of its own. */
const pairedNetwork = (wires: {
  transport(options: PairOptions): MeshTransport;
  connect(dialler: MeshTransport, listener: MeshTransport): Promise<void>;
  cut(one: MeshTransport, other: MeshTransport): void;
  heal(one: MeshTransport, other: MeshTransport): void;
  end(): Promise<void>;
}): ExchangeNetwork => {
  const transports = new Map<ExchangeNode, MeshTransport>();
  const others = (one: ExchangeNode) =>
    [...transports].filter(([other]) => other !== one).map(([, of]) => of);
  const of = (one: ExchangeNode): MeshTransport => {
    const transport = transports.get(one);
    if (transport === undefined) throw new Error('it does not run');
    return transport;
  };
  return {
    start: async options => {
      const stop = new AbortController();
      const transport = wires.transport(options);
      const node = new MeshNode({ ...options, clock: systemClock, mesh: transport, limits: QUICK });
      const requests = new MeshRequests({ mesh: transport, clock: systemClock });
      const serving = requests.run(stop.signal);
      const one: ExchangeNode = {
        node,
        requests,
        stop: async () => {
          transports.delete(one);
          stop.abort();
          await transport[Symbol.asyncDispose]();
          await Promise.all([serving, node.stop()]);
        },
      };
      await transport.start(stop.signal);
      const wanted = others(one);
      const met = linkedTo(transport, wanted);
      for (const other of wanted) await wires.connect(transport, other);
      transports.set(one, transport);
      await met;
      return one;
    },
    cut: one => {
      for (const other of others(one)) wires.cut(of(one), other);
    },
    heal: one => {
      for (const other of others(one)) wires.heal(of(one), other);
    },
    [Symbol.asyncDispose]: () => wires.end(),
  };
};

export const memoryExchange = async (): Promise<ExchangeNetwork> => {
  const network = new MemoryNetwork(systemClock);
  let names = 0;
  return pairedNetwork({
    transport: ({ key, start }) => {
      names += 1;
      return network.transport({ name: `n${names}`, identity: key, start });
    },
    connect: async (dialler, listener) => network.connect(dialler, listener),
    cut: (one, other) => network.cut(one, other),
    heal: (one, other) => network.heal(one, other),
    end: async () => undefined,
  });
};

export const tlsExchange = async (): Promise<ExchangeNetwork> => {
  const keys = [makeClusterKey()];
  const cables: {
    readonly ends: readonly MeshTransport[];
    readonly cable: Awaited<ReturnType<typeof tcpCable>>;
  }[] = [];
  const between = (one: MeshTransport, other: MeshTransport) =>
    cables.filter(({ ends }) => ends.includes(one) && ends.includes(other)).map(({ cable }) => cable);
  return pairedNetwork({
    transport: ({ key, start }) =>
      new TlsMesh({
        identity: key,
        start,
        keys,
        listen: { host: '127.0.0.1', port: 0 },
        clock: systemClock,
        random: Math.random,
      }),
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
    end: async () => {
      for (const { cable } of cables) await cable[Symbol.asyncDispose]();
    },
  });
};

/** The server is the test's: one for many networks, each with a cluster of its own. */
export const natsExchange = (server: NatsServer): ExchangeNetwork => {
  const keys = [makeClusterKey()];
  const cluster = `c${Math.random().toString(36).slice(2, 10)}`;
  const fleets = new Map<
    ExchangeNode,
    { readonly fleet: NatsFleet; readonly cable: Awaited<ReturnType<typeof tcpCable>> }
  >();
  return {
    start: async ({ key, disk, start }) => {
      const stop = new AbortController();
      await server.createStreams({ cluster, nodes: [key.nodeId] });
      const cable = await tcpCable(server.port);
      const servers = [`nats://127.0.0.1:${cable.port}`];
      const { node, fleet } = openFleetNode({ key, disk, start, keys, cluster, servers });
      const requests = new MeshRequests({ mesh: fleet.requestLinks, clock: systemClock });
      const serving = requests.run(stop.signal);
      let running: Promise<void> | undefined;
      const one: ExchangeNode = {
        node,
        requests,
        stop: async () => {
          fleets.delete(one);
          await fleet[Symbol.asyncDispose]();
          stop.abort();
          await Promise.all([serving, running, node.stop()]);
          await cable[Symbol.asyncDispose]();
        },
      };
      const met = Promise.all([
        upOf(fleet),
        ...[...fleets.values()].flatMap(({ fleet: other }) => [
          linkedTo(fleet.requestLinks, [other]),
          linkedTo(other.requestLinks, [fleet]),
        ]),
      ]);
      running = fleet.run(stop.signal);
      fleets.set(one, { fleet, cable });
      await met;
      return one;
    },
    cut: one => fleets.get(one)?.cable.cut(),
    heal: one => fleets.get(one)?.cable.heal(),
    [Symbol.asyncDispose]: async () => undefined,
  };
};

const upOf = (fleet: NatsFleet): Promise<void> =>
  new Promise((resolve, reject) => {
    fleet.onLink(() => resolve());
    fleet.onStanding(standing => {
      if (standing.kind === 'failed') reject(new Error(standing.problem.problem));
    });
  });

const linkedTo = async (
  transport: Pick<MeshTransport, 'links' | 'onLink'>,
  others: readonly { readonly localId: NodeId }[],
): Promise<void> => {
  const isDone = (): boolean => others.every(({ localId }) => transport.links.has(localId));
  if (isDone()) return;
  await new Promise<void>(resolve => {
    const end = transport.onLink(() => {
      if (!isDone()) return;
      end();
      resolve();
    });
  });
};
