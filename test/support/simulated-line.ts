// A whole search for a load line on the virtual clock, against an exact queue: what the driver does with real stages.

import { foundLine, type SearchEnd } from '../../src/bench/line/found-line.ts';
import { evidenceOf } from '../../src/bench/line/line-estimate.ts';
import {
  capacityEstimate,
  idleLatencyNs,
  nextStep,
  type SearchedStage,
  type SearchOptions,
  type SearchStep,
} from '../../src/bench/line/line-search.ts';
import { type Look, StageDecider } from '../../src/bench/line/stage-decider.ts';
import { type Criterion, StageLedger } from '../../src/bench/line/stage-ledger.ts';
import { arrivals } from '../../src/bench/schedule/arrivals.ts';
import type { StageAccount } from '../../src/bench/sweep/stage-account.ts';
import type { EndedSample, SampleFailure } from '../../src/core/run/ended-sample.ts';
import { burstinessOf } from '../../src/core/run/run-pattern.ts';
import {
  type StageLoad,
  type StageVerdict,
  stageArrival,
  stageConfidence,
} from '../../src/core/sweep/stage.ts';
import type { LoadLine } from '../../src/core/sweep/sweep-document.ts';
import { type QueueModel, QueueSimulator } from './queue-simulator.ts';
import { sampleOf } from './sample-of.ts';

export interface SimulatedEndpoint {
  readonly model: QueueModel;
  readonly objective: SimulatedObjective;
  /** What becomes of a request, by the time since the search began. */
  readonly behaviour?: Behaviour;
}

/** Of the latency, from when a request was due. */
export interface SimulatedObjective {
  readonly limitNs: number;
  /** Of requests that may be over the limit, as a percentile or an attainment has it; undefined: the limit is one of the mean. */
  readonly share: number | undefined;
}

export interface Behaviour {
  /** Stretches the service: 1 / 0.7 is a capacity that has dropped by 30 %. */
  stretch?(atNs: number): number;
  fails?(draw: number): boolean;
  /** Refused at once when so many are in flight. */
  readonly refusesFrom?: number;
  /** Never answers from so many in flight on. */
  readonly hangsFrom?: number;
}

export interface SimulatedStage {
  readonly verdict: StageVerdict;
  readonly look: Look;
  /** By the endpoint's objective, and by each further one. */
  readonly looks: readonly Look[];
  readonly issued: number;
  readonly elapsedNs: number;
  readonly completedPerSecond: number;
}

export const simulateStage = (
  endpoint: SimulatedEndpoint,
  load: StageLoad,
  options: {
    readonly seed: number;
    readonly durationNs: number;
    readonly count?: number | undefined;
    readonly startNs?: number;
    readonly idleLatencyNs?: number;
    readonly capacityPerSecond?: number;
    readonly confidence?: number;
    /** Further objectives, and which of all ends the stage. */
    readonly more?: readonly SimulatedObjective[];
    readonly decides?: number;
    /** It runs its whole time, and one look at its end decides. */
    readonly isFixed?: boolean;
    /** Receives all that a real stage would report; its criteria are the ones that decide. */
    readonly account?: StageAccount;
  },
): SimulatedStage => {
  const { model, objective, behaviour = {} } = endpoint;
  const { seed, durationNs, startNs = 0, count = Number.POSITIVE_INFINITY } = options;
  const queue = new QueueSimulator(model, seed + 1);
  const objectives = [objective, ...(options.more ?? [])];
  const { account } = options;
  const ledger = account?.ledger ?? new StageLedger(objectives.map(criterionOf));
  const isOpenLoop = load.kind === 'rate';
  const decider = new StageDecider({
    ledger,
    isOpenLoop,
    confidence: options.confidence ?? 0.95,
    endNs: durationNs,
    ...(options.more === undefined ? {} : { groups: objectives.map(() => 1) }),
    ...(options.decides === undefined ? {} : { decides: options.decides }),
    ...(options.idleLatencyNs === undefined ? {} : { idleLatencyNs: options.idleLatencyNs }),
    ...(options.capacityPerSecond === undefined ? {} : { capacityPerSecond: options.capacityPerSecond }),
    ...(load.kind === 'rate' ? { burstiness: burstinessOf(stageArrival(load)) } : {}),
  });
  const schedule =
    load.kind === 'rate'
      ? arrivals({ ...stageArrival(load), requestsPerSecond: load.requestsPerSecond }, seed)
      : undefined;
  const pending = new EndHeap();
  const failing = behaviour.fails === undefined ? undefined : new QueueSimulator(model, seed + 2);
  let index = 0;
  let nowNs = 0;
  let users = load.kind === 'concurrency' ? load.concurrency : 0;
  let nextNs = schedule?.nextNs() ?? 0;
  const end = (ended: PendingEnd): void => {
    if (account !== undefined) account.ended(ended.index, sampleAt(ended), 0);
    else
      ledger.addEnded({
        index: ended.index,
        endedNs: ended.endedNs,
        outcome: ended.failure === undefined ? 'completed' : 'failed',
        values: objectives.map(each =>
          figureOf(each, ended.endedNs - ended.issuedNs, ended.failure !== undefined),
        ),
      });
    if (!isOpenLoop) users += 1;
  };
  /** Requests in flight are followed to the end, or cut off: after a queue that grows, and if no end comes. */
  function drain({ verdict }: Look): void {
    while (pending.size > 0) {
      const open = pending.pop();
      if (verdict === 'over-capacity' || !Number.isFinite(open.endedNs))
        account?.ended(
          open.index,
          { ...sampleAt({ ...open, endedNs: nowNs }), outcome: 'cancelled', failure: undefined },
          0,
        );
      else end(open);
    }
  }
  const issue = (atNs: number): void => {
    (account ?? { issued: ledger.addIssued.bind(ledger) }).issued(index, atNs);
    const inFlight = pending.size;
    const isRefused = inFlight >= (behaviour.refusesFrom ?? Number.POSITIVE_INFINITY);
    const isHung = inFlight >= (behaviour.hangsFrom ?? Number.POSITIVE_INFINITY);
    if (isRefused) pending.push({ index, issuedNs: atNs, endedNs: atNs + 1e6, failure: REFUSED });
    else if (isHung)
      pending.push({ index, issuedNs: atNs, endedNs: Number.POSITIVE_INFINITY, failure: HUNG });
    else {
      queue.arrive(atNs, behaviour.stretch?.(startNs + atNs) ?? 1);
      const isFailed = failing !== undefined && behaviour.fails?.(failing.draw()) === true;
      pending.push({ index, issuedNs: atNs, endedNs: queue.endedNs, failure: isFailed ? FAILED : undefined });
    }
    index += 1;
  };
  for (;;) {
    if (!isOpenLoop && users > 0 && nowNs < durationNs) {
      users -= 1;
      issue(nowNs);
      continue;
    }
    const endNs = pending.nextNs;
    const isEnd = !isOpenLoop || endNs <= nextNs;
    nowNs = Math.min(isEnd ? endNs : nextNs, durationNs);
    if (nowNs >= durationNs) break;
    if (isEnd) end(pending.pop());
    else {
      issue(nowNs);
      nextNs = schedule?.nextNs() ?? Number.POSITIVE_INFINITY;
    }
    if (ledger.ended >= count) break;
    if (options.count !== undefined || options.isFixed === true) continue;
    const look = decider.look(nowNs);
    if (look !== undefined && (look.verdict !== 'undecided' || look.isFutile)) return reported(look, nowNs);
  }
  function reported(look: Look, elapsedNs: number): SimulatedStage {
    if (account !== undefined) drain(look);
    const verdict = ledger.completed === 0 ? 'broken' : look.verdict;
    const completedPerSecond = elapsedNs === 0 ? 0 : (ledger.completed * 1e9) / elapsedNs;
    return { verdict, look, looks: decider.looks, issued: ledger.issued, elapsedNs, completedPerSecond };
  }
  return reported(decider.lookNow(nowNs), nowNs);
};

const criterionOf = ({ limitNs, share }: SimulatedObjective): Criterion =>
  share === undefined
    ? { kind: 'mean', limit: limitNs, isOfTimes: true, ...NEVER_OVERDUE }
    : { kind: 'share', limit: share, isOfTimes: true, ...NEVER_OVERDUE, overdueNs: limitNs };

const figureOf = ({ limitNs, share }: SimulatedObjective, latencyNs: number, isFailed: boolean): number => {
  if (share === undefined) return isFailed ? Number.NaN : latencyNs;
  return isFailed ? Number.POSITIVE_INFINITY : latencyNs / limitNs;
};

interface SimulatedSearchStage extends SearchedStage {
  readonly issued: number;
  readonly elapsedNs: number;
}

interface SimulatedLine {
  readonly line: LoadLine;
  readonly stages: readonly SimulatedSearchStage[];
  readonly elapsedNs: number;
  readonly issued: number;
}

export interface SimulationOptions {
  readonly seed: number;
  readonly budgetMs: number;
  /** Stages of a search that is resumed. */
  readonly before?: readonly SimulatedSearchStage[];
  /** Makes the account of a stage, and returns its result. */
  readonly follow?: {
    begin(step: SearchStep): StageAccount;
    ended(step: SearchStep, account: StageAccount, stage: SimulatedStage): StageVerdict;
  };
}

export const simulateLine = (
  endpoint: SimulatedEndpoint,
  { seed, budgetMs, follow, before = [], ...search }: SearchOptions & SimulationOptions,
): SimulatedLine => {
  const stages = [...before];
  let elapsedNs = before.reduce((sum, stage) => sum + stage.elapsedNs, 0);
  let issued = before.reduce((sum, stage) => sum + stage.issued, 0);
  let step: SearchStep | undefined;
  for (;;) {
    step = nextStep(stages, search, budgetMs - elapsedNs / 1e6);
    if (step === undefined) break;
    const idleNs = idleLatencyNs(stages);
    const account = follow?.begin(step);
    const simulated = simulateStage(endpoint, step.load, {
      ...(account === undefined ? {} : { account }),
      seed: seed * 1_000 + stages.length,
      durationNs: step.durationMs * 1e6,
      count: step.count,
      startNs: elapsedNs,
      confidence: stageConfidence(step.purpose, 0.95),
      ...(idleNs === undefined ? {} : { idleLatencyNs: idleNs, capacityPerSecond: capacityEstimate(stages) }),
    });
    const verdict = account === undefined ? undefined : follow?.ended(step, account, simulated);
    const stage = { ...simulated, verdict: verdict ?? simulated.verdict };
    elapsedNs += stage.elapsedNs;
    issued += stage.issued;
    stages.push({ ...step, ...stage, evidence: evidenceOf(stage.look) });
  }
  const end: SearchEnd = budgetMs - elapsedNs / 1e6 < 1_000 ? 'budget' : undefined;
  return { line: foundLine(stages, search, end), stages, elapsedNs, issued };
};

interface PendingEnd {
  readonly index: number;
  readonly issuedNs: number;
  readonly endedNs: number;
  readonly failure: SampleFailure | undefined;
}

/** Of an endpoint that answers in one piece, so that its first content comes with its last. */
const sampleAt = ({ index, issuedNs, endedNs, failure }: PendingEnd): EndedSample => {
  const [sentNs, endNs] = [Math.round(issuedNs), Math.round(endedNs)];
  const isAnswered = failure === undefined;
  return sampleOf({
    sampleId: index,
    intendedNs: sentNs,
    sentNs,
    ...(isAnswered ? { firstByteNs: endNs, firstContentNs: endNs } : {}),
    endNs,
    outcome: isAnswered ? 'completed' : 'failed',
    failure,
  });
};

const NEVER_OVERDUE = {
  overdueNs: Number.POSITIVE_INFINITY,
  firstOverdueNs: Number.POSITIVE_INFINITY,
} as const;
const REFUSED: SampleFailure = { kind: 'http-status', statusCode: 429, detail: '' };
const FAILED: SampleFailure = { kind: 'http-status', statusCode: 500, detail: '' };
const HUNG: SampleFailure = { kind: 'timeout', statusCode: 0, detail: '' };

/** The next to end first. */
class EndHeap {
  readonly #heap: PendingEnd[] = [];

  get size(): number {
    return this.#heap.length;
  }

  get nextNs(): number {
    return this.#heap[0]?.endedNs ?? Number.POSITIVE_INFINITY;
  }

  push(end: PendingEnd): void {
    const heap = this.#heap;
    let at = heap.push(end) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.endedNs <= end.endedNs) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = end;
  }

  pop(): PendingEnd {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) throw new RangeError('nothing is in flight');
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      const smaller = right !== undefined && right.endedNs < left.endedNs ? right : left;
      if (smaller.endedNs >= last.endedNs) break;
      heap[at] = smaller;
      at = smaller === left ? child : child + 1;
    }
    if (heap.length > 0) heap[at] = last;
    return first;
  }
}
