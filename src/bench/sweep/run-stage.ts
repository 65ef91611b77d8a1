// One stage: an ordinary run in its own directory, watched while it goes on, and ended as soon as what it is for is known. A
// stage that is over capacity is cancelled, because its queue would take longer to drain than it took to grow.

import { pause } from '../../clock/until-aborted.ts';
import { judgedObjectives, objectiveFields } from '../../core/run/objective.ts';
import type { Report } from '../../core/run/report.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { Stage, StageLoad, StagePurpose } from '../../core/sweep/stage.ts';
import { unknown } from '../../core/unknown.ts';
import { runBench } from '../bench.ts';
import type { Look } from '../line/stage-decider.ts';
import { StageDecider } from '../line/stage-decider.ts';
import type { BenchParts, StartedRun } from '../run/bench-parts.ts';
import type { BenchRequest, Warmup } from '../run/bench-request.ts';
import type { SessionPhase } from '../run/session.ts';
import { StageAccount } from './stage-account.ts';
import { stageCriterion } from './stage-criteria.ts';
import { stageFigures } from './stage-figures.ts';
import { StageTap } from './stage-tap.ts';
import { finalVerdict, stageReasons } from './stage-words.ts';

export interface StageOrder {
  /** From 1. */
  readonly number: number;
  readonly load: StageLoad;
  readonly purpose: StagePurpose;
  readonly seed: number;
  /** Of the load; what is in flight then is followed to its end. */
  readonly durationMs: number;
  readonly warmup: Warmup;
  readonly goal: /** Until it is known whether the load holds. */
    | {
        readonly kind: 'decide';
        /** What stages before have told of the endpoint. */
        readonly idleLatencyNs: number | undefined;
        readonly idleValues: readonly (number | undefined)[];
        readonly capacityPerSecond: number | undefined;
      }
    /** Until so many requests have ended. */
    | { readonly kind: 'count'; readonly ended: number }
    /** Its whole time, unless the queue grows. */
    | { readonly kind: 'measure' };
}

export interface StageParts {
  /** Pattern, time, warm-up and seed are the stage's own; of a shape its ramp, its warm-up and its bound, not its steps. */
  readonly request: BenchRequest;
  readonly bench: Omit<
    BenchParts,
    'runId' | 'startedAt' | 'noncePrefix' | 'directory' | 'observer' | 'early' | 'tap'
  >;
  /** Ids and nonces are random, which nothing in here is. */
  newRun(number: number): Pick<BenchParts, 'runId' | 'startedAt' | 'noncePrefix'>;
  /** The directory of the stages. */
  readonly directory: string;
  readonly confidence: number;
  /** Makes its run, of many machines say; by default this process loads. */
  readonly run?: typeof runBench;
  readonly observer: StageObserver;
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
  /** The last one, which decided or did not. */
  readonly look: Look;
}

/** @throws BenchError as a run does, before anything was measured. */
export const runStage = async (order: StageOrder, parts: StageParts): Promise<EndedStage> => {
  const { request, bench, observer } = parts;
  const { clock } = bench;
  const pattern = patternOf(order.load);
  const named = parts.newRun(order.number);
  const judged = judgedObjectives(objectiveFields(request.objectives, request.attainment));
  const account = new StageAccount(judged.map(stageCriterion), {
    pattern,
    shape: request.shape,
    isStreaming: request.isStreaming,
  });
  let warmupRequests = 0;
  const tap = new StageTap(account, () => warmupRequests);
  const early = { drain: new AbortController(), cancel: new AbortController() };
  const watch = new StageWatch({
    order,
    account,
    tap,
    early,
    confidence: parts.confidence,
  });
  const stage: Stage = {
    number: order.number,
    load: order.load,
    purpose: order.purpose,
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
  const watching = (async () => {
    for (let turn = 1; !over.signal.aborted; turn += 1) {
      await pause(clock, LOOK_MS, over.signal);
      watch.look();
      if (turn % TOLD_LOOKS === 0 && !over.signal.aborted)
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
        observer: {
          started: run => {
            warmupRequests = run.config.run.warmupRequests;
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
    await watching;
    const look = watch.lastLook();
    const figures = watch.figures();
    const verdict = finalVerdict({
      purpose: order.purpose,
      look,
      report,
      figures,
      isStopped: bench.stop.aborted,
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
    };
    observer.changed(ended);
    return { stage: ended, report, look };
  } finally {
    over.abort();
    await watching;
  }
};

interface WatchOptions {
  readonly order: StageOrder;
  readonly account: StageAccount;
  readonly tap: StageTap;
  readonly early: { readonly drain: AbortController; readonly cancel: AbortController };
  readonly confidence: number;
}

/** Looks at a running stage and ends it. */
class StageWatch {
  readonly #options: WatchOptions;
  readonly #decider: StageDecider;
  #decided: Look | undefined;
  #loadEndNs: number | undefined;
  #drainingSinceNs: number | undefined;

  constructor(options: WatchOptions) {
    const { account, order, confidence } = options;
    const known: Partial<Extract<StageOrder['goal'], { kind: 'decide' }>> =
      order.goal.kind === 'decide' ? order.goal : {};
    const { idleLatencyNs, idleValues = [], capacityPerSecond } = known;
    this.#options = options;
    this.#decider = new StageDecider({
      ledger: account.ledger,
      isOpenLoop: account.isOpenLoop && !account.isCapped,
      confidence,
      endNs: order.durationMs * 1e6,
      idleValues,
      ...(idleLatencyNs === undefined ? {} : { idleLatencyNs }),
      ...(capacityPerSecond === undefined ? {} : { capacityPerSecond }),
    });
  }

  /** Its load has ended. */
  get isOver(): boolean {
    return this.#loadEndNs !== undefined;
  }

  look(): void {
    const { tap, early } = this.#options;
    const elapsedNs = tap.elapsedNs();
    if (elapsedNs === undefined) return;
    if (this.#drainingSinceNs !== undefined) {
      if (elapsedNs - this.#drainingSinceNs > DRAIN_MS_MAX * 1e6) early.cancel.abort();
      return;
    }
    if (this.isOver) return;
    // Facts come up to a few batches late: what is not told yet is not missing.
    const horizonNs = elapsedNs - FACTS_LATE_NS;
    if (horizonNs <= 0 || !this.#isDone(this.#decider.look(horizonNs))) return;
    this.#loadEndNs = elapsedNs;
    (this.#decided?.verdict === 'over-capacity' ? early.cancel : early.drain).abort();
  }

  drains(): void {
    this.#loadEndNs ??= this.#options.tap.elapsedNs();
    this.#drainingSinceNs ??= this.#options.tap.elapsedNs();
  }

  /** What ended it, or what its whole time says. */
  lastLook(): Look {
    this.#decided ??= this.#decider.lookNow(this.#loadEndNs ?? 0);
    return this.#decided;
  }

  figures(): ReturnType<typeof stageFigures> {
    const { account, order, tap } = this.#options;
    const elapsedNs = Math.max(0, this.#loadEndNs ?? tap.elapsedNs() ?? 0);
    return stageFigures({ account, load: order.load, elapsedNs, look: this.#decided });
  }

  #isDone(look: Look | undefined): boolean {
    const { order, account } = this.#options;
    switch (order.goal.kind) {
      case 'count':
        return account.ledger.ended >= order.goal.ended;
      case 'decide':
        if (look === undefined || (look.verdict === 'undecided' && !look.isFutile)) return false;
        this.#decided = look;
        return true;
      case 'measure':
        if (look?.verdict !== 'over-capacity') return false;
        this.#decided = look;
        return true;
      default:
        return order.goal satisfies never;
    }
  }
}

/** "stage-07". */
export const stageDirectory = (number: number): string => `stage-${String(number).padStart(2, '0')}`;

const patternOf = (load: StageLoad): RunPattern =>
  load.kind === 'rate'
    ? { kind: load.arrival, requestsPerSecond: load.requestsPerSecond }
    : { kind: 'concurrency', concurrency: load.concurrency };

const LOOK_MS = 100;
const TOLD_LOOKS = 10;
/** Batches are told each 20 ms, and parsed within a few more. */
const FACTS_LATE_NS = 150e6;
/** Whoever is still in flight so long after the load is cancelled: the next stage waits for them. */
const DRAIN_MS_MAX = 30_000;
