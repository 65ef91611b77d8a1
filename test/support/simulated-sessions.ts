// Sessions in lanes against a server that batches, on the virtual clock: a lane begins the next session as one ends. All
// requests of a batch get one token a step, and a step takes longer the larger the batch is; requests beyond the slots
// wait. Its line is known by very many sessions at each number of lanes.

import { foundLine, type SearchEnd } from '../../src/bench/line/found-line.ts';
import { evidenceOf } from '../../src/bench/line/line-estimate.ts';
import { nextStep, type SearchedStage, type SearchOptions } from '../../src/bench/line/line-search.ts';
import { type Look, StageDecider } from '../../src/bench/line/stage-decider.ts';
import { StageAccount } from '../../src/bench/sweep/stage-account.ts';
import { stageCriterion } from '../../src/bench/sweep/stage-criteria.ts';
import { EarliestFirst } from '../../src/core/earliest-first.ts';
import { type SeededRandom, seededRandom } from '../../src/core/random.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import type { JudgedObjective } from '../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { stageConfidence } from '../../src/core/sweep/stage.ts';
import type { LoadLine } from '../../src/core/sweep/sweep-document.ts';
import { sampleOf } from './sample-of.ts';

export interface SessionModel {
  /** Largest batch. */
  readonly slots: number;
  /** A step takes so long, and so much more for each request in the batch. */
  readonly stepNs: number;
  readonly perRequestNs: number;
  /** Least and most, each equally probable. */
  readonly turns: readonly [number, number];
  /** Mean of an exponential time before each turn but the first. */
  readonly thinkNs: number;
  /** In steps: a first prompt is read whole, later ones are cached but for their end. */
  readonly firstPrompt: number;
  readonly laterPrompt: number;
  /** Mean of a log-normal number with a coefficient of variation of 0.5. */
  readonly outputTokens: number;
  /** By how much the answers of one session differ from those of others: the coefficient of variation of its mean. */
  readonly sessionVariation: number;
}

interface LaneOptions {
  readonly lanes: number;
  /** Lanes begin evenly over it; sessions that begin before it is over are not measured. */
  readonly rampNs: number;
  /** From its end. */
  readonly durationNs: number;
  readonly seed: number;
}

interface LaneSink {
  issued(turn: SimulatedTurn): void;
  firstContent(turn: SimulatedTurn): void;
  /** @returns whether the stage ends */
  ended(turn: SimulatedTurn): boolean;
}

interface SimulatedTurn {
  readonly row: number;
  readonly session: number;
  readonly turn: number;
  readonly turns: number;
  readonly isMeasured: boolean;
  /** From the end of the ramp. */
  readonly issuedNs: number;
  readonly prompt: number;
  readonly tokens: number;
  /** Of the whole session. */
  readonly mean: number;
  firstNs: number;
  endNs: number;
}

/** @returns when it ended, ns from the end of the ramp */
export const simulateLanes = (model: SessionModel, options: LaneOptions, sink: LaneSink): number => {
  const { lanes, rampNs, durationNs, seed } = options;
  const draws = new Draws(seed);
  const timers = new EarliestFirst<Due>(({ atNs }) => atNs);
  const steps = new EarliestFirst<Milestone>(({ at }) => at);
  const queue: SimulatedTurn[] = [];
  let [nowNs, step, active, sessions, rows, queued] = [-rampNs, 0, 0, 0, 0, 0];
  for (let lane = 0; lane < lanes; lane += 1)
    timers.add({ atNs: -rampNs + (lane * rampNs) / lanes, next: undefined });
  const stepNs = (): number => model.stepNs + model.perRequestNs * active;
  const admit = (turn: SimulatedTurn): void => {
    active += 1;
    steps.add({ at: step + turn.prompt, turn, isFirst: true });
  };
  const issue = (next: Omit<SimulatedTurn, 'issuedNs' | 'firstNs' | 'endNs'>): void => {
    const turn = { ...next, issuedNs: nowNs, firstNs: 0, endNs: 0 };
    if (turn.isMeasured) sink.issued(turn);
    if (active < model.slots) admit(turn);
    else queue.push(turn);
  };
  const begin = (): void => {
    const turns = draws.whole(model.turns);
    const mean = draws.logNormal(model.outputTokens, model.sessionVariation);
    issue({
      row: rows,
      session: sessions,
      turn: 0,
      turns,
      isMeasured: nowNs >= 0,
      prompt: model.firstPrompt,
      tokens: draws.logNormal(mean, 0.5),
      mean,
    });
    rows += turns;
    sessions += 1;
  };
  for (;;) {
    const milestone = steps.first;
    const atNs =
      milestone === undefined ? Number.POSITIVE_INFINITY : nowNs + (milestone.at - step) * stepNs();
    const due = timers.first;
    const nextNs = Math.min(atNs, due?.atNs ?? Number.POSITIVE_INFINITY);
    if (nextNs >= durationNs) return durationNs;
    step += (nextNs - nowNs) / stepNs();
    nowNs = nextNs;
    if (due !== undefined && due.atNs <= atNs) {
      timers.take();
      if (due.next === undefined) begin();
      else issue(due.next);
      continue;
    }
    if (milestone === undefined) return nowNs;
    steps.take();
    const { turn, isFirst } = milestone;
    if (isFirst) {
      turn.firstNs = nowNs;
      if (turn.isMeasured) sink.firstContent(turn);
      steps.add({ at: step + turn.tokens, turn, isFirst: false });
      continue;
    }
    turn.endNs = nowNs;
    active -= 1;
    const waiting = queue[queued];
    if (waiting !== undefined) {
      queued += 1;
      admit(waiting);
    }
    if (turn.turn + 1 < turn.turns)
      timers.add({
        atNs: nowNs + draws.exponential(model.thinkNs),
        next: {
          ...turn,
          row: turn.row + 1,
          turn: turn.turn + 1,
          prompt: model.laterPrompt,
          tokens: draws.logNormal(turn.mean, 0.5),
        },
      });
    else timers.add({ atNs: nowNs, next: undefined });
    if (turn.isMeasured && sink.ended(turn)) return nowNs;
  }
};

interface Due {
  readonly atNs: number;
  /** undefined: a new session. */
  readonly next: Omit<SimulatedTurn, 'issuedNs' | 'firstNs' | 'endNs'> | undefined;
}

interface Milestone {
  /** In steps. */
  readonly at: number;
  readonly turn: SimulatedTurn;
  readonly isFirst: boolean;
}

class Draws {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  whole([from, to]: readonly [number, number]): number {
    return from + Math.floor(this.#random.next() * (to - from + 1));
  }

  exponential(mean: number): number {
    return -mean * Math.log1p(-this.#random.next());
  }

  logNormal(mean: number, variation: number): number {
    const sigma = Math.sqrt(Math.log1p(variation ** 2));
    const radius = Math.sqrt(-2 * Math.log1p(-this.#random.next()));
    return mean * Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.#random.next()) - sigma ** 2 / 2);
  }
}

export interface SimulatedSessions {
  readonly model: SessionModel;
  readonly objectives: readonly JudgedObjective[];
}

interface SessionLine {
  readonly line: LoadLine;
  readonly stages: readonly (SearchedStage & { readonly sessions: number; readonly elapsedNs: number })[];
  readonly elapsedNs: number;
}

/** A search by sessions, as the driver does it with real stages. */
export const simulateSessionLine = (
  { model, objectives }: SimulatedSessions,
  { seed, budgetMs, ...search }: SearchOptions & { readonly seed: number; readonly budgetMs: number },
): SessionLine => {
  const stages: SessionLine['stages'][number][] = [];
  let elapsedNs = 0;
  let sessionNs = 0;
  for (;;) {
    const leftMs = budgetMs - elapsedNs / 1e6;
    const next = nextStep(stages, search, leftMs);
    if (next === undefined || next.load.kind !== 'concurrency') break;
    const lanes = next.load.concurrency;
    const rampNs = lanes === 1 ? 0 : sessionNs;
    const durationNs = Math.max(1e9, Math.min(next.durationMs * 1e6, leftMs * 1e6 - rampNs));
    const account = new StageAccount(objectives.map(stageCriterion), {
      pattern: { kind: 'concurrency', concurrency: lanes },
      shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
      isStreaming: true,
    });
    const decider = new StageDecider({
      ledger: account.ledger,
      sessions: account.sessions?.ledger,
      isOpenLoop: false,
      confidence: stageConfidence(next.purpose, 0.95),
      endNs: durationNs,
    });
    let decided: Look | undefined;
    const endedNs = simulateLanes(
      model,
      { lanes, rampNs, durationNs, seed: seed * 1_000 + stages.length },
      {
        issued: ({ row, session, turn, turns, issuedNs }) => {
          account.issued(row, issuedNs);
          account.placed(row, { session, turn, turns });
        },
        firstContent: ({ row, firstNs }) => account.firstContent(row, firstNs),
        ended: turn => {
          account.ended(turn.row, sampleAt(turn), 0);
          const look = decider.look(turn.endNs);
          if (look === undefined || (look.verdict === 'undecided' && !look.isFutile)) return false;
          decided = look;
          return true;
        },
      },
    );
    const look = decided ?? decider.lookNow(endedNs);
    const sessions = account.sessions?.figures();
    if (sessions !== undefined)
      sessionNs = typeof sessions.meanNs === 'number' ? sessions.meanNs : Math.max(sessionNs, endedNs);
    elapsedNs += rampNs + endedNs;
    stages.push({
      ...next,
      verdict: account.ledger.completed === 0 ? 'broken' : look.verdict,
      completedPerSecond: (account.ledger.completed * 1e9) / endedNs,
      evidence: evidenceOf(look),
      sessions: sessions?.completed ?? 0,
      elapsedNs: rampNs + endedNs,
    });
  }
  const end: SearchEnd = budgetMs - elapsedNs / 1e6 < 1_000 ? 'budget' : undefined;
  return { line: foundLine(stages, search, end), stages, elapsedNs };
};

const sampleAt = ({
  row,
  session,
  turn,
  turns,
  issuedNs,
  firstNs,
  endNs,
  tokens,
}: SimulatedTurn): EndedSample => {
  const sentNs = Math.round(issuedNs);
  const firstContentNs = Math.max(sentNs, Math.round(firstNs));
  const lastNs = Math.max(firstContentNs, Math.round(endNs));
  return sampleOf({
    sampleId: row,
    intendedNs: sentNs,
    sentNs,
    firstByteNs: firstContentNs,
    firstContentNs,
    chunkGapsNs: [lastNs - firstContentNs],
    chunkCount: 2,
    endNs: lastNs,
    outputTokens: Math.max(2, Math.round(tokens) + 1),
    turn: { session, turn, turns },
  });
};
