// A simulated search for a load line: the loads that a search tries against an endpoint of known capacity, and the
// document that it writes, complete or in progress.

import { maximumOf, minimumOf } from '../core/extremes.ts';
import { counted } from '../core/figure/figure.ts';
import { isRunId, type RunId } from '../core/ids.ts';
import type { Stage } from '../core/sweep/stage.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  type LineProgress,
  type LoadLine,
} from '../core/sweep/sweep-document.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import { unknown } from '../core/unknown.ts';
import { type MadeUpEndpoint, type StagePlan, simulatedStage, verdictOf } from './line-stage.ts';

export interface SimulatedLineOptions {
  readonly startedWallMs: number;
  readonly target: string;
  readonly model: string;
  readonly plimsollVersion: string;
  readonly capacityPerSecond: number;
  /** The first load that is tried, which is doubled until one does not hold. */
  readonly firstPerSecond: number;
  /** Of each answer. */
  readonly outputTokens: number;
  /** Of a stage that is not ended early. */
  readonly stageSeconds: number;
}

/** @param doneSeconds since it started; undefined: it has ended. */
export const simulatedLine = (
  options: SimulatedLineOptions,
  doneSeconds: number = Number.POSITIVE_INFINITY,
): LineDocument => {
  const { startedWallMs, target, model, plimsollVersion } = options;
  const endpoint = endpointOf(options);
  const plans = plansOf(options, endpoint);
  const begun = plans.filter(({ startedWallMs: at }) => (at - startedWallMs) / 1_000 < doneSeconds);
  const stages = begun.map(plan => {
    const ran = doneSeconds - (plan.startedWallMs - startedWallMs) / 1_000;
    return simulatedStage(plan, endpoint, ran < plan.seconds ? ran : undefined);
  });
  const isDone = doneSeconds >= secondsOf(plans, startedWallMs);
  const line = lineAfter(stages, isDone);
  return {
    schema: LINE_SCHEMA,
    id: simulatedRunId(startedWallMs, 0),
    plimsoll: { version: plimsollVersion },
    name: unknown('not given'),
    tags: {},
    startedAt: new Date(startedWallMs).toISOString(),
    target,
    model,
    serverKind: 'vllm',
    dataset: `synthetic, ${counted(endpoint.outputTokens, 'token')} out`,
    objectives: ['ttft=500ms'],
    attainment: 0.95,
    seed: 42,
    command: shellCommand`plimsoll line ${target} --slo ttft=500ms`,
    resume: unknown('simulated'),
    environment: { node: 'simulated', os: 'simulated', cpu: 'simulated', cores: 1 },
    state: isDone ? 'complete' : 'running',
    stages,
    by: 'rate',
    resolution: 0.05,
    confidence: 0.95,
    budgetMs: 900_000,
    usedMs: unknown('simulated'),
    line,
    sentence: sentenceOf(line),
    ...(isDone ? {} : { progress: progressOf(stages, plans, doneSeconds, options) }),
  };
};

/** How long a search takes. */
export const simulatedLineSeconds = (options: SimulatedLineOptions): number =>
  secondsOf(plansOf(options, endpointOf(options)), options.startedWallMs);

const endpointOf = ({ capacityPerSecond, outputTokens }: SimulatedLineOptions): MadeUpEndpoint => ({
  capacityPerSecond,
  outputTokens,
  limitNs: LIMIT_NS,
});

const secondsOf = (plans: readonly StagePlan[], startedWallMs: number): number => {
  const last = plans.at(-1);
  return last === undefined ? 0 : (last.startedWallMs - startedWallMs) / 1_000 + last.seconds;
};

/** Doubles until a load does not hold, then halves the bracket to 5 %. */
const plansOf = (
  { startedWallMs, stageSeconds, firstPerSecond }: SimulatedLineOptions,
  endpoint: MadeUpEndpoint,
): readonly StagePlan[] => {
  const plans: StagePlan[] = [];
  let atMs = startedWallMs;
  let [holds, fails] = [0, Number.POSITIVE_INFINITY];
  while (plans.length < SEARCH_LENGTH && (fails - holds) / Math.max(holds, firstPerSecond) > RESOLUTION) {
    const rate =
      fails === Number.POSITIVE_INFINITY
        ? Math.max(firstPerSecond, holds * 2)
        : roundRate((holds + fails) / 2);
    const verdict = verdictOf({ requestsPerSecond: rate }, endpoint);
    const seconds = verdict === 'over-capacity' ? stageSeconds * EARLY_SHARE : stageSeconds;
    const number = plans.length + 1;
    plans.push({
      number,
      requestsPerSecond: rate,
      purpose: fails === Number.POSITIVE_INFINITY ? 'bracket' : 'bisect',
      seconds,
      startedWallMs: atMs,
      runId: simulatedRunId(atMs, number),
    });
    atMs += (seconds + DRAIN_SECONDS) * 1_000;
    if (verdict === 'held') holds = rate;
    else fails = rate;
  }
  return plans;
};

const lineAfter = (stages: readonly Stage[], isDone: boolean): LoadLine => {
  const ended = stages.filter(({ state }) => state === 'ended');
  const heldRates = ended.filter(({ verdict }) => verdict === 'held').map(rateOf);
  const failed = ended.filter(({ verdict }) => verdict !== 'held');
  if (heldRates.length === 0) return unknown('no stage has held yet');
  const holds = maximumOf(heldRates);
  const fails = minimumOf(failed.map(rateOf));
  if (!Number.isFinite(fails)) return { kind: 'at-least', holds, limit: 'budget' };
  const failsBy = failed.some(stage => rateOf(stage) === fails && stage.verdict === 'over-capacity')
    ? 'over-capacity'
    : 'objective';
  return { kind: 'bracket', holds, fails, failsBy, isConfirmed: isDone };
};

const sentenceOf = (line: LoadLine): string => {
  if (line.kind !== 'bracket') return '';
  const why = line.failsBy === 'over-capacity' ? 'the queue grows' : 'the objective is missed';
  return `carries ${line.holds} to ${line.fails} requests/s at TTFT ≤ 500 ms for 95 % of the requests; above that ${why}`;
};

const progressOf = (
  stages: readonly Stage[],
  plans: readonly StagePlan[],
  doneSeconds: number,
  { startedWallMs }: SimulatedLineOptions,
): LineProgress => {
  const line = lineAfter(stages, false);
  const running = stages.find(({ state }) => state === 'running');
  const at = running === undefined ? undefined : rateOf(running);
  const next = (other: number | undefined) =>
    at === undefined || other === undefined ? unknown('it would be found') : roundRate((at + other) / 2);
  const isBracket = line.kind === 'bracket';
  return {
    stagesDone: stages.filter(({ state }) => state === 'ended').length,
    stagesExpected: plans.length,
    leftMs: Math.max(0, secondsOf(plans, startedWallMs) - doneSeconds) * 1_000,
    next: {
      ifHeld: isBracket ? next(line.fails) : at === undefined ? next(undefined) : at * 2,
      ifFailed: isBracket || line.kind === 'at-least' ? next(line.holds) : next(undefined),
    },
  };
};

const rateOf = ({ load }: Stage): number =>
  load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;

const roundRate = (rate: number): number => Math.round(rate * 10) / 10;

/** As the benchmark names its runs: the time in UTC and four random digits. */
const simulatedRunId = (wallMs: number, number: number): RunId => {
  const [day = '', time = ''] = new Date(wallMs).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  const text = `${day}-${time}-${(0x51_00 + number).toString(16)}`;
  if (isRunId(text)) return text;
  throw new RangeError(`not a run id: ${text}`);
};

const LIMIT_NS = 500e6;
const RESOLUTION = 0.05;
const SEARCH_LENGTH = 16;
/** Of a stage whose queue grows, which shows early. */
const EARLY_SHARE = 0.4;
const DRAIN_SECONDS = 4;
