// The energy that a run used, determined at its end from the daemon of this machine: which node was loaded, and what its sensors
// reported meanwhile. The daemon stores readings for 15 minutes, so a longer run requests them in between. A missing
// value becomes a reason in the report, never a failed run.

import { writeFile } from 'node:fs/promises';
import type { runBench } from '../../bench/bench.ts';
import type { StartedRun } from '../../bench/run/bench-parts.ts';
import type { SessionPhase } from '../../bench/run/session.ts';
import { pause } from '../../clock/clock.ts';
import { monotonicNs, systemClock } from '../../clock/system-clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { isRunId, type NodeId } from '../../core/ids.ts';
import { nodeView } from '../../core/node/node-view.ts';
import { errorMessage } from '../../core/problem.ts';
import { type AnsweredLoad, accountEnergy, type PowerMeter } from '../../core/run/account-energy.ts';
import type { RunEnergy } from '../../core/run/energy.ts';
import type { PowerWindow } from '../../core/run/integrate-power.ts';
import { nodeMeters, PowerHistory, powerByScope, sharedPower } from '../../core/run/node-power.ts';
import type { Report } from '../../core/run/report.ts';
import type { Run } from '../../core/run/run.ts';
import type { State } from '../../core/state.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { encodePowerLines } from '../../wire/power-line.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

/** @returns the same run, with its energy in the report. */
export const energyRuns =
  (state: ProcessState, home: string, run: typeof runBench): typeof runBench =>
  async (request, parts) => {
    const { judge, observer, runId } = parts;
    const onProblem = (text: string): void => observer.notice(text);
    await using watch = new EnergyWatch({
      state,
      home,
      runId,
      file: runFiles(parts.directory).power,
      onProblem,
    });
    return await run(request, {
      ...parts,
      judge: async report => {
        const judged = judge === undefined ? {} : await judge(report);
        return { ...judged, energy: await watch.energy(report) };
      },
      observer: {
        started: started => {
          watch.started(started);
          observer.started(started);
        },
        phase: phase => {
          watch.phase(phase);
          observer.phase(phase);
        },
        snapshot: snapshot => observer.snapshot(snapshot),
        notice: text => observer.notice(text),
      },
    });
  };

interface EnergyWatchOptions {
  readonly state: ProcessState;
  readonly home: string;
  readonly runId: string;
  /** power.csv */
  readonly file: string;
  readonly onProblem: (text: string) => void;
}

class EnergyWatch implements AsyncDisposable {
  readonly #options: EnergyWatchOptions;
  readonly #history = new PowerHistory();
  readonly #beganMs = systemClock.nowMs();
  readonly #over = new AbortController();
  #zeroMs: number | undefined;
  #fromMs: number | undefined;
  #untilMs: number | undefined;
  #keeping: Promise<void> | undefined;

  constructor(options: EnergyWatchOptions) {
    this.#options = options;
  }

  started({ runZeroNs }: StartedRun): void {
    this.#zeroMs = systemClock.nowMs() - Number(monotonicNs() - runZeroNs) / 1e6;
  }

  phase(phase: SessionPhase): void {
    if (phase === 'measuring') {
      this.#fromMs ??= systemClock.nowMs();
      this.#keeping ??= this.#keep();
    }
    if (phase === 'ended') this.#untilMs ??= systemClock.nowMs();
  }

  /** Never rejects. */
  async energy(report: Report): Promise<Reported<RunEnergy>> {
    const { state } = this.#options;
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ENERGY_MS_MAX)]);
    try {
      return await this.#account(report, signal);
    } catch (error) {
      if (signal.aborted) return unknown('not determined in time');
      const reason = error instanceof CommandError ? NO_DAEMON : errorMessage(error);
      return unknown(reason.slice(0, REASON_LENGTH_MAX));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#keeping;
  }

  async #account(report: Report, signal: AbortSignal): Promise<Reported<RunEnergy>> {
    const window = this.#window();
    if (window === undefined) return unknown('nothing was measured');
    const { home, state, runId } = this.#options;
    const client = await findDaemon(home, state);
    const moment = await clusterNow(client, systemClock, signal);
    const node = loadedNode(moment.state, runId);
    if (isUnknown(node)) return node;
    await this.#readPower(client, node, signal);
    const view = nodeView(moment.state, node, systemClock.nowMs());
    const meters = nodeMeters(view, this.#history, window);
    await this.#write(meters, window);
    const endedAt = systemClock.wallMs();
    const from = report.run.from;
    return accountEnergy({
      node: view.name,
      window,
      beganMs: this.#beganMs,
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
  }

  /** For pictures and spreadsheets: the report has what it came to, so that a full disk costs the picture alone. */
  async #write(meters: readonly PowerMeter[], { untilMs }: PowerWindow): Promise<void> {
    const zeroMs = this.#zeroMs;
    if (zeroMs === undefined) return;
    const lines = powerByScope(meters, { fromMs: zeroMs, untilMs });
    if (lines.length === 0) return;
    const { file, onProblem } = this.#options;
    try {
      await writeFile(file, encodePowerLines(lines), { mode: 0o600 });
    } catch (error) {
      onProblem(`power.csv could not be written: ${diskReason(error)}`);
    }
  }

  #window(): PowerWindow | undefined {
    const [fromMs, untilMs] = [this.#fromMs, this.#untilMs ?? systemClock.nowMs()];
    return fromMs === undefined || untilMs <= fromMs ? undefined : { fromMs, untilMs };
  }

  /** Until the run is over: what the daemon will have forgotten by then. */
  async #keep(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await pause(systemClock, KEEP_MS, signal);
      if (signal.aborted) return;
      // Readings missed now are a gap in the final history and are reported as one.
      await this.#keepNow(signal).catch((): undefined => undefined);
    }
  }

  async #keepNow(signal: AbortSignal): Promise<void> {
    const { home, state, runId } = this.#options;
    const over = AbortSignal.any([signal, AbortSignal.timeout(ENERGY_MS_MAX)]);
    const client = await findDaemon(home, state);
    const moment = await clusterNow(client, systemClock, over);
    const node = loadedNode(moment.state, runId);
    if (!isUnknown(node)) await this.#readPower(client, node, over);
  }

  async #readPower(client: DaemonClient, node: NodeId, signal: AbortSignal): Promise<void> {
    const { liveHistoryAnswerSchema } = await loadHistory();
    const answer = await client.answer(liveHistoryAnswerSchema, `/api/history?node=${node}`, signal);
    // The end of a history is somewhere within a second of the daemon; it is mapped to the present here.
    const offsetMs = systemClock.nowMs() - answer.nowMs;
    this.#history.add(answer, answer.nowMs, offsetMs);
  }
}

/** By the daemon's own account of the run. */
const loadedNode = (state: State, runId: string): NodeId | Unknown => {
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

/** Loaded late: a run without a daemon needs none of it. */
const loadHistory = () => import('../../wire/api/history-answers.ts');

const NO_DAEMON = 'no daemon runs here that reads the power of the machine: plimsoll up';
/** The daemon keeps 15 minutes. */
const KEEP_MS = 600_000;
const ENERGY_MS_MAX = 5_000;
const REASON_LENGTH_MAX = 300;
