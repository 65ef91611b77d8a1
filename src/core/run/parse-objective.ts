// Objectives and the share that must meet them, as people write them: "ttft=500ms,error-rate=0.1%", "95%".

import { exactPercent, type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import { nearest } from '../text/nearest.ts';
import { isOfWholeSessions, OBJECTIVE_NAMES, type Objective, objectiveNamed } from './objective.ts';

/** One, or several with commas between. */
export const parseObjectives = (text: string): Parsed<readonly Objective[]> => {
  const read: Objective[] = [];
  for (const item of text.split(',')) {
    const result = parseObjective(item);
    if (result.kind === 'wrong') return result;
    read.push(result.value);
  }
  return parsed(read);
};

/** "95%": above 0, at most 100, as a share of 1. */
export const parseAttainment = (text: string): Parsed<number> => {
  const share = percent(text);
  return share !== undefined && share > 0 && share <= 1
    ? parsed(share)
    : wrong(
        `${quoted(text)} is not a share of requests`,
        'Write a percentage above 0 and up to 100: --attainment 95%',
      );
};

const parseObjective = (item: string): Parsed<Objective> => {
  const [, turn, rest = item] = OF_TURNS.exec(item) ?? [];
  const objective = parseOfTurns(rest);
  if (turn === undefined || objective.kind === 'wrong') return objective;
  const { value } = objective;
  const fromTurn = Number(turn);
  if (fromTurn < 2)
    return wrong(`${quoted(item)} is of every turn`, `Leave out the turn: --slo ${rest.trim()}`);
  if (value.kind === 'request' || value.kind === 'error-rate' || isOfWholeSessions(value))
    return wrong(
      `${quoted(item)} is not of single turns`,
      `Only a percentile or a mean of requests can leave out the first turns: --slo 'turn ${fromTurn}+ ttft.p95=500ms'`,
    );
  return parsed({ ...value, fromTurn });
};

/** What is written after "turn 2+", or all. */
const parseOfTurns = (item: string): Parsed<Objective> => {
  const [, given = '', statistic, sign, limit = ''] = OBJECTIVE.exec(item) ?? [];
  if (given === ERROR_RATE && statistic === undefined) return errorRate(limit);
  if (given === SPEED && statistic === undefined && sign !== '<=') return speed(limit);
  const name = objectiveNamed(given);
  if (name === undefined || limit === '' || sign === '>=') return notOne(item, name ?? given, limit);
  const duration = parseDurationMs(limit);
  if (duration.kind === 'wrong') return duration;
  if (duration.value < LIMIT_MS_LEAST || duration.value > LIMIT_MS_MOST)
    return wrong(`${limit} is out of range`, `It may be from ${LIMIT_MS_LEAST}ms to 24h.`);
  const limitNs = Math.round(duration.value * 1e6);
  if (statistic === undefined && isOfWholeSessions({ kind: 'request', name, limitNs }))
    return wrong(
      `${quoted(item)} limits single sessions, and only requests can be limited singly`,
      `Write a percentile of the sessions: --slo ${name}.p95=${limit}`,
    );
  if (statistic === undefined) return parsed({ kind: 'request', name, limitNs });
  if (statistic === 'mean') return parsed({ kind: 'mean', name, limitNs });
  const percentile = Number(/^p(\d{1,2}(?:\.\d{1,3})?)$/.exec(statistic)?.[1] ?? 0);
  return percentile > 0
    ? parsed({ kind: 'percentile', name, percentile, limitNs })
    : wrong(
        `${quoted(item)} names no percentile and no mean`,
        `Write --slo ${name}.p95=${limit} or --slo ${name}.mean=${limit}`,
      );
};

/**
 * "speed>=20": the least output tokens per second that one user gets after the first token, which is the inverse of the
 * time per output token (METRICS §3).
 */
const speed = (limit: string): Parsed<Objective> => {
  const tokensPerSecond = /^\d{1,6}(?:\.\d{1,6})?$/.test(limit) ? Number(limit) : 0;
  return tokensPerSecond > 0
    ? parsed({ kind: 'request', name: 'tpot', limitNs: Math.round(1e9 / tokensPerSecond) })
    : wrong(`${quoted(limit)} is not a speed`, "Write output tokens per second: --slo 'speed>=20'");
};

const errorRate = (limit: string): Parsed<Objective> => {
  const limitShare = percent(limit);
  return limitShare !== undefined && limitShare < 1
    ? parsed({ kind: 'error-rate', limitShare })
    : wrong(
        `${quoted(limit)} is not an error rate`,
        'Write a percentage from 0 to below 100: --slo error-rate=0.1%',
      );
};

const notOne = (item: string, name: string, limit: string): Parsed<never> => {
  const meant = nearest(name, [...OBJECTIVE_NAMES, ERROR_RATE, SPEED]);
  return wrong(
    `${quoted(item)} is not an objective`,
    meant === undefined
      ? `Write NAME=DURATION, NAME.p95=DURATION or NAME.mean=DURATION with a name of ${OBJECTIVE_NAMES.join(', ')}, or ${ERROR_RATE}=0.1%`
      : `Did you mean --slo ${meant}=${limit === '' ? (EXAMPLES.get(meant) ?? '500ms') : limit}?`,
  );
};

/** "0.1%" to 0.001. */
const percent = (text: string): number | undefined => {
  const digits = /^\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*$/.exec(text)?.[1];
  return digits === undefined ? undefined : exactPercent(digits);
};

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));

const ERROR_RATE = 'error-rate';
const SPEED = 'speed';
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  [ERROR_RATE, '0.1%'],
  [SPEED, '20'],
]);
/** "turn 2+ ttft.p95=500ms": the number, and the rest. */
const OF_TURNS = /^\s*turn\s+(\d{1,4})\+\s+(.*)$/;
/** The name, what is taken of it, the sign, the limit. */
const OBJECTIVE = /^\s*([\w-]+)(?:\.([\w.]+))?(?:\s*(<=|>=|=)\s*(\S*))?\s*$/;
const LIMIT_MS_LEAST = 0.001;
const LIMIT_MS_MOST = 86_400_000;
