// Watches a running stage, and ends it as soon as its purpose is reached.

import { burstinessOf } from '../../core/run/run-pattern.ts';
import { type StageLoad, type StagePurpose, stageArrival } from '../../core/sweep/stage.ts';
import { type Look, StageDecider } from '../line/stage-decider.ts';
import type { Warmup } from '../run/bench-request.ts';
import type { ServerQueue } from './server-queue.ts';
import type { StageAccount } from './stage-account.ts';
import type { StageCriterion } from './stage-criteria.ts';
import { stageFigures } from './stage-figures.ts';
import type { StageSampler } from './stage-sampler.ts';

export interface StageOrder {
  /** From 1. */
  readonly number: number;
  readonly load: StageLoad;
  readonly purpose: StagePurpose;
  readonly seed: number;
  /** Duration of the load; requests in flight then are followed to their end. */
  readonly durationMs: number;
  readonly warmup: Warmup;
  /** The tier whose verdict ends the stage; missing for the search's own objectives. */
  readonly tier?: string | undefined;
  /** Before its duration, in which sessions begin evenly and are not measured; default: that of the request. */
  readonly rampMs?: number;
  readonly goal: /** Until it is known whether the load holds. */
    | {
        readonly kind: 'decide';
        /** Latency of an idle endpoint, from earlier stages. */
        readonly idleLatencyNs: number | undefined;
        readonly capacityPerSecond: number | undefined;
      }
    /** Until so many requests have ended. */
    | { readonly kind: 'count'; readonly ended: number }
    /** Its whole time, unless the queue grows. */
    | { readonly kind: 'measure' };
}

interface StageWatchOptions {
  readonly order: StageOrder;
  readonly account: StageAccount;
  readonly tap: StageSampler;
  readonly queue: ServerQueue;
  readonly early: { readonly drain: AbortController; readonly cancel: AbortController };
  readonly confidence: number;
  readonly tiers: readonly { readonly name: string; readonly criteria: readonly StageCriterion[] }[];
}

export class StageWatch {
  readonly #options: StageWatchOptions;
  readonly #decider: StageDecider;
  #decided: Look | undefined;
  #loadEndNs: number | undefined;
  #drainingSinceNs: number | undefined;

  constructor(options: StageWatchOptions) {
    const { account, order, confidence, tiers } = options;
    const known: Partial<Extract<StageOrder['goal'], { kind: 'decide' }>> =
      order.goal.kind === 'decide' ? order.goal : {};
    const { idleLatencyNs, capacityPerSecond } = known;
    this.#options = options;
    this.#decider = new StageDecider({
      ledger: account.ledger,
      sessions: account.sessions?.ledger,
      isOpenLoop: account.isOpenLoop && !account.isCapped,
      confidence,
      endNs: order.durationMs * 1e6,
      groups: [account.criteria.length, ...tiers.map(({ criteria }) => criteria.length)],
      decides: order.tier === undefined ? 0 : 1 + tiers.findIndex(({ name }) => name === order.tier),
      ...(idleLatencyNs === undefined ? {} : { idleLatencyNs }),
      ...(capacityPerSecond === undefined ? {} : { capacityPerSecond }),
      ...(order.load.kind === 'rate' ? { burstiness: burstinessOf(stageArrival(order.load)) } : {}),
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
    // Facts arrive up to a few batches late: what has not arrived yet is not missing.
    const reportedNs = Math.min(elapsedNs, tap.reportedNs());
    const horizonNs = reportedNs - FACTS_LATE_NS;
    // If facts of agents stop arriving, the stage takes its whole time.
    if (
      horizonNs <= 0 ||
      elapsedNs - reportedNs > FACTS_BEHIND_NS ||
      !this.#isDone(this.#decider.look(horizonNs))
    )
      return;
    this.#loadEndNs = elapsedNs;
    (this.#decided?.verdict === 'over-capacity' ? early.cancel : early.drain).abort();
  }

  drains(): void {
    this.#loadEndNs ??= this.#options.tap.elapsedNs();
    this.#drainingSinceNs ??= this.#options.tap.elapsedNs();
  }

  /** The look that ended it, or one at the end of its time: for the search's own objectives, and for each tier. */
  lastLooks(): { readonly own: Look; readonly tiers: readonly Look[] } {
    this.#decided ??= this.#decider.lookNow(this.#loadEndNs ?? 0);
    const [own = this.#decided, ...tiers] = this.#decider.looks;
    return { own, tiers };
  }

  figures(): ReturnType<typeof stageFigures> {
    const { account, order, queue, tap } = this.#options;
    const elapsedNs = Math.max(0, this.#loadEndNs ?? tap.elapsedNs() ?? 0);
    const look = this.#decided === undefined ? undefined : this.#decider.looks[0];
    return stageFigures({ account, load: order.load, elapsedNs, look, queue: queue.readings });
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

/** Batches are sent every 20 ms, and parsed within a few more. */
const FACTS_LATE_NS = 150e6;
/** From agents they come every 50 ms, and their transfer takes less than a second. */
const FACTS_BEHIND_NS = 1_000e6;
/** Requests still in flight this long after the load are cancelled: the next stage waits for them. */
const DRAIN_MS_MAX = 30_000;
