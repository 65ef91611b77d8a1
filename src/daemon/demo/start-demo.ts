// A simulated cluster around one real daemon: the daemon plays the first machine, every other one is connected to it by a mesh
// in memory, and it serves a real dashboard of simulated figures.

import type { Fact } from '../../core/event-kinds.ts';
import { activityOn } from '../../core/probe/activity.ts';
import type { State } from '../../core/state.ts';
import type { SimulatedFact } from '../../simulate/node-reporting.ts';
import type { Scenario } from '../../simulate/scenario/scenario.ts';
import { seededNodeKeys } from '../../simulate/seeded-node-key.ts';
import { Simulation } from '../../simulate/simulation.ts';
import { startDaemon } from '../daemon.ts';
import type { Daemon, DaemonOptions } from '../daemon-options.ts';
import { Lifetimes } from '../lifetimes.ts';
import { DemoFleet } from './demo-fleet.ts';
import { openDemoHome } from './demo-home.ts';
import { storeSeenBefore } from './left-behind.ts';
import { pastLineFile } from './past-line-file.ts';
import { pastRows } from './past-rows.ts';
import { withPastFiles } from './past-run-files.ts';
import { RunningLine } from './running-line.ts';
import { simulatedProbes } from './simulated-probes.ts';

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
  const received = fleet.remember(simulation.leftBehind());
  storeSeenBefore({ home: home.path, ownNode: own.nodeId, clock }, received);
  const daemon = await startDaemon(
    {
      ...options,
      home: home.path,
      simulation: {
        probes: simulatedProbes(simulation, nodeIds),
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
const withFiles = (fact: Fact, place: { readonly home: string; readonly version: string }): Fact => {
  if (fact.kind === 'run.ended') return { ...fact, payload: withPastFiles(fact.payload, place) };
  return fact.kind === 'sweep.ended' ? { ...fact, payload: pastLineFile(fact.payload, place) } : fact;
};

/** More nodes than these begin without the quarter of an hour before: a page should be there at once. */
const PAST_NODES_MAX = 16;
const PAST_STEP_SECONDS = 5;
