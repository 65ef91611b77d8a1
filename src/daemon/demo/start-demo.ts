// A simulated cluster around one real daemon: the daemon plays the first machine, every other one is connected to it by a mesh
// in memory, and it serves a real dashboard of simulated figures.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import { type Fact, factKey } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { activityOn } from '../../core/probe/activity.ts';
import type { State } from '../../core/state.ts';
import type { Sweep } from '../../core/sweep/sweep.ts';
import { encodeHourlySummary, summarizeHour } from '../../journal/hourly-summary.ts';
import { type HistoryQuery, type HistoryRow, JOURNAL_LIMITS } from '../../journal/journal.ts';
import type { SimulatedFact } from '../../simulate/node-reporting.ts';
import { pastLineDocument } from '../../simulate/past-lines.ts';
import type { Scenario } from '../../simulate/scenario/scenario.ts';
import { seededNodeKeys } from '../../simulate/seeded-node-key.ts';
import { Simulation } from '../../simulate/simulation.ts';
import { encodeRecordBody } from '../../wire/durable-record.ts';
import { sweepDocumentToJson } from '../../wire/stored-json.ts';
import { startDaemon } from '../daemon.ts';
import type { Daemon, DaemonOptions } from '../daemon-options.ts';
import { Lifetimes } from '../lifetimes.ts';
import { isMeantBy, type ProbeRequestServer } from '../probes/probe-request-server.ts';
import { DemoFleet, storeSeenBefore } from './demo-fleet.ts';
import { openDemoHome } from './demo-home.ts';
import { withPastFiles } from './past-run-files.ts';
import { RunningLine } from './running-line.ts';

interface DemoOptions extends Omit<DaemonOptions, 'home' | 'mesh' | 'simulation'> {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly temporaryFolder: string;
}

export interface Demo extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly home: string;
  readonly scenarioName: string;
}

/** Runs until the signal aborts or it is disposed of. @throws DaemonError as `startDaemon` does. */
export const startDemo = async (options: DemoOptions, signal: AbortSignal): Promise<Demo> => {
  const { scenario, seed, clock, version } = options;
  const nodeCount = scenario.machines.length;
  await using parts = new Lifetimes();
  const keys = seededNodeKeys(seed, nodeCount);
  const [own, ...others] = keys;
  if (own === undefined) throw new RangeError('a demo has at least one node');
  const home = parts.addAsync(await openDemoHome({ ...options, nodeKeyPem: own.pem }));
  const nodeIds = keys.map(({ nodeId }) => nodeId);
  const fleet = new DemoFleet({ own: own.nodeId, others, clock, plimsollVersion: version });
  const peersReady = Promise.withResolvers<void>();
  let seen: (() => State) | undefined;
  let recordOwn: ((reported: SimulatedFact) => void) | undefined;
  const simulation = new Simulation({
    scenario,
    nodeIds,
    seed,
    clock,
    plimsollVersion: version,
    ...(nodeCount <= PAST_NODES_MAX ? { pastStepSeconds: PAST_STEP_SECONDS } : {}),
    activity: node =>
      seen === undefined ? undefined : activityOn(seen(), node, clock.nowMs(), { ignoresGpuLoad: true }),
    report: (node, facts) => {
      if (node === own.nodeId) for (const reported of facts) recordOwn?.(reported);
      else fleet.report(node, facts);
    },
    onAway: (node, away) => fleet.setAway(node, away),
  });
  const received = fleet.remember(simulation.remaining());
  storeSeenBefore({ home: home.path, ownNode: own.nodeId, clock }, received);
  const daemon = await startDaemon(
    {
      ...options,
      home: home.path,
      simulation: {
        probes: simulatedProbes(simulation, nodeIds, clock),
        history: query => pastRows(simulation, query, clock),
        transport: (identity, number) => fleet.ownTransport(identity, number),
        run: async (record, until) => {
          recordOwn = ({ fact, ageMs }) => record(withFiles(fact, { home: home.path, version }), ageMs);
          await peersReady.promise;
          await simulation.run(until);
        },
      },
    },
    signal,
  );
  parts.addAsync(daemon);
  seen = () => daemon.state;
  await fleet.start(parts, signal);
  peersReady.resolve();
  const line = new RunningLine({
    home: home.path,
    clock,
    version,
    targetNode: own.nodeId,
    record: fact => recordOwn?.({ fact, ageMs: 0 }),
  });
  line.start();
  parts.addAsync(line);
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

/** Facts of the past also get files on disk, as if they had been run. */
const withFiles = (fact: Fact, installation: { readonly home: string; readonly version: string }): Fact => {
  if (fact.kind === 'run.ended') return { ...fact, payload: withPastFiles(fact.payload, installation) };
  return fact.kind === 'sweep.ended' ? { ...fact, payload: pastLineFile(fact.payload, installation) } : fact;
};

/** More nodes than these begin without the quarter of an hour before: a page should be there at once. */
const PAST_NODES_MAX = 16;
const PAST_STEP_SECONDS = 5;

// The document of a load line of the demo's past, rebuilt from the figures of the simulation: the same search, stage by stage,
// because nothing in it is random.

/** The line as its file has it. */
const pastLineFile = (
  sweep: Sweep,
  { home, version }: { readonly home: string; readonly version: string },
): Sweep => {
  const document = pastLineDocument(sweep, version);
  if (document === undefined) return sweep;
  const directory = join(home, 'runs', sweep.sweepId);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'line.json'), sweepDocumentToJson(document));
  return { ...sweep, directory };
};

// Requests for probes in a simulated cluster: every node is here, so nobody has to be asked over the mesh.
const simulatedProbes = (
  simulation: Simulation,
  nodes: readonly NodeId[],
  clock: Clock,
): Pick<ProbeRequestServer, 'request' | 'load'> => ({
  load: async ({ nodes: requested, durationMs }, signal) => {
    await clock.sleep(durationMs, signal);
    const loads = requested.map(({ node, subjects }) => ({
      node,
      loads: simulation.load(node, subjects, durationMs),
    }));
    return {
      nodes: loads.flatMap(({ node, loads: own }) => (own === undefined ? [] : [{ node, loads: own }])),
      unreached: loads.flatMap(({ node, loads: own }) =>
        own === undefined ? [{ node, reason: 'it does not answer' }] : [],
      ),
    };
  },
  request: async target => {
    const measurers =
      target === 'all'
        ? nodes.filter(node => !simulation.isAway(node))
        : [target.kind === 'gpu' ? target.nodeId : target.source];
    const probes = measurers.flatMap(node =>
      simulation.request(node, subject => isMeantBy(target, subject)).map(answer => ({ node, ...answer })),
    );
    const unreached = measurers.filter(node => simulation.isAway(node));
    return { probes, unreached: unreached.map(node => ({ node, reason: 'it does not answer' })) };
  },
});

// The past of a simulated cluster as a journal would hold it: raw profiles of the last days, before them sums of an hour. It
// is made when somebody asks, so that a month of two hundred machines costs nothing to begin with.

/** Ascending by time. */
export const pastRows = (
  simulation: Simulation,
  query: HistoryQuery,
  clock: Clock,
): readonly HistoryRow[] => {
  const { origin, slot, key, sinceWallMs, limit } = query;
  const [nowMs, wallMs] = [clock.nowMs(), clock.wallMs()];
  return simulation
    .past(origin, { slot, key })
    .map(({ fact, atMs }) => ({ fact, agoMs: nowMs - atMs }))
    .filter(({ agoMs }) => wallMs - agoMs >= sinceWallMs)
    .slice(-limit)
    .map(({ fact, agoMs }, index): HistoryRow => {
      const body = encodeRecordBody({ origin, epoch: 0, seq: index + 1 }, fact);
      const row = { origin, slot, key: factKey(fact) };
      if (agoMs <= JOURNAL_LIMITS.rawHistoryMs)
        return { ...row, atWallMs: Math.round(wallMs - agoMs), body, isHourly: false };
      const atWallMs = Math.floor((wallMs - agoMs) / HOUR_MS) * HOUR_MS;
      return { ...row, atWallMs, body: encodeHourlySummary(summarizeHour([body])), isHourly: true };
    });
};

const HOUR_MS = 3_600_000;
