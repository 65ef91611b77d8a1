// A simulated cluster around one real daemon: the daemon plays the first machine, every other one speaks to it over a mesh in
// memory, and what it serves is a real dashboard of made-up figures.

import type { NodeId } from '../../core/ids.ts';
import { activityOn } from '../../core/probe/activity.ts';
import type { State } from '../../core/state.ts';
import { MemoryNetwork } from '../../mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../mesh/mesh.ts';
import type { ToldFact } from '../../simulate/node-telling.ts';
import { scenarioOfSize } from '../../simulate/scenario/scenario-of-size.ts';
import type { SeededNodeKey } from '../../simulate/seeded-node-key.ts';
import { seededNodeKeys } from '../../simulate/seeded-node-key.ts';
import { SimulatedPeer } from '../../simulate/simulated-peer.ts';
import { Simulation } from '../../simulate/simulation.ts';
import { startDaemon } from '../daemon.ts';
import type { Daemon, DaemonOptions } from '../daemon-options.ts';
import { Lifetimes } from '../lifetimes.ts';
import { openDemoHome } from './demo-home.ts';
import { simulatedProbes } from './simulated-probes.ts';

export interface DemoOptions extends Omit<DaemonOptions, 'home' | 'mesh' | 'simulation'> {
  readonly nodeCount: number;
  readonly seed: number;
  readonly temporaryFolder: string;
  readonly isAlive: (pid: number) => boolean;
}

export interface Demo extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly home: string;
  readonly scenarioName: string;
}

/** Runs until the signal aborts or it is disposed of. @throws DaemonError as `startDaemon` does. */
export const startDemo = async (options: DemoOptions, signal: AbortSignal): Promise<Demo> => {
  const { nodeCount, seed, clock, version } = options;
  await using parts = new Lifetimes();
  const scenario = scenarioOfSize(nodeCount);
  const keys = seededNodeKeys(seed, nodeCount);
  const [own, ...others] = keys;
  if (own === undefined) throw new RangeError('a demo has at least one node');
  const home = parts.addAsync(await openDemoHome({ ...options, nodeKeyPem: own.pem }));
  const network = new MemoryNetwork(clock);
  const peers = new Map<NodeId, SimulatedPeer>();
  const peersReady = Promise.withResolvers<void>();
  let seen: (() => State) | undefined;
  let recordOwn: ((told: ToldFact) => void) | undefined;
  const simulation = new Simulation({
    scenario,
    nodeIds: keys.map(({ nodeId }) => nodeId),
    seed,
    clock,
    plimsollVersion: version,
    ...(nodeCount <= PAST_NODES_MAX ? { pastStepSeconds: PAST_STEP_SECONDS } : {}),
    activity: node =>
      seen === undefined ? undefined : activityOn(seen(), node, clock.nowMs(), { ignoresGpuLoad: true }),
    tell: (node, facts) => {
      if (node === own.nodeId) for (const told of facts) recordOwn?.(told);
      else peers.get(node)?.tell(facts);
    },
  });
  const daemon = await startDaemon(
    {
      ...options,
      home: home.path,
      simulation: {
        probes: simulatedProbes(
          simulation,
          keys.map(({ nodeId }) => nodeId),
        ),
        transport: (identity, start) => network.transport({ name: own.nodeId, identity, start }),
        run: async (record, until) => {
          recordOwn = ({ fact, ageMs }) => record(fact, ageMs);
          await peersReady.promise;
          await simulation.run(until);
        },
      },
    },
    signal,
  );
  parts.addAsync(daemon);
  seen = () => daemon.state;
  const start = Math.floor(clock.wallMs());
  const fleet = keys.map(({ nodeId }) => nodeId);
  const transports = others.map(key => transportOf(network, key, start));
  for (const [index, transport] of transports.entries()) {
    const identity = others[index];
    if (identity === undefined) continue;
    parts.addAsync(transport);
    const peer = new SimulatedPeer({
      identity,
      transport,
      clock,
      epoch: start,
      start,
      fleet,
      plimsollVersion: version,
    });
    peers.set(identity.nodeId, peer);
    await transport.start(signal);
    // Without the id of who listens there: the greater of two would leave the first dial to the other for seconds.
    transport.addCandidate({ address: own.nodeId, port: MEMORY_PORT, source: 'static' });
  }
  peersReady.resolve();
  const owned = parts.move();
  return {
    daemon,
    home: home.path,
    scenarioName: scenario.name,
    [Symbol.asyncDispose]: async () => {
      peersReady.resolve();
      await owned[Symbol.asyncDispose]();
    },
  };
};

const transportOf = (network: MemoryNetwork, identity: SeededNodeKey, start: number): MeshTransport =>
  network.transport({ name: identity.nodeId, identity, start });

const MEMORY_PORT = 4_181;
/** More nodes than these begin without the quarter of an hour before: a page should be there at once. */
const PAST_NODES_MAX = 16;
const PAST_STEP_SECONDS = 5;
