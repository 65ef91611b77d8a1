// The mesh of a simulated node: real replication over a given transport in memory. It does no discovery, checks no
// address and measures nothing, so no packet leaves this process.

import { Replicator } from '../../mesh/replication/replicator.ts';
import type { SimulatedMachinePart } from '../daemon-options.ts';
import { clusterReplicaStore } from './cluster-replica-store.ts';
import type { DaemonMesh } from './daemon-mesh.ts';
import type { DaemonMeshParts } from './daemon-mesh-parts.ts';

type SimulatedMeshParts = Pick<
  DaemonMeshParts,
  'key' | 'clock' | 'journal' | 'cluster' | 'recorder' | 'plimsollVersion'
>;

export const openSimulatedMesh = async (
  simulation: SimulatedMachinePart,
  parts: SimulatedMeshParts,
): Promise<DaemonMesh> => {
  const { key, clock, journal, plimsollVersion } = parts;
  const stop = new AbortController();
  const transport = simulation.transport(key, journal.startNumber);
  await transport.listen();
  const replicator = new Replicator({
    mesh: transport,
    store: clusterReplicaStore({ ...parts, nodeId: key.nodeId }),
    clock,
    publicKey: key.publicKey,
    sign: bytes => key.sign(bytes),
    plimsollVersion,
  });
  const mesh = {
    listensOn: transport.listensOn,
    service: undefined,
    connections: undefined,
    requests: undefined,
    status: undefined,
    replicate: (signal: AbortSignal) => replicator.run(signal),
    run: async () => transport.start(stop.signal),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await transport[Symbol.asyncDispose]();
    },
  };
  return mesh;
};
