// One stage: an ordinary run in its own directory, watched in progress, and ended as soon as its purpose is reached.
// A stage that is over capacity is cancelled, because its queue would take longer to drain than it took to grow.

import { pause } from '../../clock/clock.ts';
import { judgedObjectives, type Objective, objectiveFields } from '../../core/run/objective.ts';
import type { Report } from '../../core/run/report.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { type Stage, type StageLoad, type StageVerdict, stageArrival } from '../../core/sweep/stage.ts';
import { isUnknown, knownOr, unknown } from '../../core/unknown.ts';
import { runBench } from '../bench.ts';
import { evidenceOf } from '../line/line-estimate.ts';
import type { Look } from '../line/stage-decider.ts';
import type { BenchParts, StartedRun } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import type { SessionPhase } from '../run/session.ts';
import { ServerQueue } from './server-queue.ts';
import { StageAccount } from './stage-account.ts';
import { type StageCriterion, stageCriterion } from './stage-criteria.ts';
import { withCountedTokens } from './stage-figures.ts';
import { StageSampler } from './stage-sampler.ts';
import { finalVerdict, stageReasons } from './stage-text.ts';
import { type StageOrder, StageWatch } from './stage-watch.ts';

export interface StageParts {
  /**
   * Pattern, time, warm-up and seed are the stage's own; of a shape it uses the ramp, warm-up and limit, not the
   * steps.
   */
  readonly request: BenchRequest;
  readonly bench: Omit<
    BenchParts,
    'runId' | 'startedAt' | 'noncePrefix' | 'directory' | 'observer' | 'early' | 'tap'
  >;
  /** Provides random ids and nonces; everything else here is deterministic. */
  newRun(number: number): Pick<BenchParts, 'runId' | 'startedAt' | 'noncePrefix'>;
  /** The directory of the stages. */
  readonly directory: string;
  readonly confidence: number;
  /** Further objectives by which the same requests are judged. */
  readonly tiers?: readonly StageTier[];
  /** Performs its run, for example on several machines; by default this process sends the load. */
  readonly run?: typeof runBench;
  readonly observer: StageObserver;
}

export interface StageTier {
  readonly name: string;
  readonly objectives: readonly Objective[];
}

export interface StageObserver {
  /** Its run has begun. */
  run(run: StartedRun, stage: Stage): void;
  phase(phase: SessionPhase): void;
  snapshot(snapshot: MetricsSnapshot): void;
  /** About once a second while it runs, and when it has ended. */
  changed(stage: Stage): void;
  notice(text: string): void;
}

export interface EndedStage {
  readonly stage: Stage;
  readonly report: Report;
}

/** @throws BenchError as a run does, before anything was measured. */
export const runStage = async (order: StageOrder, parts: StageParts): Promise<EndedStage> => {
  const { request, bench, observer } = parts;
  const { clock } = bench;
  const pattern = patternOf(order.load);
  const named = parts.newRun(order.number);
  const criteriaOf = (objectives: readonly Objective[]): readonly StageCriterion[] =>
    judgedObjectives(objectiveFields(objectives, request.attainment)).map(stageCriterion);
  const tiers = (parts.tiers ?? []).map(({ name, objectives }) => ({
    name,
    criteria: criteriaOf(objectives),
  }));
  const account = new StageAccount(criteriaOf(request.objectives), {
    pattern,
    shape: request.shape,
    isStreaming: request.isStreaming,
    tiers: tiers.flatMap(({ criteria }) => criteria),
  });
  let warmupRequests = 0;
  const tap = new StageSampler(account, () => warmupRequests);
  const early = { drain: new AbortController(), cancel: new AbortController() };
  const queue = new ServerQueue({
    target: request.target,
    api: request.api,
    headers: request.headers,
    clock,
    elapsedNs: () => tap.elapsedNs(),
  });
  const watch = new StageWatch({
    queue,
    order,
    account,
    tap,
    early,
    confidence: parts.confidence,
    tiers,
  });
  const stage: Stage = {
    number: order.number,
    load: order.load,
    purpose: order.purpose,
    ...(order.tier === undefined ? {} : { tier: order.tier }),
    seed: order.seed,
    runId: named.runId,
    directory: stageDirectory(order.number),
    startedAt: named.startedAt,
    state: 'running',
    verdict: unknown('the stage is running'),
    reasons: [],
    figures: unknown('the stage has only begun'),
  };
  const over = new AbortController();
  // A run in this process reads the server's metrics itself; with several machines nothing else does.
  let pending: Promise<void> | undefined;
  const watching = (async () => {
    for (let turn = 1; !over.signal.aborted; turn += 1) {
      await pause(clock, LOOK_MS, over.signal);
      watch.look();
      if (turn % REPORTED_LOOKS === 0 && !over.signal.aborted)
        observer.changed({
          ...stage,
          state: watch.isOver ? 'draining' : 'running',
          figures: watch.figures(),
        });
    }
  })();
  try {
    const { report } = await (parts.run ?? runBench)(
      {
        ...request,
        pattern,
        shape: order.rampMs === undefined ? request.shape : { ...request.shape, rampMs: order.rampMs },
        seed: order.seed,
        warmup: order.warmup,
        samplesMax: undefined,
        durationMs: order.durationMs,
      },
      {
        ...bench,
        ...named,
        directory: `${parts.directory}/${stage.directory}`,
        early: { drain: early.drain.signal, cancel: early.cancel.signal },
        tap,
        onServer: reading => queue.note(reading.waiting),
        observer: {
          started: run => {
            warmupRequests = run.config.run.warmupRequests;
            if (run.config.run.from !== undefined) pending = queue.watch(over.signal);
            observer.run(run, stage);
          },
          phase: phase => {
            if (phase === 'draining') watch.drains();
            observer.phase(phase);
          },
          snapshot: snapshot => observer.snapshot(snapshot),
          notice: text => observer.notice(text),
        },
      },
    );
    over.abort();
    await Promise.all([watching, pending]);
    const looks = watch.lastLooks();
    const look = looks.own;
    const figures = withCountedTokens(watch.figures(), report);
    const verdictOf = (own: Look, limitsNs?: readonly number[]): StageVerdict =>
      finalVerdict({
        purpose: order.purpose,
        look: own,
        report,
        figures,
        isStopped: bench.stop.aborted,
        ...(limitsNs === undefined ? {} : { limitsNs }),
      });
    const verdict = verdictOf(look);
    const judged = tiers.flatMap(({ name, criteria }, at) => {
      const own = looks.tiers[at];
      return own === undefined
        ? []
        : [{ name, verdict: verdictOf(own, criteria.flatMap(limitsOf)), evidence: evidenceOf(own) }];
    });
    const ended: Stage = {
      ...stage,
      state: 'ended',
      verdict,
      reasons: stageReasons({
        purpose: order.purpose,
        verdict,
        look,
        figures,
        report,
        failures: account.failures,
      }),
      figures,
      ...(report.cost === undefined ? {} : { cost: report.cost }),
      ...(order.goal.kind === 'measure' ? {} : { evidence: evidenceOf(look) }),
      ...(judged.length === 0 ? {} : { tiers: judged }),
    };
    observer.changed(ended);
    return { stage: ended, report };
  } finally {
    over.abort();
    await Promise.all([watching, pending]);
  }
};

const limitsOf = ({ objective }: StageCriterion): readonly number[] =>
  'limitNs' in objective ? [objective.limitNs] : [];

/** "stage-07". */
const stageDirectory = (number: number): string => `stage-${String(number).padStart(2, '0')}`;

/**
 * Sessions that begin at once go through their turns in step. So they begin evenly over the time that a session took in
 * an earlier stage, the one with the nearest load; if none was completed, over the time of that stage.
 * @returns undefined: requests are independent
 */
export const laneRampMs = (load: StageLoad, stages: readonly Stage[]): number | undefined => {
  if (load.kind === 'rate' || load.concurrencyOf !== 'sessions') return undefined;
  const distance = ({ load: other }: Stage): number =>
    other.kind === 'rate'
      ? Number.POSITIVE_INFINITY
      : Math.abs(Math.log(other.concurrency / load.concurrency));
  const [nearest] = stages
    .flatMap(stage =>
      isUnknown(stage.figures) || stage.figures.sessions === undefined
        ? []
        : [{ stage, ns: knownOr(stage.figures.sessions.meanNs, stage.figures.elapsedNs) }],
    )
    .toSorted((a, b) => distance(a.stage) - distance(b.stage));
  return nearest === undefined || load.concurrency === 1 ? 0 : Math.round(nearest.ns / 1e6);
};

const patternOf = (load: StageLoad): RunPattern =>
  load.kind === 'rate'
    ? { ...stageArrival(load), requestsPerSecond: load.requestsPerSecond }
    : { kind: 'concurrency', concurrency: load.concurrency };

const LOOK_MS = 100;
const REPORTED_LOOKS = 10;
