// The composition root: constructs every part, connects them, and stops them in reverse order. No decisions are made
// here; what happens between two parts is in one of them.

import type { Config } from '../config/config.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { IsChosenPeer } from '../core/link/link-view.ts';
import type { State } from '../core/state.ts';
import { MeasuredPeers } from '../probe/schedule/measured-peers.ts';
import { AgentQueries } from './agent-queries.ts';
import { AgentServer } from './agent-server.ts';
import type { Daemon, DaemonOptions } from './daemon-options.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { JOURNAL_RETRY_MS } from './event-recorder.ts';
import { every } from './every.ts';
import { watchHome } from './home-watch.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { Lifetimes } from './lifetimes.ts';
import { type OwnNode, openOwnNode } from './local-node.ts';
import { ClusterLog } from './log/cluster-log.ts';
import { LifeLog } from './log/life-log.ts';
import type { DaemonMesh } from './mesh/daemon-mesh.ts';
import { Joining } from './mesh/joining.ts';
import { Membership } from './mesh/membership.ts';
import { closeOpenConnections } from './mesh/mesh-connections.ts';
import { openSimulatedMesh } from './mesh/simulated-mesh.ts';
import { Notifier } from './notify/notifier.ts';
import { compactJournal } from './open-journal.ts';
import { TelemetryExport } from './otlp/telemetry-export.ts';
import { type OwnReadings, ownReadings } from './own-readings.ts';
import { openOwnServer } from './own-server.ts';
import { type DaemonProbes, daemonProbes } from './probes/daemon-probes.ts';
import { followRdmaConnections } from './rdma-connections.ts';
import { Readiness } from './readiness.ts';
import { COMPARISON_DOCUMENT } from './runs/comparison-kind.ts';
import { DocumentRegistry } from './runs/document-registry.ts';
import { PLAIN_DOCUMENT } from './runs/plain-kind.ts';
import { RunComparisons } from './runs/run-comparisons.ts';
import { RunRegistry } from './runs/run-registry.ts';
import { sweepKind } from './runs/sweep-kind.ts';
import { targetNodeOf } from './runs/target-node.ts';

/** How often the journal is offered to compaction, ms. */
const COMPACTION_MS = 600_000;

/**
 * Starts a daemon; it runs until the signal aborts or it is disposed of.
 * @throws DaemonError when the home is in use or cannot be used, or the address is taken.
 */
export const startDaemon = async (options: DaemonOptions, signal: AbortSignal): Promise<Daemon> => {
  const { clock, home, simulation } = options;
  await using lifetimes = new Lifetimes();
  const node = await openOwnNode(options, lifetimes);
  const { journal, log, notices, recorder, settings, localNode } = node;
  const readings = ownReadings(options, node);
  const runs = new RunRegistry({ ...localNode, home });
  const registries = {
    runs,
    sweeps: new DocumentRegistry(sweepKind(runs), { ...localNode, home }),
    comparing: new DocumentRegistry(COMPARISON_DOCUMENT, { ...localNode, home }),
    documents: new DocumentRegistry(PLAIN_DOCUMENT, { ...localNode, home }),
  };
  const comparisons = new RunComparisons({
    clock,
    home,
    version: options.version,
    directoryOf: runId => runs.directoryOf(runId),
  });
  const endpoints = new EndpointWatch({
    ...localNode,
    notices,
    endpoints: () => (simulation === undefined ? settings.config.endpoints : []),
    nodeOf: url => targetNodeOf(url, localNode),
  });
  const peers = new MeasuredPeers(localNode);
  const isChosen = (id: NodeId): boolean => peers.isChosen(id);
  const mesh = await meshOf(options, node, isChosen);
  if (mesh !== undefined) lifetimes.addAsync(mesh);
  else closeOpenConnections(localNode, 'the mesh is switched off');
  const probes = probesOf(options, { node, readings, mesh, peers });
  const requested = probes?.requests ?? simulation?.probes;
  const agents = agentsOf(options, { node, mesh });
  const telemetry = new TelemetryExport({
    ...localNode,
    notices,
    version: options.version,
    settings,
    endpoint: options.otlpEndpoint,
  });
  const notifier = new Notifier({
    ...localNode,
    notices,
    settings,
    webhooks: () => (simulation === undefined ? settings.config.webhooks : []),
  });
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const readiness = new Readiness({
    clock,
    stop: until,
    missingReadings: () => readings.missing(),
    whenFirst: waitSignal => readings.whenFirst(waitSignal),
  });
  const served = {
    readiness,
    ...registries,
    comparisons,
    otlp: () => telemetry.status,
    webhooks: () => notifier.status,
    ...(options.jobs === undefined
      ? {}
      : { jobs: lifetimes.addAsync(new JobRunner({ ...options.jobs, home })) }),
    ...(requested === undefined ? {} : { probes: requested }),
    ...(agents === undefined ? {} : { agents: agents.requests }),
    ...(mesh?.status === undefined ? {} : { mesh: mesh.status }),
    ...(mesh instanceof Membership
      ? { joining: new Joining({ ...localNode, home, keyFile: options.mesh?.keyFile, membership: mesh }) }
      : {}),
  };
  const server = await openOwnServer(options, node, served, lifetimes);
  const life = new LifeLog({ ...localNode, log, home, version: options.version, pid: options.pid });
  life.started({ http: server.url, mesh: mesh?.listensOn });
  const silence = new AbortController();
  const replicating = mesh?.replicate(silence.signal) ?? Promise.resolve();
  const work = Promise.all([
    mesh?.run(until),
    readings.run(until),
    simulation?.run((fact, ageMs) => recorder.record(fact, ageMs), until),
    settings.follow(clock, until),
    simulation === undefined ? followRdmaConnections({ ...localNode, isChosen }, until) : undefined,
    ...Object.values(registries).map(registry => registry.follow(until)),
    probes?.run(until),
    agents?.server.run(until),
    endpoints.run(until),
    telemetry.run(until),
    notifier.run(until),
    watchHome({ home, clock, notices }, until),
    new ClusterLog({ ...localNode, log }).run(until),
    readiness.whenReady().then(() => life.ready(until)),
    every(JOURNAL_RETRY_MS, () => recorder.retry(), { clock, until }),
    every(COMPACTION_MS, () => compactJournal(journal, notices), { clock, until }),
  ]);
  // If a part fails unexpectedly the daemon stops: half a daemon would look healthy.
  for (const part of [replicating, work])
    part.catch(error => {
      life.failed(error);
      stop.abort();
    });
  until.addEventListener('abort', () => life.stopped(until.reason), { once: true });
  if (until.aborted) life.stopped(until.reason);
  const owned = lifetimes.move();
  const stopped = (async () => {
    try {
      await shutDownGracefully({ ...localNode, work, replicating, silence });
    } finally {
      await owned[Symbol.asyncDispose]();
    }
  })();
  return {
    nodeId: localNode.nodeId,
    log,
    ...server,
    get meshAddress() {
      return mesh?.listensOn;
    },
    get notices() {
      return notices.all;
    },
    get state() {
      return localNode.state();
    },
    nowMs: () => clock.nowMs(),
    whenFirstReadings: waitSignal => readings.whenFirst(AbortSignal.any([waitSignal, until])),
    stopped,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('it was closed by the process that runs it'));
      await stopped;
    },
  };
};

const meshOf = async (
  { home, version, simulation, mesh = { keyFile: undefined, listen: undefined, peers: [] } }: DaemonOptions,
  node: OwnNode,
  isChosen: IsChosenPeer,
): Promise<Membership | DaemonMesh | undefined> => {
  const parts = { ...node, clock: node.localNode.clock, plimsollVersion: version };
  if (simulation !== undefined) return await openSimulatedMesh(simulation, parts);
  if (mesh.listen === 'off') return undefined;
  const { mesh: config, network }: Config = node.settings.config;
  const address: Config['mesh']['listen'] =
    mesh.listen === undefined ? config.listen : { ...mesh.listen, kind: 'listen', isExplicit: true };
  if (address.kind === 'off') return undefined;
  return await Membership.open({
    ...parts,
    home,
    keyFile: mesh.keyFile,
    listen: address,
    peers: [...config.peers, ...mesh.peers],
    discovery: mesh.discovery ?? config.discovery,
    ignoredInterfaces: network.ignoredInterfaces,
    fleet: node.settings.config.fleet,
    isChosen,
  });
};

const probesOf = (
  options: DaemonOptions,
  {
    node: { journal, settings, localNode },
    readings,
    mesh,
    peers,
  }: {
    readonly node: OwnNode;
    readonly readings: OwnReadings;
    readonly mesh: Pick<DaemonMesh, 'requests'> | undefined;
    readonly peers: MeasuredPeers;
  },
): DaemonProbes | undefined => {
  if (options.probes === undefined || options.simulation !== undefined) return undefined;
  return daemonProbes({
    ...options,
    ...options.probes,
    ...localNode,
    random: Math.random,
    config: () => settings.config,
    history: query => journal.history(query),
    past: query => journal.past(query),
    gpuVendors: readings.gpuVendors,
    requests: mesh?.requests,
    peers,
  });
};

/** A simulated machine has nothing to load with. */
const agentsOf = (
  { probes, simulation, env, home, version }: DaemonOptions,
  {
    node: { settings, localNode },
    mesh,
  }: { readonly node: OwnNode; readonly mesh: Pick<DaemonMesh, 'requests'> | undefined },
): { readonly server: AgentServer; readonly requests: AgentQueries } | undefined => {
  if (probes === undefined || simulation !== undefined) return undefined;
  const requests = mesh?.requests;
  const server = new AgentServer({
    ...localNode,
    home,
    env,
    nodePath: probes.nodePath,
    version,
    config: () => settings.config.bench,
    nodeOf: url => targetNodeOf(url, localNode),
    requests,
  });
  return { server, requests: new AgentQueries({ ...localNode, own: server, requests }) };
};

// How a daemon that is asked to stop ends: its parts first, then its last event, then the replication that carries it.
// One that ends for another reason sends nothing, and others see silence.
interface ShutdownParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Ends when the daemon is stopped; rejects if a part failed. */
  readonly work: Promise<unknown>;
  /** Ends when `silence` aborts. */
  readonly replicating: Promise<void>;
  readonly silence: AbortController;
}

/** @throws what `work` or `replicating` rejected with. */
const shutDownGracefully = async (parts: ShutdownParts): Promise<void> => {
  const { nodeId, state, record, work, replicating, silence } = parts;
  try {
    await work;
    const written = state().origins[nodeId];
    record({
      kind: 'node.stopping',
      payload: { durableEpoch: written?.epoch ?? 0, durableSeq: written?.seq ?? 0 },
    });
  } finally {
    silence.abort();
    await replicating;
  }
};
