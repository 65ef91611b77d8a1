// The composition root: constructs every part, ties them together, and takes them down in the opposite order. Nothing is
// decided here; what happens between two parts is in one of them.

import { unlink } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import type { HomeNotice } from '../config/home.ts';
import { HomeError, homeFiles, openHome } from '../config/home.ts';
import type { Fact } from '../core/event-kinds.ts';
import { forgetNode } from '../core/node/forget.ts';
import { errorCode } from '../core/problem.ts';
import { platformGatherers } from '../gather/platform-gatherers.ts';
import { runGatherers } from '../gather/run-gatherers.ts';
import { removeUnfinished } from '../process/atomic-file.ts';
import { openAccessToken } from './access-token.ts';
import { Cluster } from './cluster.ts';
import { configGatherer } from './config-gatherer.ts';
import { DaemonError } from './daemon-error.ts';
import { writeDaemonFile } from './daemon-file.ts';
import type { Daemon, DaemonOptions } from './daemon-options.ts';
import { dashboardUrl } from './dashboard-url.ts';
import { EventRecorder, JOURNAL_RETRY_MS } from './event-recorder.ts';
import { every } from './every.ts';
import { endWithFarewell } from './farewell.ts';
import { FirstReadings } from './first-readings.ts';
import { lockHome } from './home-lock.ts';
import { watchHome } from './home-watch.ts';
import { Access } from './http/access.ts';
import { httpUrl, MachineAddresses } from './http/host.ts';
import { HTTP_LIMITS } from './http/http-options.ts';
import type { HttpServer } from './http/http-server.ts';
import { createHttpServer } from './http/http-server.ts';
import type { Listening } from './http/listen.ts';
import { HttpServerError } from './http/listen.ts';
import { Lifetimes } from './lifetimes.ts';
import { LiveConfig } from './live-config.ts';
import type { DaemonMesh, DaemonMeshParts } from './mesh/daemon-mesh.ts';
import { openDaemonMesh } from './mesh/daemon-mesh.ts';
import { closeHeldConnections } from './mesh/mesh-connections.ts';
import { openSimulatedMesh } from './mesh/simulated-mesh.ts';
import { openNodeKey } from './node-key.ts';
import { Notices } from './notices.ts';
import { compactJournal, openDaemonJournal } from './open-journal.ts';
import { daemonProbes, gpuVendorsOf } from './probes/daemon-probes.ts';
import { followRdmaConnections } from './rdma-connections.ts';
import { ReadingRecorder } from './reading-recorder.ts';
import { restore } from './restore.ts';
import { EndpointWatch } from './runners/endpoint-watch.ts';
import { RunDesk } from './runs/run-desk.ts';
import { targetNodeOf } from './runs/target-node.ts';

/** How often the journal is offered to compaction, ms. */
export const COMPACTION_MS = 600_000;

/**
 * Starts a daemon; it runs until the signal aborts or it is disposed of.
 * @throws DaemonError when the home is in use or cannot be used, or the address is taken.
 */
export const startDaemon = async (options: DaemonOptions, signal: AbortSignal): Promise<Daemon> => {
  const { clock, home } = options;
  await using parts = new Lifetimes();
  const notices = new Notices(options.onNotice);
  for (const notice of await usableHome(home)) notices.raise({ ...notice, id: notice.code });
  parts.add(lockHome(home));
  await removeUnfinished(home);

  const key = await openNodeKey(home);
  const settings = await LiveConfig.open(homeFiles(home).config, notices);
  const journal = parts.add(
    openDaemonJournal(home, settings.config.journal, { ownNode: key.nodeId, clock }, notices),
  );
  const cluster = new Cluster();
  for (const reason of restore(journal, cluster, clock).refusals) {
    notices.raise({
      id: 'journal-refused',
      code: 'journal-refused',
      problem: `The journal holds a record that this version cannot read: ${reason}.`,
      advice: '',
    });
  }

  const recorder = new EventRecorder({ key, clock, journal, cluster, notices });
  const { simulation } = options;
  const machineGatherers = () => [
    configGatherer(settings),
    ...platformGatherers({
      ...options,
      plimsollVersion: options.version,
      intervals: settings.config.gather,
      settings: () => ({
        name: options.name ?? settings.config.name,
        ignoredInterfaces: settings.config.network.ignoredInterfaces,
      }),
      onSettings: listener => settings.onChange(listener),
    }),
  ];
  const gatherers = simulation === undefined ? machineGatherers() : [];
  const firstReadings = new FirstReadings(gatherers);

  const addresses = new MachineAddresses(() => clock.nowMs());
  const told = {
    nodeId: key.nodeId,
    clock,
    state: () => cluster.state,
    record: (fact: Fact) => recorder.record(fact),
    isOwnAddress: (address: string) => addresses.has(address),
  };
  const runs = new RunDesk({ ...told, home });
  const endpoints = new EndpointWatch({
    ...told,
    notices,
    endpoints: () => (simulation === undefined ? settings.config.endpoints : []),
    nodeOf: url => targetNodeOf(url, told),
  });
  const mesh = await meshOf(options, settings.config, { key, clock, journal, cluster, recorder, notices });
  if (mesh !== undefined) parts.addAsync(mesh);
  else closeHeldConnections(told, 'there is no mesh');
  const probes =
    options.probes === undefined || simulation !== undefined
      ? undefined
      : daemonProbes({
          ...options,
          ...options.probes,
          ...told,
          random: Math.random,
          config: () => settings.config,
          history: query => journal.history(query),
          past: query => journal.past(query),
          gpuVendors: gpuVendorsOf(gatherers),
          requests: mesh?.requests,
        });
  const desk = probes?.desk ?? simulation?.probes;
  const token = await openAccessToken(home);
  const access = new Access({
    clock,
    token,
    hostNames: settings.config.http.hostNames,
  });
  const server = parts.addAsync(
    createHttpServer({
      nodeId: key.nodeId,
      version: options.version,
      clock,
      cluster: {
        get state() {
          return cluster.state;
        },
        subscribe: (listener, onReplaced) => cluster.subscribe(listener, onReplaced),
        history: cluster.history,
        profileHistory: query =>
          [...(simulation?.history(query) ?? []), ...journal.history(query)].slice(-query.limit),
      },
      runs,
      ...(desk === undefined ? {} : { probes: desk }),
      ...(mesh?.status === undefined ? {} : { mesh: mesh.status }),
      forget: subject => {
        const result = forgetNode(cluster.state, { self: key.nodeId, subject, nowMs: clock.nowMs() });
        if (result.kind === 'forgotten') recorder.record({ kind: 'node.forgotten', payload: result.fact });
        return result;
      },
      dashboardDir: options.dashboardDir,
      access,
      limits: HTTP_LIMITS,
      notices: () => notices.all,
      resources: options.resources,
      home,
      logger: {
        warn: problem => notices.raise({ id: 'http-failed', code: 'http-failed', problem, advice: '' }),
      },
    }),
  );
  const listening = await listen(server, options, settings.config);
  if (listening.notice !== undefined) notices.raise(listening.notice);
  const url = httpUrl(listening);
  const daemonFile = homeFiles(home).daemon;
  await writeDaemonFile(daemonFile, {
    url,
    token,
    pid: options.pid,
    startedAtWallMs: clock.wallMs(),
    nodeId: key.nodeId,
    version: options.version,
  });
  parts.defer(() => removeIfThere(daemonFile));

  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const silence = new AbortController();
  const replicating = mesh?.replicate(silence.signal) ?? Promise.resolve();
  const work = Promise.all([
    mesh?.run(until),
    runGatherers(gatherers, {
      clock,
      signal: until,
      sink: new ReadingRecorder({
        nodeId: key.nodeId,
        clock,
        state: () => cluster.state,
        record: fact => recorder.record(fact),
        onTold: told => firstReadings.told(told),
      }),
    }),
    simulation?.run((fact, ageMs) => recorder.record(fact, ageMs), until),
    settings.follow(clock, until),
    simulation === undefined ? followRdmaConnections(told, until) : undefined,
    runs.follow(until),
    probes?.run(until),
    endpoints.run(until),
    watchHome({ home, clock, notices }, until),
    every(JOURNAL_RETRY_MS, () => recorder.retry(), { clock, until }),
    every(COMPACTION_MS, () => compactJournal(journal, notices), { clock, until }),
  ]);
  // One part that fails in a way nobody foresaw stops the daemon: half a daemon would look alive.
  for (const part of [replicating, work]) part.catch(() => stop.abort());
  const owned = parts.move();
  const stopped = (async () => {
    try {
      await endWithFarewell({ ...told, work, replicating, silence });
    } finally {
      await owned[Symbol.asyncDispose]();
    }
  })();
  return {
    nodeId: key.nodeId,
    url,
    meshAddress: mesh?.listensOn,
    dashboardUrl: dashboardUrl(listening, () => access.issueCode()),
    get notices() {
      return notices.all;
    },
    get state() {
      return cluster.state;
    },
    nowMs: () => clock.nowMs(),
    whenFirstReadings: waitSignal => firstReadings.wait(AbortSignal.any([waitSignal, until])),
    stopped,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await stopped;
    },
  };
};

const usableHome = async (home: string): Promise<readonly HomeNotice[]> => {
  try {
    return (await openHome(home)).notices;
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    throw new DaemonError({ ...error.problem, code: 'home-unusable' }, { cause: error });
  }
};

const meshOf = async (
  { home, version, simulation, mesh = { keyFile: undefined, listen: undefined, peers: [] } }: DaemonOptions,
  { mesh: config, network }: Config,
  parts: Pick<DaemonMeshParts, 'key' | 'clock' | 'journal' | 'cluster' | 'recorder' | 'notices'>,
): Promise<DaemonMesh | undefined> => {
  if (simulation !== undefined)
    return await openSimulatedMesh(simulation, { ...parts, plimsollVersion: version });
  if (mesh.listen === 'off') return undefined;
  const address: Config['mesh']['listen'] =
    mesh.listen === undefined ? config.listen : { ...mesh.listen, kind: 'listen', isExplicit: true };
  if (address.kind === 'off') return undefined;
  return await openDaemonMesh({
    ...parts,
    home,
    plimsollVersion: version,
    keyFile: mesh.keyFile,
    listen: address,
    peers: [...config.peers, ...mesh.peers],
    discovery: mesh.discovery ?? config.discovery,
    ignoredInterfaces: network.ignoredInterfaces,
  });
};

const listen = async (server: HttpServer, { http }: DaemonOptions, config: Config): Promise<Listening> => {
  const { host, port, isExplicit } = http === undefined ? config.http.listen : { ...http, isExplicit: true };
  try {
    return await server.listen({ host, port, isExplicitPort: isExplicit });
  } catch (error) {
    if (!(error instanceof HttpServerError)) throw error;
    throw new DaemonError({ ...error.problem, code: 'address-in-use' }, { cause: error });
  }
};

const removeIfThere = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};
