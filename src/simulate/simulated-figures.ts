// The figures of a benchmark that nobody ran, which follow from few numbers, as those of a server do.

import type { RunFigures, SeriesFigures } from '../core/run/run.ts';
import { unknown } from '../core/unknown.ts';

interface FigureParts {
  /** Requests that the server works on at once, on average. */
  readonly inFlight: number;
  /** Answers a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly completed: number;
  readonly failed: number;
  /** To the first token, and of each further one. */
  readonly firstMs: number;
  readonly tokenMs: number;
}

/** Of each answer. */
export const OUTPUT_TOKENS = 160;

export const simulatedFigures = ({
  inFlight,
  rate,
  seconds,
  completed,
  failed,
  firstMs,
  tokenMs,
}: FigureParts): RunFigures => {
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
      latencyNs: series(firstMs + tokenMs * OUTPUT_TOKENS, 0.08),
    },
    histogram: histogramOf(firstMs * 1e6, completed),
    objectives: unknown('simulated'),
    goodput: unknown('simulated'),
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
    failures: unknown('simulated'),
    rateBounds: unknown('simulated'),
    contamination: [],
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

const FIRST_SPREAD = 0.35;
const BUCKETS = 24;
/** Percentile to deviations of a normal distribution. */
const QUANTILES = [
  ['50', 0],
  ['90', 1.2816],
  ['95', 1.6449],
  ['99', 2.3263],
  ['99.9', 3.0902],
] as const;
