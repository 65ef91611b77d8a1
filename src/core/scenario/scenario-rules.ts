// The rules that a scenario may have: one row each, from which files of scenarios, docs, reports and checks derive. A rule
// is judged by what the run was and did, never by how its options were written.

import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { counted, figureText, formatCount, formatTick, withoutTrailingZeros } from '../figure/figure.ts';
import { isJsonObject, parseAnyJson } from '../json.ts';
import { isContextRefusal } from '../run/failure-advice.ts';
import type { Report } from '../run/report.ts';
import { isOpenLoop } from '../run/run-pattern.ts';
import { type RunShape, shapeOf } from '../run/run-shape.ts';
import { speedText, type TraceShape } from '../run/trace-shape.ts';
import { isUnknown, knownOr } from '../unknown.ts';

interface ScenarioRule {
  /** How its limit is written; 'none': it has none. */
  readonly limit: 'time' | 'share' | 'none';
  /** What it requires; `{}` is its limit. */
  readonly requires: string;
  /** Why a run breaks it, as part of a sentence; undefined: it does not. */
  readonly broken: (report: Report, limit: number) => string | undefined;
}

/** The names of the rows below: the compiler finds a missing or additional one. */
export type RuleKey =
  | 'agent-trace'
  | 'subagents'
  | 'lanes'
  | 'recorded-pauses'
  | 'idle-max'
  | 'start-anywhere'
  | 'primed'
  | 'nonce-at-first-turn'
  | 'streamed'
  | 'whole-answers'
  | 'duration'
  | 'coverage'
  | 'counted'
  | 'context-refusals'
  | 'failures'
  | 'finished';

/** In the order of docs and reports. */
const RULES: Readonly<Record<RuleKey, ScenarioRule>> = {
  'agent-trace': {
    limit: 'none',
    requires: 'The load is a trace of agents in Weka form (--trace).',
    broken: report => (ofAgents(report) === undefined ? NO_AGENTS : undefined),
  },
  subagents: {
    limit: 'none',
    requires: 'The trace has subagents.',
    broken: report => {
      const { subagents = 0 } = ofAgents(report)?.trace ?? {};
      return subagents > 0 ? undefined : 'no agent of the trace has subagents';
    },
  },
  lanes: {
    limit: 'none',
    requires:
      'A constant number of sessions runs at a time (--concurrency); as one ends the next one begins, after the last the first again (--recycle).',
    broken: report => lanesBroken(report),
  },
  'recorded-pauses': {
    limit: 'none',
    requires: 'Pauses are as recorded: no --speed, no --gap-max.',
    broken: report => {
      const trace = ofAgents(report)?.trace;
      if (trace === undefined) return NO_AGENTS;
      if (trace.speed !== 1) return `the trace was replayed at ${speedText(trace)}`;
      return isUnknown(trace.gapMsMax) ? undefined : `each pause was cut to ${timeText(trace.gapMsMax)}`;
    },
  },
  'idle-max': {
    limit: 'time',
    requires: 'While nothing is in flight, the next request is sent within {} (--idle-max).',
    broken: (report, limit) => {
      const idleMsMax = ofAgents(report)?.trace.idleMsMax;
      if (idleMsMax === limit) return undefined;
      return idleMsMax === undefined
        ? 'the time without a request was not limited'
        : `the time without a request was limited to ${timeText(idleMsMax)}, not to ${timeText(limit)}`;
    },
  },
  'start-anywhere': {
    limit: 'none',
    requires: 'The sessions that run at first begin at any point of their conversation (--start-at).',
    broken: report => {
      const startAt = ofAgents(report)?.trace.startAt;
      if (startAt === undefined || isUnknown(startAt)) return 'conversations began with their first request';
      return startAt.from < startAt.to ? undefined : 'all conversations began at the same share of them';
    },
  },
  primed: {
    limit: 'none',
    requires:
      "Before time zero the server's cache is primed with the request before each of these starts (--prime).",
    broken: report => {
      const primed = ofAgents(report)?.trace.primed;
      if (primed === undefined) return "the server's cache was not primed";
      const failed = primed - report.warmup.completed;
      return failed > 0
        ? `${formatCount(failed)} of ${counted(primed, 'request')} that prime the cache did not complete`
        : undefined;
    },
  },
  'nonce-at-first-turn': {
    limit: 'none',
    requires:
      'Each session has a nonce of its own at the start of its first turn (--nonce-of session): a repeated conversation finds nothing of an earlier one in the cache, later turns find the earlier ones.',
    broken: report => {
      if (!report.run.hasNonce) return 'prompts had no nonce';
      return ofAgents(report)?.trace.marksSessions === true
        ? undefined
        : 'sessions had no nonce of their own';
    },
  },
  streamed: {
    limit: 'none',
    requires: 'Answers are streamed.',
    broken: ({ run }) => (run.streaming ? undefined : 'answers were not streamed'),
  },
  'whole-answers': {
    limit: 'none',
    requires: 'Answers have their recorded length: the server is sent ignore_eos.',
    broken: report => wholeAnswersBroken(report),
  },
  duration: {
    limit: 'time',
    requires: 'The run is planned for at least {} (--duration).',
    broken: ({ run: { scenario } }, limit) => {
      const planned = scenario?.durationMs;
      if (planned === undefined || isUnknown(planned)) return 'the run ended by a number of sessions';
      return planned >= limit ? undefined : `it was planned for ${timeText(planned)}`;
    },
  },
  coverage: {
    limit: 'share',
    requires: 'Content arrived until at least {} of the planned time.',
    broken: ({ run, scenario }, limit) => {
      const planned = knownOr(run.scenario?.durationMs ?? 0, 0);
      const last = scenario === undefined ? 0 : knownOr(scenario.lastContentMs, 0);
      const share = planned === 0 ? 0 : last / planned;
      return share >= limit ? undefined : `the last content arrived after ${shareText(share)} of it`;
    },
  },
  counted: {
    limit: 'share',
    requires: 'At least {} of the completed requests have a first token and a count of output tokens.',
    broken: ({ scenario }, limit) => {
      if (scenario === undefined || scenario.completed === 0) return 'no request completed';
      const share = scenario.counted / scenario.completed;
      return share >= limit ? undefined : `${shareText(share)} of them have both`;
    },
  },
  'context-refusals': {
    limit: 'share',
    requires: 'At most {} of the replies refuse a prompt as longer than the context.',
    broken: (report, limit) => {
      if (isUnknown(report.failures)) return `it is unknown why requests failed: ${report.failures.reason}`;
      const refused = report.failures.groups
        .filter(({ example }) => isContextRefusal(example))
        .reduce((sum, { count }) => sum + count, 0);
      const share = refused / Math.max(1, report.counts.completed + report.counts.failed);
      return share <= limit ? undefined : `${shareText(share)} did`;
    },
  },
  failures: {
    limit: 'share',
    requires: 'At most {} of the requests fail.',
    broken: ({ counts: { completed, failed } }, limit) => {
      const share = failed / Math.max(1, completed + failed);
      return share <= limit ? undefined : `${shareText(share)} failed`;
    },
  },
  finished: {
    limit: 'none',
    requires: 'The run reached its planned end, and its report is complete.',
    broken: ({ interrupted, stopped, complete, incompleteReason }) => {
      if (interrupted) return 'the run was interrupted';
      if (stopped !== undefined) return `the run was stopped: ${stopped.problem}`;
      return complete ? undefined : `the report is incomplete: ${incompleteReason ?? 'no reason given'}`;
    },
  },
};

export const isRuleKey = (name: string): name is RuleKey => Object.hasOwn(RULES, name);

export const RULE_KEYS: readonly RuleKey[] = Object.keys(RULES).filter(isRuleKey);

export const scenarioRule = (key: RuleKey): ScenarioRule => RULES[key];

/** "The run is planned for at least 15 min (--duration)." */
export const requirementText = (key: RuleKey, limit: number): string => {
  const { limit: kind, requires } = scenarioRule(key);
  return kind === 'none'
    ? requires
    : requires.replace('{}', kind === 'time' ? timeText(limit) : shareText(limit));
};

interface JudgedRule {
  readonly key: string;
  readonly requires: string;
  /** undefined: kept. */
  readonly broken: string | undefined;
}

/** Each rule of the run's scenario, in the order of the table; none for a run without one. */
export const judgedRules = (report: Report): readonly JudgedRule[] => {
  const rules = report.run.scenario?.rules ?? {};
  const unread = Object.keys(rules).filter(name => !isRuleKey(name));
  return [
    ...RULE_KEYS.flatMap(key => {
      const limit = rules[key];
      if (limit === undefined) return [];
      return [
        { key, requires: requirementText(key, limit), broken: scenarioRule(key).broken(report, limit) },
      ];
    }),
    ...unread.map(key => ({ key, requires: key, broken: 'this version does not have the rule' })),
  ];
};

const NO_AGENTS = 'the load is no trace of agents';

const ofAgents = ({
  run,
}: Report): { readonly trace: TraceShape; readonly shape: RunShape; readonly unit: string } | undefined => {
  const shape = shapeOf(run);
  const { trace, sessions } = shape;
  return isUnknown(trace) || isUnknown(sessions) ? undefined : { trace, shape, unit: sessions.concurrencyOf };
};

const lanesBroken = (report: Report): string | undefined => {
  const agents = ofAgents(report);
  if (agents === undefined) return NO_AGENTS;
  if (isOpenLoop(report.run.pattern)) return 'sessions arrived at a rate';
  if (agents.unit !== 'sessions') return 'the concurrency counted requests';
  const { rampMs, warmupMs, steps } = agents.shape;
  if (rampMs > 0 || warmupMs > 0 || steps.length > 0) return 'the number of sessions changed';
  return agents.trace.recycles === true ? undefined : 'after the last conversation none began';
};

const wholeAnswersBroken = ({ run: { requests } }: Report): string | undefined => {
  if (isUnknown(requests)) return requests.reason;
  if (requests.outputSource === 'body') return '--body determined the length of answers';
  const body = parseAnyJson(requests.body);
  const given = isJsonObject(body) ? body['ignore_eos'] : undefined;
  if (given === true || (given === undefined && requests.lengthFields.includes('ignore_eos')))
    return undefined;
  return given === undefined
    ? `the server was not sent ignore_eos; if it takes it: --body '{"ignore_eos":true}'`
    : '--body leaves out ignore_eos';
};

const timeText = (ms: number): string =>
  figureText(withoutTrailingZeros(formatMeasuredNanoseconds(ms * 1e6)));

const shareText = (share: number): string => `${formatTick(share * 100)}%`;
