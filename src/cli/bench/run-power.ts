// The power of the node that a run loaded, from the daemon of this machine: which node that is, its sensors' history, and
// what else drew power there.

import { writeFile } from 'node:fs/promises';
import { systemClock } from '../../clock/system-clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { isRunId, type NodeId } from '../../core/ids.ts';
import { nodeView } from '../../core/node/node-view.ts';
import { type AnsweredLoad, accountEnergy, type PowerMeter } from '../../core/run/account-energy.ts';
import type { RunEnergy } from '../../core/run/energy.ts';
import type { PowerWindow } from '../../core/run/integrate-power.ts';
import { nodeMeters, PowerHistory, powerByScope, sharedPower } from '../../core/run/node-power.ts';
import type { Report } from '../../core/run/report.ts';
import type { Run } from '../../core/run/run.ts';
import type { State } from '../../core/state.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { liveHistoryAnswerSchema } from '../../wire/api/history-answers.ts';
import { encodePowerLines } from '../../wire/power-line.ts';
import { clusterNow } from '../cluster-stream.ts';
import type { DaemonClient } from '../daemon-client.ts';

export class RunPower {
  readonly #runId: string;
  readonly #history = new PowerHistory();

  constructor(runId: string) {
    this.#runId = runId;
  }

  async read(client: DaemonClient, signal: AbortSignal): Promise<LoadedPower | Unknown> {
    const moment = await clusterNow(client, systemClock, signal);
    const node = loadedNodeId(moment.state, this.#runId);
    if (isUnknown(node)) return node;
    const answer = await client.answer(liveHistoryAnswerSchema, `/api/history?node=${node}`, signal);
    // The end of a history is somewhere within a second of the daemon; it is mapped to the present here.
    this.#history.add(answer, answer.nowMs, systemClock.nowMs() - answer.nowMs);
    return {
      prices: moment.state.nodeConfigs[node]?.value.prices,
      account: async (report, options) => {
        const { runId, window, beganMs } = options;
        const view = nodeView(moment.state, node, systemClock.nowMs());
        const meters = nodeMeters(view, this.#history, window);
        await writePower(meters, options);
        const endedAt = systemClock.wallMs();
        const from = report.run.from;
        return accountEnergy({
          node: view.name,
          window,
          beganMs,
          meters,
          answered: answeredLoad(report),
          others: sharedPower({
            view,
            isClientHere:
              from === undefined ? moment.snapshot.nodeId === node : from.some(name => name === view.name),
            otherRuns: concurrentRuns(
              Object.values(moment.state.runs).flatMap(runs => Object.values(runs).map(({ value }) => value)),
              { targetNode: node, runId, beganAt: endedAt - (systemClock.nowMs() - window.fromMs), endedAt },
            ),
          }),
        });
      },
    };
  }
}

export interface LoadedPower {
  /** By its config.toml. */
  readonly prices: Report['nodePrices'] | undefined;
  account(report: Report, options: AccountOptions): Promise<Reported<RunEnergy>>;
}

interface AccountOptions {
  readonly runId: string;
  readonly window: PowerWindow;
  readonly beganMs: number;
  /** The run's zero. */
  readonly zeroMs: number | undefined;
  /** power.csv */
  readonly file: string;
  readonly onProblem: (text: string) => void;
}

/** For pictures and spreadsheets: the report has what it came to, so that a full disk costs the picture alone. */
const writePower = async (
  meters: readonly PowerMeter[],
  { window: { untilMs }, zeroMs, file, onProblem }: AccountOptions,
): Promise<void> => {
  if (zeroMs === undefined) return;
  const lines = powerByScope(meters, { fromMs: zeroMs, untilMs });
  if (lines.length === 0) return;
  try {
    await writeFile(file, encodePowerLines(lines), { mode: 0o600 });
  } catch (error) {
    onProblem(`power.csv could not be written: ${diskReason(error)}`);
  }
};

/** By the daemon's own account of the run. */
export const loadedNodeId = (state: State, runId: string): NodeId | Unknown => {
  const target = isRunId(runId)
    ? Object.values(state.runs).flatMap(runs => runs[runId]?.value.targetNode ?? [])[0]
    : undefined;
  if (target === undefined) return unknown('the daemon has no record of the run');
  return isUnknown(target)
    ? unknown(`the machine at the URL is not a node of the cluster: ${target.reason}`)
    : target;
};

/** That had begun before this one ended, and had not ended before it began. By the wall clocks of who ran them. */
const concurrentRuns = (
  runs: readonly Run[],
  { targetNode, runId, beganAt, endedAt }: ConcurrentOf,
): readonly Run[] =>
  runs.filter(run => {
    if (run.runId === runId || run.targetNode !== targetNode) return false;
    const from = Date.parse(run.startedAt);
    const windowNs = isUnknown(run.figures) ? run.figures : run.figures.windowNs;
    const until = run.state === 'running' ? endedAt : from + (isKnown(windowNs) ? windowNs / 1e6 : 0);
    return from < endedAt && until > beganAt;
  });

interface ConcurrentOf {
  readonly targetNode: string;
  readonly runId: string;
  /** ms since the epoch. */
  readonly beganAt: number;
  readonly endedAt: number;
}

/** Load in the measured phase. A sum is unknown if any answer did not report its usage: its tokens would be missing. */
const answeredLoad = ({ counts, series }: Report): AnsweredLoad => {
  const sum = (of: Report['series']['outputTokens']): Reported<number> => {
    if (of === undefined || of.count === 0) return unknown('the server reported no tokens');
    return of.count < counts.completed
      ? unknown(`the server reported tokens for ${of.count} of ${counted(counts.completed, 'request')}`)
      : Number(of.total);
  };
  return {
    requests: counts.completed,
    inputTokens: sum(series.inputTokens),
    outputTokens: sum(series.outputTokens),
  };
};
