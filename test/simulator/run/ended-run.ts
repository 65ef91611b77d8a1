// What a simulated run is asked for and what it came to.

import type { SessionResult } from '../../../src/bench/run/session.ts';
import type { Report, RunConfig } from '../../../src/core/run/report.ts';
import type { RunPattern } from '../../../src/core/run/run-pattern.ts';
import { runConfig } from '../../support/run-records.ts';
import type { SimulatedRunPlan } from './run-faults.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** The result of a run, and what else is known of it. */
export interface EndedRun {
  readonly plan: SimulatedRunPlan;
  readonly hasEnded: boolean;
  readonly session: SessionResult | undefined;
  readonly report: Report | undefined;
  readonly lines: string;
  readonly server: SimulatedServer;
  /** Of the measured phase, where it began. */
  readonly startNs: number | undefined;
  /** When all threads had their connections, or were given up: before, there is no run to look at. */
  readonly openedNs: number;
  /** When each snapshot came. */
  readonly snapshotsNs: readonly number[];
  /** Records in batches that never came to the aggregator. */
  readonly lostRecords: number;
  /** Of those, the ones that the numbers of later batches show. */
  readonly shownLostRecords: number;
  readonly isKilled: boolean;
  readonly isStopped: boolean;
  readonly isDiskFull: boolean;
  readonly hasLostThread: boolean;
  readonly isBlind: boolean;
  readonly issuedOnBoard: number;
}

export const patternOf = ({ rate, concurrency }: SimulatedRunPlan): RunPattern =>
  rate === undefined ? { kind: 'concurrency', concurrency } : { kind: 'poisson', requestsPerSecond: rate };

export const configOf = (plan: SimulatedRunPlan): RunConfig =>
  runConfig({ pattern: patternOf(plan), streaming: plan.isStreaming, warmupRequests: plan.warmup });
