// A whole comparison on the virtual clock: segments of an exact queue whose requests depend on each other as those of a server do,
// with an effect on each segment as machines have. The truth is known: B's times are A's, stretched.

import { arrivals } from '../../src/bench/schedule/arrivals.ts';
import type { ComparedMetric, ComparedUnit } from '../../src/core/comparison/comparison-document.ts';
import { judgePairs, type PairFindings } from '../../src/core/comparison/judge-pairs.ts';
import { pairPlan, SEGMENT_RULES, USUAL_LOOKS } from '../../src/core/comparison/pair-plan.ts';
import { seededRandom } from '../../src/core/random.ts';
import { type QueueModel, QueueSimulator } from './queue-simulator.ts';

export interface SimulatedPairs {
  readonly model: QueueModel;
  readonly requestsPerSecond: number;
  readonly segmentMs: number;
  /** Behind the queue, always the same. */
  readonly prefillNs: number;
  /** Standard deviation of the logarithm of what a segment stretches all its times by. */
  readonly segmentSpread: number;
  /** What B's times are A's times. */
  readonly stretch: number;
  /** By how much times grow from the first segment of the comparison to the last. */
  readonly drift?: number;
  readonly margins?: Readonly<Record<string, number>>;
}

export interface SimulatedComparison {
  /** At the look that ended it. */
  readonly ended: PairFindings;
  /** Of the primary at every look, whether it would have ended it or not. */
  readonly looks: readonly ComparedMetric[];
  /** TTFT of the first segments in the order of arrival, ns. */
  readonly first: { readonly a: Float64Array; readonly b: Float64Array };
}

export const PRIMARY = 'ttft.p90';

export const simulateComparison = (options: SimulatedPairs, seed: number): SimulatedComparison => {
  const plan = pairPlan(USUAL_LOOKS, SEGMENT_RULES);
  const question = {
    plan,
    pattern: { kind: 'poisson', requestsPerSecond: options.requestsPerSecond } as const,
    primary: PRIMARY,
    margins: options.margins ?? {},
  };
  const a: ComparedUnit[] = [];
  const b: ComparedUnit[] = [];
  let first: SimulatedComparison['first'] | undefined;
  for (let pair = 0; 2 * pair < plan.order.length; pair += 1) {
    const ofPair = new Map<string, Segment>();
    for (const order of [0, 1] as const) {
      const letter = plan.order[2 * pair + order] ?? 'A';
      const index = 2 * pair + order;
      ofPair.set(
        letter,
        simulateSegment(options, {
          // The same arrivals inside a pair; what a server makes of them is its own.
          arrivalSeed: seed * SEEDS_APART + pair,
          serverSeed: (seed * SEEDS_APART + index) * 2 + 1,
          stretch:
            (letter === 'B' ? options.stretch : 1) *
            (1 + ((options.drift ?? 0) * index) / (plan.order.length - 1)),
        }),
      );
    }
    const [ofA, ofB] = [ofPair.get('A'), ofPair.get('B')];
    if (ofA === undefined || ofB === undefined) throw new Error('a pair without one of its sides');
    a.push(unitOf(ofA));
    b.push(unitOf(ofB));
    first ??= { a: ofA.ttftNs, b: ofB.ttftNs };
  }
  const looks = plan.looks.map(({ pairs }) => judgePairs(a.slice(0, pairs), b.slice(0, pairs), question));
  const ended = looks.find(({ isOver }) => isOver);
  if (ended === undefined || first === undefined) throw new Error('the last look ends it');
  return {
    ended,
    looks: looks.flatMap(({ metrics }) => metrics.filter(({ isPrimary }) => isPrimary)),
    first,
  };
};

interface Segment {
  readonly ttftNs: Float64Array;
  readonly latencyNs: Float64Array;
  readonly windowNs: number;
}

const simulateSegment = (
  { model, requestsPerSecond, segmentMs, segmentSpread, prefillNs }: SimulatedPairs,
  {
    arrivalSeed,
    serverSeed,
    stretch,
  }: { readonly arrivalSeed: number; readonly serverSeed: number; readonly stretch: number },
): Segment => {
  const schedule = arrivals({ kind: 'poisson', requestsPerSecond }, arrivalSeed);
  const queue = new QueueSimulator(model, serverSeed);
  const factor = stretch * Math.exp(segmentSpread * normal(serverSeed));
  const ttftNs: number[] = [];
  const latencyNs: number[] = [];
  let lastNs = 0;
  for (let atNs = schedule.nextNs(); atNs < segmentMs * 1e6; atNs = schedule.nextNs()) {
    queue.arrive(atNs);
    const ttft = (queue.endedNs - atNs + prefillNs) * factor;
    // As many tokens for each, at a pace of its own.
    const latency = ttft + TOKENS * GAP_NS * factor * (1 + GAP_VARIATION * (queue.draw() - 0.5));
    ttftNs.push(ttft);
    latencyNs.push(latency);
    lastNs = Math.max(lastNs, atNs + latency);
  }
  return { ttftNs: Float64Array.from(ttftNs), latencyNs: Float64Array.from(latencyNs), windowNs: lastNs };
};

const unitOf = ({ ttftNs, latencyNs, windowNs }: Segment): ComparedUnit => {
  const completed = ttftNs.length;
  const tpotNs = latencyNs.map((latency, index) => (latency - (ttftNs[index] ?? 0)) / TOKENS);
  return {
    runId: 'simulated',
    directory: 'simulated',
    startedAt: '2026-11-23T00:00:00.000Z',
    issued: completed,
    completed,
    failed: 0,
    windowNs,
    clientVerdict: 'trustworthy',
    figures: {
      'requests.rate': (completed * 1e9) / windowNs,
      'output.rate': (completed * TOKENS * 1e9) / windowNs,
      ...percentiles('ttft', ttftNs),
      ...percentiles('tpot', tpotNs),
      ...percentiles('latency', latencyNs),
    },
  };
};

const percentiles = (name: string, values: Float64Array): Readonly<Record<string, number>> => {
  const sorted = values.toSorted();
  return Object.fromEntries(
    [50, 90, 99].map(percentile => [
      `${name}.p${percentile}`,
      sorted[Math.floor((percentile / 100) * (sorted.length - 1))] ?? 0,
    ]),
  );
};

const normal = (seed: number): number => {
  const random = seededRandom(seed);
  const radius = Math.sqrt(-2 * Math.log1p(-random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
};

const TOKENS = 100;
const GAP_NS = 5e6;
const GAP_VARIATION = 0.4;
const SEEDS_APART = 1_000;
