// Runs and runners as a person should see them now.

import { COMPARISON_TAG } from '../comparison/reported-comparison.ts';
import { documentViews, LEASE_MS, type StoredKind } from '../document/document-views.ts';
import { ageMsOf } from '../entry-maps.ts';
import { isNodeId, type NodeId, type RunId } from '../ids.ts';
import { isForgotten } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { Run, Runner, RunProgress, RunState } from './run.ts';

export interface RunView {
  /** The node that ran it. */
  readonly node: NodeId;
  readonly run: Run;
  /** As shown: an entry with 'running' but without a lease is 'interrupted'. */
  readonly state: RunState;
  /** Why it is in this state; '' if there is no reason to show. */
  readonly reason: string;
  readonly isLive: boolean;
  /** Since the last event of a running run, ms; 0 if it has ended. */
  readonly silentMs: number;
  readonly progress: RunProgress | undefined;
}

/** Runs in State. */
export const STORED_RUNS: StoredKind<Run> = {
  entries: state => state.runs,
  idOf: ({ runId }) => runId,
  lastSign: (state, node, id) => state.runners[node]?.[`${RUN_PREFIX}${id}`],
  silentReason: 'its process has not responded since; these are its last figures',
};

/** Every run of every node that is not forgotten, newest first. */
export const runViews = (state: State, nowMs: number): readonly RunView[] =>
  documentViews(STORED_RUNS, state, nowMs).map(({ document: run, node, ...shown }) => {
    const progress = state.runProgress[node]?.[run.runId]?.value;
    return { node, run, ...shown, progress };
  });

/** The run of that id; if several nodes have one, the newest. */
export const runView = (state: State, runId: RunId, nowMs: number): RunView | undefined =>
  runViews(state, nowMs).find(view => view.run.runId === runId);

/**
 * Whether it is a stage of a known sweep, or a segment of a known comparison: then it is shown there, and is
 * not a run of its own.
 */
export const isReportedAsStage = (state: State, { sweep, tags }: Pick<Run, 'sweep' | 'tags'>): boolean => {
  const comparison = knownOr(tags, [])
    .find(tag => tag.startsWith(COMPARISON_PREFIX))
    ?.slice(COMPARISON_PREFIX.length);
  return (
    (!isUnknown(sweep) && isKnownOf(state, state.sweeps, sweep.sweepId)) ||
    (comparison !== undefined && isKnownOf(state, state.comparisons, comparison))
  );
};

const isKnownOf = (
  state: State,
  entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  id: string,
): boolean =>
  Object.entries(entries).some(
    ([node, known]) => Object.hasOwn(known, id) && isNodeId(node) && !isForgotten(state, node),
  );

/** Number of runs that a person started individually. */
export const runCount = (state: State): number => {
  let count = 0;
  for (const [node, runs] of Object.entries(state.runs))
    if (isNodeId(node) && !isForgotten(state, node))
      count += Object.values(runs).filter(({ value }) => !isReportedAsStage(state, value)).length;
  return count;
};

/** Leases that still count, from any node. */
export const activeRunners = (state: State, nowMs: number): readonly Runner[] =>
  [...activeLeases(state, nowMs)].map(({ runner }) => runner);

/** The same with the node that reported each. */
export function* activeLeases(
  state: State,
  nowMs: number,
): Iterable<{ readonly reporter: NodeId; readonly runner: Runner }> {
  for (const [reporter, runners] of Object.entries(state.runners)) {
    if (!isNodeId(reporter)) continue;
    for (const entry of Object.values(runners))
      if (ageMsOf(entry, nowMs) <= LEASE_MS && !hasEnded(state, reporter, entry.value))
        yield { reporter, runner: entry.value };
  }
  yield* engineLeases(state, nowMs);
}

/** Engines with requests, as their own nodes have found them, unless the node also watches them by its configuration. */
function* engineLeases(
  state: State,
  nowMs: number,
): Iterable<{ readonly reporter: NodeId; readonly runner: Runner }> {
  for (const [reporter, entry] of Object.entries(state.nodeEngines)) {
    if (!isNodeId(reporter) || ageMsOf(entry, nowMs) > LEASE_MS) continue;
    for (const { origin, requestsInFlight } of entry.value.engines) {
      const runnerKey = endpointRunnerKey(origin);
      const watched = state.runners[reporter]?.[runnerKey];
      if (isUnknown(requestsInFlight) || requestsInFlight === 0) continue;
      if (watched === undefined || ageMsOf(watched, nowMs) > LEASE_MS)
        yield { reporter, runner: { runnerKey, source: 'endpoint', targetNode: reporter, requestsInFlight } };
    }
  }
}

/** Of a server that a node watches. */
export const endpointRunnerKey = (origin: string): string =>
  `${ENDPOINT_PREFIX}${origin}`.slice(0, RUNNER_KEY_LENGTH_MAX);

/** Where the server of a lease listens; undefined for a lease of anything else. */
export const originOfLease = ({ source, runnerKey }: Runner): string | undefined =>
  source === 'endpoint' && runnerKey.startsWith(ENDPOINT_PREFIX)
    ? runnerKey.slice(ENDPOINT_PREFIX.length)
    : undefined;

/** The end of a run is published before its lease expires. */
const hasEnded = (state: State, reporter: NodeId, runner: Runner): boolean => {
  const runId = runOfLease(runner);
  const run = runId === undefined ? undefined : state.runs[reporter]?.[runId];
  return run !== undefined && run.value.state !== 'running';
};

/** The key of a run's own lease. */
export const runnerKeyOf = (runId: RunId): string => `${RUN_PREFIX}${runId}`;

/** The run of a lease; undefined for a lease of anything else. */
export const runOfLease = ({ source, runnerKey }: Runner): string | undefined =>
  source === 'run' && runnerKey.startsWith(RUN_PREFIX) ? runnerKey.slice(RUN_PREFIX.length) : undefined;

const RUNNER_KEY_LENGTH_MAX = 200;
const ENDPOINT_PREFIX = 'endpoint ';
const RUN_PREFIX = 'run ';
const COMPARISON_PREFIX = `${COMPARISON_TAG}=`;
