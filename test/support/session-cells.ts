// Servers and objectives whose load line in sessions is known: from very many sessions at each number of them.

import { stageCriterion } from '../../src/bench/sweep/stage-criteria.ts';
import { isOfWholeSessions } from '../../src/core/run/objective.ts';
import { type SessionModel, type SimulatedSessions, simulateLanes } from './simulated-sessions.ts';

/** The most lanes at which each objective is met, by so many sessions at each number. */
export const trueSessions = ({ model, objectives }: SimulatedSessions, sessionCount: number): number => {
  let [low, high] = [0, 1];
  while (isCarried({ model, objectives }, high, sessionCount)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isCarried({ model, objectives }, middle, sessionCount)) low = middle;
    else high = middle;
  }
  return low;
};

const isCarried = (
  { model, objectives }: SimulatedSessions,
  lanes: number,
  sessionCount: number,
): boolean => {
  const criteria = objectives.map(stageCriterion);
  const sums = criteria.map(() => ({ over: 0, count: 0 }));
  const beganNs = new Map<number, number>();
  let over = 0;
  const add = (at: number, value: number): void => {
    const sum = sums[at];
    if (sum === undefined || Number.isNaN(value)) return;
    sum.count += 1;
    if (value > 1) sum.over += 1;
  };
  simulateLanes(
    model,
    { lanes, rampNs: RAMP_NS, durationNs: Number.POSITIVE_INFINITY, seed: TRUTH_SEED },
    {
      issued: ({ session, turn, issuedNs }) => {
        if (turn === 0) beganNs.set(session, issuedNs);
      },
      firstContent: () => undefined,
      ended: turn => {
        const { issuedNs, firstNs, endNs, tokens, session } = turn;
        const isLast = turn.turn + 1 === turn.turns;
        const figures = {
          ttftNs: firstNs - issuedNs,
          tpotNs: (endNs - firstNs) / Math.max(1, Math.round(tokens)),
          latencyNs: endNs - issuedNs,
          outputTokens: Math.max(2, Math.round(tokens) + 1),
        };
        const sessionNs = endNs - (beganNs.get(session) ?? endNs);
        for (const [at, criterion] of criteria.entries()) {
          const isOfSession = isOfWholeSessions(criterion.objective);
          if (!isOfSession) add(at, criterion.valueOf('completed', figures));
          else if (isLast) add(at, criterion.valueOf('completed', { sessionNs, outputTokens: -1 }));
        }
        if (!isLast) return false;
        beganNs.delete(session);
        over += 1;
        return over >= sessionCount;
      },
    },
  );
  return sums.every(({ over: missed, count }, at) => missed <= (criteria[at]?.limit ?? 0) * count);
};

/** A few sessions of any model here. */
const RAMP_NS = 300e9;
const TRUTH_SEED = 4_711;

interface SessionCell extends SimulatedSessions {
  readonly name: string;
  /** Of a search: verdicts on whole sessions take some hundred of them. */
  readonly budgetMs: number;
}

/** A step of 20 ms and 1 ms for each request; chats of 2 to 8 turns with 3 s between them. */
const CHAT: SessionModel = {
  slots: 64,
  stepNs: 20e6,
  perRequestNs: 1e6,
  turns: [2, 8],
  thinkNs: 3e9,
  firstPrompt: 20,
  laterPrompt: 6,
  outputTokens: 60,
  sessionVariation: 0.3,
};

/** Agents: many turns without pauses, and sessions that differ much. */
const AGENT: SessionModel = {
  ...CHAT,
  slots: 16,
  turns: [3, 20],
  thinkNs: 0.5e9,
  outputTokens: 40,
  sessionVariation: 0.6,
};

const MS = 1e6;
const HOUR = 3_600_000;

export const SESSION_CELLS: readonly SessionCell[] = [
  {
    name: 'chats, TTFT p95',
    model: CHAT,
    budgetMs: HOUR,
    objectives: [{ kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 900 * MS }],
  },
  {
    name: 'chats, speed ≥ 20 for 95 %',
    model: CHAT,
    budgetMs: HOUR,
    objectives: [{ kind: 'attainment', share: 0.95, limits: [{ name: 'tpot', limitNs: 50 * MS }] }],
  },
  {
    name: 'chats, session p95',
    model: CHAT,
    budgetMs: 4 * HOUR,
    objectives: [{ kind: 'percentile', name: 'session', percentile: 95, limitNs: 45_000 * MS }],
  },
  {
    name: 'agents, TTFT p95 behind 16 slots',
    model: AGENT,
    budgetMs: HOUR,
    objectives: [{ kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 1_500 * MS }],
  },
  {
    name: 'agents, session p90 and TTFT p90',
    model: AGENT,
    budgetMs: 4 * HOUR,
    objectives: [
      { kind: 'percentile', name: 'session', percentile: 90, limitNs: 60_000 * MS },
      { kind: 'percentile', name: 'ttft', percentile: 90, limitNs: 1_500 * MS },
    ],
  },
];
