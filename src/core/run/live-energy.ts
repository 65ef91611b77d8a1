// Power of a server's node during a run in progress: over the last seconds, per token that arrived meanwhile,
// by the same calculation as at the end; and over the time of the run, for its charts. From the sensors of
// the node that is loaded, wherever the load is made.

import type { NodeId } from '../ids.ts';
import type { HistorySeries } from '../live-history.ts';
import { nodeView } from '../node/node-view.ts';
import { recordOf } from '../record-of.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import { accountEnergy } from './account-energy.ts';
import { ENERGY_SCOPES, type EnergyScope, type RunEnergy } from './energy.ts';
import { nodeMeters, PowerHistory, powerByScope, sharedPower } from './node-power.ts';
import { RECENT_SECONDS } from './recent-window.ts';
import type { RunView } from './run-selectors.ts';

export interface LiveEnergy {
  readonly energy: RunEnergy;
  /** Watts in the steps of the run's charts. */
  readonly columns: Readonly<Record<EnergyScope, readonly (number | null)[]>>;
}

export interface LiveEnergyOf {
  readonly state: State;
  readonly view: RunView;
  readonly target: NodeId;
  /** History of the target, as of `nowMs`. */
  readonly history: HistorySeries;
  readonly nowMs: number;
  readonly steps: { readonly points: number; readonly stepMs: number };
}

/** undefined until the run has reported something. */
export const liveEnergy = ({
  state,
  view: { node, run, progress },
  target,
  history,
  nowMs,
  steps,
}: LiveEnergyOf): LiveEnergy | undefined => {
  if (progress === undefined) return undefined;
  const untilMs = nowMs - REPORTED_WITHIN_MS;
  const window = { fromMs: untilMs - RECENT_SECONDS * 1_000, untilMs };
  const power = new PowerHistory();
  power.add(history, nowMs, 0);
  const loaded = nodeView(state, target, nowMs);
  const meters = nodeMeters(loaded, power, window);
  const inWindow = (rate: Reported<number>): Reported<number> =>
    isUnknown(rate) ? rate : rate * RECENT_SECONDS;
  const { requestsPerSecond, outputTokensPerSecond } = progress.recent;
  const requests = inWindow(requestsPerSecond);
  const energy = accountEnergy({
    node: loaded.name,
    window,
    isLive: true,
    beganMs: nowMs - progress.elapsedMs,
    meters,
    answered: {
      requests: isKnown(requests) ? requests : 0,
      inputTokens: unknown('prompt tokens are not reported while a run is in progress'),
      outputTokens: inWindow(outputTokensPerSecond),
    },
    others: sharedPower({
      view: loaded,
      isClientHere: run.from === undefined ? node === target : run.from.includes(loaded.name),
      otherRuns: Object.values(state.runs)
        .flatMap(runs => Object.values(runs).map(({ value }) => value))
        .filter(
          other => other.state === 'running' && other.targetNode === target && other.runId !== run.runId,
        ),
    }),
  });
  const zeroMs = nowMs - progress.elapsedMs;
  const lines = powerByScope(meters, { fromMs: zeroMs, untilMs: nowMs });
  return { energy, columns: recordOf(ENERGY_SCOPES, scope => powerColumn(lines, scope, steps)) };
};

/** The mean of the readings of each step. */
export const powerColumn = (
  lines: ReturnType<typeof powerByScope>,
  scope: EnergyScope,
  { points, stepMs }: LiveEnergyOf['steps'],
): readonly (number | null)[] => {
  const sums = new Float64Array(points);
  const counts = new Float64Array(points);
  for (const { seconds, watts } of lines) {
    const point = Math.floor((seconds * 1_000) / stepMs);
    const reported = watts.get(scope);
    if (reported === undefined || point < 0 || point >= points) continue;
    sums[point] = (sums[point] ?? 0) + reported;
    counts[point] = (counts[point] ?? 0) + 1;
  }
  // Steps may be shorter than a reading's second, which covers the time before it.
  const means = Array.from(sums, (sum, at) => ((counts[at] ?? 0) > 0 ? sum / (counts[at] ?? 1) : null));
  const reach = Math.ceil(1_000 / stepMs);
  return means.map((mean, at) => mean ?? means.slice(at, at + reach).find(later => later !== null) ?? null);
};

/** A reading of the current second may not have arrived yet. */
const REPORTED_WITHIN_MS = 1_500;
