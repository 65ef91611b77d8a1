// Benchmarks of the days before the simulation, told by the first machine about the one that serves a model. Their figures
// follow from few numbers, as those of a server do: time per token grows with what is in flight, throughput with both.

import type { Fact } from '../core/event-kinds.ts';
import type { RunId } from '../core/ids.ts';
import { isRunId } from '../core/ids.ts';
import { objectiveFields } from '../core/run/objective.ts';
import type { Run, RunFigures, SeriesFigures } from '../core/run/run.ts';
import { PLAIN_SHAPE } from '../core/run/run-shape.ts';
import { unknown } from '../core/unknown.ts';
import type { Site, Wiring } from './site.ts';

export interface PastRun {
  readonly fact: Fact;
  readonly ageMs: number;
}

/** None but of the first machine, and none where nobody serves a model. Oldest first. */
export const pastRunsOf = (site: Site, { sites }: Wiring, beganWallMs: number): readonly PastRun[] => {
  const target = sites.find(({ machine }) => machine.quirks?.servesModel === true);
  if (target === undefined || site.index !== TELLER) return [];
  return ROUNDS.map((round, index): PastRun => {
    const startedWallMs = beganWallMs - round.agoHours * HOUR_MS;
    const runId = runIdAt(startedWallMs);
    const isWhole = round.reason === undefined;
    const value: Run = {
      runId,
      startedAt: new Date(startedWallMs).toISOString(),
      target: `http://${target.sockets[0]?.address ?? '192.0.2.1'}:8000/v1`,
      targetNode: target.nodeId,
      serverKind: 'vllm',
      model: 'demo-model-30b',
      pattern:
        round.requestsPerSecond === undefined
          ? { kind: 'concurrency', concurrency: round.inFlight }
          : { kind: 'poisson', requestsPerSecond: round.requestsPerSecond },
      shape: PLAIN_SHAPE,
      runName: unknown('not given'),
      tags: [],
      dataset: `synthetic, ${OUTPUT_TOKENS} tokens out`,
      seed: index + 1,
      isStreaming: true,
      limits: { samplesMax: unknown('not given'), durationMs: round.seconds * 1_000 },
      ...objectiveFields(
        round.requestsPerSecond === undefined ? [] : [{ kind: 'request', name: 'ttft', limitNs: 500e6 }],
        1,
      ),
      directory: `/Users/${site.machine.name}/.plimsoll/runs/${runId}`,
      sweep: unknown('not a stage of a sweep'),
      state: isWhole ? 'complete' : 'interrupted',
      reason: round.reason ?? '',
      figures: figuresOf(round),
    };
    return {
      fact: { kind: 'run.ended', payload: value },
      ageMs: round.agoHours * HOUR_MS - round.seconds * 1_000,
    };
  });
};

interface Round {
  readonly agoHours: number;
  /** Requests that the server works on at once, on average. */
  readonly inFlight: number;
  /** Undefined: a closed loop of `inFlight`. */
  readonly requestsPerSecond?: number;
  readonly seconds: number;
  readonly failed?: number;
  /** Why it was not finished. */
  readonly reason?: string;
}

const figuresOf = ({ inFlight, requestsPerSecond, seconds, failed = 0 }: Round): RunFigures => {
  // A step of the batch reads the weights once, and costs a little more for each request in it.
  const tokenMs = 14 + 1.1 * inFlight;
  const firstMs = 120 + 18 * inFlight;
  const latencyMs = firstMs + tokenMs * OUTPUT_TOKENS;
  const rate = requestsPerSecond ?? (inFlight * 1_000) / latencyMs;
  const completed = Math.round(rate * seconds) - failed;
  const series = (middleMs: number, spread: number): SeriesFigures => ({
    count: completed,
    percentiles: Object.fromEntries(
      QUANTILES.map(([name, deviations]) => [
        name,
        Math.round(middleMs * Math.exp(spread * deviations) * 1e6),
      ]),
    ),
  });
  return {
    counts: { issued: completed + failed, completed, failed, cancelled: 0, unresolved: 0 },
    windowNs: seconds * 1e9,
    requestsPerSecond: rate,
    outputTokensPerSecond: rate * OUTPUT_TOKENS,
    perUserTokensPerSecond: 1_000 / tokenMs,
    series: {
      ttftNs: series(firstMs, FIRST_SPREAD),
      tpotNs: series(tokenMs, 0.05),
      latencyNs: series(latencyMs, 0.08),
    },
    histogram: histogramOf(firstMs * 1e6, completed),
    objectives: unknown('simulated'),
    errors:
      failed === 0
        ? []
        : [
            {
              kind: 'timeout',
              count: failed,
              detail: 'first byte, 30 s',
              lastAtMs: Math.round(seconds * 740),
            },
          ],
    client: {
      verdict: 'trustworthy',
      reasons: [],
      sendLatenessNsP99: 34_000 + ((seconds * 7 + inFlight) % 13) * 1_900,
      readLatenessNsP99: 29_000 + ((seconds + inFlight * 5) % 11) * 1_700,
      eventLoopDelayNsP99: 180_000,
      gcPauseNsTotal: 2_400_000,
      cpuShare: 0.02 + 0.001 * inFlight,
      connectionsOpened: inFlight,
      connectionsReused: Math.max(0, completed - inFlight),
    },
    droppedEvents: 0,
  };
};

/** Logarithmic buckets over three deviations to either side. */
const histogramOf = (middleNs: number, count: number): RunFigures['histogram'] =>
  Array.from({ length: BUCKETS }, (_, index) => {
    const [from, to] = [index, index + 1].map(at => -3 + (6 * at) / BUCKETS);
    const [low = 0, high = 0] = [from, to].map(at =>
      Math.round(middleNs * Math.exp(FIRST_SPREAD * (at ?? 0))),
    );
    return [low, high, Math.round(count * (below(to ?? 0) - below(from ?? 0)))] as const;
  });

/** The share of a normal distribution below so many deviations: logistic approximation, within 0.01 of it. */
const below = (deviations: number): number => 1 / (1 + Math.exp(-1.702 * deviations));

/** As the benchmark names its runs: the time in UTC and four digits of its own. */
const runIdAt = (wallMs: number): RunId => {
  const [day = '', time = ''] = new Date(wallMs).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  const text = `${day}-${time}-${(Math.floor(wallMs / 1_000) % 65_536).toString(16).padStart(4, '0')}`;
  if (isRunId(text)) return text;
  throw new RangeError(`not a run id: ${text}`);
};

const ROUNDS: readonly Round[] = [
  { agoHours: 171.2, inFlight: 1, seconds: 60 },
  { agoHours: 170.9, inFlight: 8, seconds: 120 },
  { agoHours: 98.4, inFlight: 16, seconds: 41, reason: 'stopped by Ctrl-C' },
  { agoHours: 74.1, inFlight: 32, seconds: 120, failed: 4 },
  { agoHours: 27.6, inFlight: 7, requestsPerSecond: 1.8, seconds: 300 },
  { agoHours: 3.3, inFlight: 8, seconds: 120 },
];
const TELLER = 0;
const OUTPUT_TOKENS = 160;
const FIRST_SPREAD = 0.35;
const BUCKETS = 24;
const HOUR_MS = 3_600_000;
/** Percentile to deviations of a normal distribution. */
const QUANTILES = [
  ['50', 0],
  ['90', 1.2816],
  ['95', 1.6449],
  ['99', 2.3263],
  ['99.9', 3.0902],
] as const;
