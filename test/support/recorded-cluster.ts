// The committed recording served as a daemon would, at one moment that never passes: every request gets the same figures each
// time. Next to its eight machines is the answering one, with two finished runs in its home.

import { join } from 'node:path';
import type { Fact } from '../../src/core/event-kinds.ts';
import { isRunId, type RunId } from '../../src/core/ids.ts';
import { nodeName } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import type { Report } from '../../src/core/run/report.ts';
import type { State } from '../../src/core/state.ts';
import { Access } from '../../src/daemon/http/access.ts';
import { HTTP_LIMITS } from '../../src/daemon/http/http-options.ts';
import { createHttpServer } from '../../src/daemon/http/http-server.ts';
import { RunComparisons } from '../../src/daemon/runs/run-comparisons.ts';
import { RunRegistry } from '../../src/daemon/runs/run-registry.ts';
import type { HistoryRow } from '../../src/journal/journal.ts';
import { eventOf } from './grouped-nodes.ts';
import { recordedState } from './recorded-state.ts';
import { REGISTRY_NODE, registryParts } from './registry-parts.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { writeTimedRun } from './timed-runs.ts';

export interface RecordedCluster extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  readonly state: State;
  readonly nowMs: number;
  readonly runs: readonly [RunId, RunId];
  readonly report: (run: RunId) => Promise<Report>;
}

const RECORDED_RUNS = ['run-a', 'run-b'] as const;

/**
 * @param rows of the journal of the answering machine, for any requested device or connection.
 * @param reported by nodes of the recording too, by name: live readings that its version did not have yet.
 */
export const recordedCluster = async (
  rows: (wallMs: number) => readonly HistoryRow[] = () => [],
  reported: Readonly<Record<string, readonly Fact[]>> = {},
): Promise<RecordedCluster> => {
  const home = temporaryDirectory();
  const { clock, cluster, parts } = registryParts(home.path);
  cluster.replace(await recordedState(clock));
  for (const [name, facts] of Object.entries(reported)) {
    const origin = nodeIds(cluster.state).find(id => nodeName(cluster.state, id) === name);
    if (origin === undefined) throw new RangeError(`the recording has no ${name}`);
    const receivedAtMs = clock.nowMs();
    cluster.dispatch(facts.map((fact, index) => eventOf(origin, fact, { seq: index + 1, receivedAtMs })));
  }
  const runs = new RunRegistry(parts);
  for (const [seed, id] of RECORDED_RUNS.entries()) {
    const directory = join(home.path, 'runs', id);
    writeTimedRun(directory, { seed, requests: 200, stepNs: 3e9, run: { id } });
    await runs.find(directory, { kind: 'unknown', reason: 'not of a sweep' });
  }
  const access = new Access({ clock, token: TOKEN, hostNames: [] });
  const server = createHttpServer({
    nodeId: REGISTRY_NODE,
    version: '0.0.0-test',
    clock,
    cluster: {
      get state() {
        return cluster.state;
      },
      subscribe: listener => cluster.subscribe(listener),
      history: cluster.history,
      profileHistory: () => rows(clock.wallMs()),
    },
    runs,
    comparisons: new RunComparisons({
      clock,
      home: home.path,
      version: '0.0.0-test',
      directoryOf: id => cluster.state.runs[REGISTRY_NODE]?.[id]?.value.directory,
    }),
    dashboardDir: undefined,
    access,
    limits: HTTP_LIMITS,
    notices: () => [],
    resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
    home: home.path,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0, isExplicitPort: true });
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    home: home.path,
    get state() {
      return cluster.state;
    },
    nowMs: clock.nowMs(),
    runs: [runId(RECORDED_RUNS[0]), runId(RECORDED_RUNS[1])],
    report: async run => {
      const report = await runs.report(run);
      if (report === undefined) throw new Error(`${run} has no report`);
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      home[Symbol.dispose]();
    },
  };
};

const runId = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new RangeError(text);
};

const TOKEN = 'token-of-the-test-0123456789-abcdefghijklmn';
