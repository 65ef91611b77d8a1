// The energy that a run used, determined at its end from the daemon of this machine: which node was loaded, and what its sensors
// reported meanwhile. The daemon stores readings for 15 minutes, so a longer run requests them in between. A missing
// value becomes a reason in the report, never a failed run.

import type { runBench } from '../../bench/bench.ts';
import type { StartedRun } from '../../bench/run/bench-parts.ts';
import type { SessionPhase } from '../../bench/run/session.ts';
import { pause } from '../../clock/clock.ts';
import { monotonicNs, systemClock } from '../../clock/system-clock.ts';
import { errorMessage } from '../../core/problem.ts';
import type { PowerWindow } from '../../core/run/integrate-power.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';
import type { LoadedPower, RunPower } from './run-power.ts';

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
        return { ...judged, ...(await watch.account(report)) };
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
  readonly #beganMs = systemClock.nowMs();
  readonly #over = new AbortController();
  #zeroMs: number | undefined;
  #fromMs: number | undefined;
  #untilMs: number | undefined;
  #keeping: Promise<void> | undefined;
  #power: RunPower | undefined;

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

  /** With the prices of the node, if the run was given none. Never rejects. */
  async account(report: Report): Promise<Pick<Report, 'energy' | 'nodePrices'>> {
    const { state } = this.#options;
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ENERGY_MS_MAX)]);
    try {
      return await this.#account(report, signal);
    } catch (error) {
      if (signal.aborted) return { energy: unknown('not determined in time') };
      const reason = error instanceof CommandError ? NO_DAEMON : errorMessage(error);
      return { energy: unknown(reason.slice(0, REASON_LENGTH_MAX)) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#keeping;
  }

  async #account(report: Report, signal: AbortSignal): Promise<Pick<Report, 'energy' | 'nodePrices'>> {
    const window = this.#window();
    if (window === undefined) return { energy: unknown('nothing was measured') };
    const loaded = await this.#loaded(signal);
    if (isUnknown(loaded)) return { energy: loaded };
    const { prices } = loaded;
    const energy = await loaded.account(report, {
      ...this.#options,
      window,
      beganMs: this.#beganMs,
      zeroMs: this.#zeroMs,
    });
    return {
      energy,
      ...(prices === undefined || report.run.price !== undefined ? {} : { nodePrices: prices }),
    };
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
    await this.#loaded(AbortSignal.any([signal, AbortSignal.timeout(ENERGY_MS_MAX)]));
  }

  /** The node that was loaded, with its power so far. */
  async #loaded(signal: AbortSignal): Promise<LoadedPower | Unknown> {
    const { home, state, runId } = this.#options;
    const client = await findDaemon(home, state);
    const { RunPower } = await loadPower();
    this.#power ??= new RunPower(runId);
    return await this.#power.read(client, signal);
  }
}

/** Loaded late: a run without a daemon needs none of it. */
const loadPower = () => import('./run-power.ts');

const NO_DAEMON = 'no daemon runs here that reads the power of the machine: plimsoll up';
/** The daemon keeps 15 minutes. */
const KEEP_MS = 600_000;
const ENERGY_MS_MAX = 5_000;
const REASON_LENGTH_MAX = 300;
