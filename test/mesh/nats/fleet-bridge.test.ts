import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { createMemoryDisk } from '../../../src/journal/memory-journal.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { EVENT_STREAM, FleetSubjects } from '../../../src/mesh/nats/fleet-subjects.ts';
import { REPLICATION_LIMITS } from '../../../src/mesh/replication/limits.ts';
import { decodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { FLEET_TEST_CLUSTER, type FleetNode, fleetNode } from '../../support/fleet-nodes.ts';
import { MeshNode } from '../../support/mesh-node.ts';
import { WiredLink, WiredMesh } from '../../support/mesh-wires.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';

test('a mesh with two bridges to a fleet is one cluster: everything reaches everybody, and each record enters the fleet once', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  await using server = await NatsServer.start();
  await using site = await bridgedSite(server);
  const { inner, bridge, other, far, nodes } = site;
  await far.until(() => far.fleet.members.nodes.size === 2);
  // Before that a bridge does not know that another one is there.
  await bridge.until(() => site.hasReceived(inner, bridge.fleet.localId, site.fleetId));
  await bridge.until(() => site.hasReceived(inner, other.fleet.localId, site.fleetId));
  await bridge.until(() => site.hasReceived(bridge.node, other.fleet.localId, inner.id));
  await bridge.until(() => site.hasReceived(other.node, bridge.fleet.localId, inner.id));
  for (let round = 0; round < 5; round += 1) {
    for (const node of nodes) {
      node.open(`round ${round}`);
      node.reportMemory(round);
    }
    await far.until(() =>
      nodes.every(node => nodes.every(of => node.connectionsOf(of.id).length === round + 1)),
    );
  }
  await far.until(() => nodes.every(node => nodes.every(of => node.memoryOf(of.id)?.availableBytes === 4)));
  for (const { replicator } of nodes)
    expect(replicator.counts).toMatchObject({ forged: 0, malformedFrames: 0 });
  expect(await eventCount(server)).toBe(4 * 5);
});

test('what a mesh recorded before any of it met the fleet enters it once, by one of its bridges', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  await using server = await NatsServer.start();
  await using site = await bridgedSite(server, () => server.kill());
  const { inner, bridge, other, far } = site;
  for (const name of ['a', 'b', 'c']) inner.open(name);
  for (const { node, until } of [bridge, other]) await until(() => node.connectionsOf(inner.id).length === 3);
  await server.run();
  await far.until(() => far.node.connectionsOf(inner.id).length === 3);
  inner.open('d');
  await far.until(() => far.node.connectionsOf(inner.id).length === 4);
  // Three in one message, or each in one of its own, and then the fourth: never twice.
  expect(await eventCount(server)).toBeLessThanOrEqual(4);
});

interface Site extends AsyncDisposable {
  /** In the mesh alone, and linked with both bridges. */
  readonly inner: MeshNode;
  readonly bridge: FleetNode;
  readonly other: FleetNode;
  /** In the fleet alone. */
  readonly far: FleetNode;
  readonly nodes: readonly MeshNode[];
  readonly fleetId: NodeId;
  /** Whether a node of the mesh received from another one that this one is its neighbour. */
  hasReceived(node: MeshNode, from: NodeId, neighbour: NodeId): boolean;
}

/** `prepared`: its nodes have their streams, and do not run yet. */
const bridgedSite = async (
  server: NatsServer,
  prepared: () => Promise<void> = async () => undefined,
): Promise<Site> => {
  const options = { keys: [makeClusterKey()], servers: [server.url] };
  const innerKey = generateNodeKey();
  const [bridgeKey, otherKey, farKey] = [
    await server.addNode(),
    await server.addNode(),
    await server.addNode(),
  ];
  await prepared();
  const [innerMesh, bridgeMesh, otherMesh] = [
    new WiredMesh(innerKey.nodeId),
    new WiredMesh(bridgeKey.nodeId),
    new WiredMesh(otherKey.nodeId),
  ];
  const received = new Set<string>();
  for (const mesh of [innerMesh, bridgeMesh, otherMesh])
    mesh.onLink(link =>
      link.onFrame(frame => {
        const decoded = decodeMeshMessage(frame);
        if (decoded.kind !== 'message' || decoded.message.kind !== 'neighbours') return;
        for (const node of decoded.message.added) received.add(`${mesh.localId} ${link.peerId} ${node}`);
      }),
    );
  const inner = new MeshNode({
    key: innerKey,
    disk: createMemoryDisk(),
    clock: systemClock,
    mesh: innerMesh,
    limits: { ...REPLICATION_LIMITS, digestIntervalMs: 250, neighbourDebounceMs: 50 },
  });
  const bridge = fleetNode({ ...options, key: bridgeKey, mesh: bridgeMesh });
  const other = fleetNode({ ...options, key: otherKey, mesh: otherMesh });
  const far = fleetNode({ ...options, key: farKey });
  wire([innerKey, innerMesh], [bridgeKey, bridgeMesh]);
  wire([innerKey, innerMesh], [otherKey, otherMesh]);
  wire([bridgeKey, bridgeMesh], [otherKey, otherMesh]);
  return {
    inner,
    bridge,
    other,
    far,
    nodes: [inner, bridge.node, other.node, far.node],
    fleetId: new FleetSubjects(FLEET_TEST_CLUSTER, innerKey.nodeId).fleetId,
    hasReceived: (node, from, neighbour) => received.has(`${node.id} ${from} ${neighbour}`),
    [Symbol.asyncDispose]: async () => {
      for (const node of [far, other, bridge]) await node[Symbol.asyncDispose]();
      await inner.stop();
    },
  };
};

const wire = (one: readonly [NodeKey, WiredMesh], other: readonly [NodeKey, WiredMesh]): void => {
  const [a, b] = WiredLink.pair(
    { localId: one[0].nodeId, publicKey: one[0].publicKey },
    { localId: other[0].nodeId, publicKey: other[0].publicKey },
  );
  // Each end is named for the node at the other one.
  one[1].meet(a);
  other[1].meet(b);
};

const eventCount = async (server: NatsServer): Promise<number> => {
  const connection = await connect({ servers: `127.0.0.1:${server.port}` });
  const { state } = await (await jetstreamManager(connection)).streams.info(EVENT_STREAM);
  await connection.close();
  return state.messages;
};
