// What is active on a node now, so probes wait: a benchmark against it by its id, or a server with requests in flight.

import { counted } from '../../../src/core/figure/figure.ts';
import { isRunId, type NodeId, type RunId } from '../../../src/core/ids.ts';
import type { Runner } from '../../../src/core/run/run.ts';
import { activeRunners } from '../../../src/core/run/run-selectors.ts';
import type { State } from '../../../src/core/state.ts';
import { isKnown } from '../../../src/core/unknown.ts';

interface RunnerText {
  /** "runner active: run 0412", "runner active: 3 requests in flight". */
  readonly chip: string;
  /** Where it is a run. */
  readonly runId: RunId | undefined;
}

/** The first that counts; undefined where nothing works on the node. */
export const runnerText = (state: State, node: NodeId, nowMs: number): RunnerText | undefined => {
  // A watcher reports 0 once, when the last request has ended.
  const mine = activeRunners(state, nowMs).filter(
    ({ targetNode, source, requestsInFlight }) =>
      targetNode === node && (source === 'run' || requestsInFlight !== 0),
  );
  const runner = mine.find(({ source }) => source === 'run') ?? mine[0];
  if (runner === undefined) return undefined;
  const others = mine.length > 1 ? ` and ${mine.length - 1} more` : '';
  const named = runner.runnerKey.replace(/^run /, '');
  const runId = runner.source === 'run' && isRunId(named) ? named : undefined;
  return {
    chip: `runner active: ${runId === undefined ? servedText(runner) : `run ${runId}`}${others}`,
    runId,
  };
};

const servedText = ({ source, requestsInFlight }: Runner): string => {
  if (source === 'run') return 'a benchmark';
  if (!isKnown(requestsInFlight)) return 'a server';
  return `${counted(requestsInFlight, 'request')} in flight`;
};
