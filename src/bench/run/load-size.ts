// How many threads and connections a load needs, from the request alone.

import { isOpenLoop } from '../../core/run/run-pattern.ts';
import { idleMsMaxOf } from '../../core/run/run-shape.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { type Share, shareOf, WHOLE_LOAD } from '../schedule/arrivals.ts';
import type { BenchRequest } from './bench-request.ts';

/**
 * One load thread for each 40,000 expected events/s, at 100 events/s per stream, and never more than the cores
 * in addition to the main thread's: one thread measured 95,000 to 114,000 paced events/s.
 */
export const threadsFor = (
  { pattern, shape, dataset }: LoadSize,
  cores: number,
  share: Share = WHOLE_LOAD,
): number => {
  // What one thread has in flight, another is not aware of.
  if (idleMsMaxOf(shape) !== undefined) return 1;
  const all = Math.min(streamsOf({ pattern, dataset }), knownOr(shape.inFlightCap, Number.POSITIVE_INFINITY));
  const streams = shareOf(all, share);
  return Math.max(1, Math.min(cores - 1, Math.ceil((streams * EVENTS_PER_STREAM) / EVENTS_PER_THREAD)));
};

interface LoadSize extends Pick<BenchRequest, 'pattern' | 'shape'> {
  readonly dataset?: BenchRequest['dataset'] | undefined;
}

/** How many streams are open at a time; for a rate, as if an answer took a second. */
const streamsOf = ({ pattern, dataset }: Omit<LoadSize, 'shape'>): number => {
  if (dataset?.kind === 'timed-trace') return dataset.trace.busiestPerSecond;
  if (isOpenLoop(pattern)) return Math.ceil(pattern.requestsPerSecond);
  switch (pattern.kind) {
    case 'concurrency':
      return pattern.concurrency;
    case 'max-throughput':
      return MAX_THROUGHPUT_CONNECTIONS;
    default:
      return pattern satisfies never;
  }
};

export const connectionsFor = ({
  pattern,
  shape,
  samplesMax,
  dataset,
}: LoadSize & Pick<BenchRequest, 'samplesMax'>): LoadPlan['connections'] => {
  // While the load grows, samples are sent that no limit counts.
  const isGrowing = shape.rampMs > 0 || shape.warmupMs > 0;
  const useful = Math.min(
    isGrowing ? Number.POSITIVE_INFINITY : (samplesMax ?? Number.POSITIVE_INFINITY),
    knownOr(shape.inFlightCap, Number.POSITIVE_INFINITY),
  );
  // Turns of one session may be in flight in parallel.
  const most = (users: number): number => (isUnknown(shape.sessions) ? users : OPEN_LOOP_CONNECTIONS_MAX);
  if (isOpenLoop(pattern))
    return {
      opened: Math.max(1, Math.min(streamsOf({ pattern, dataset }), OPEN_LOOP_OPENED_MAX, useful)),
      max: OPEN_LOOP_CONNECTIONS_MAX,
    };
  switch (pattern.kind) {
    case 'concurrency':
      return { opened: Math.min(pattern.concurrency, useful), max: most(pattern.concurrency) };
    case 'max-throughput':
      return {
        opened: Math.min(MAX_THROUGHPUT_CONNECTIONS, useful),
        max: most(MAX_THROUGHPUT_CONNECTIONS),
      };
    default:
      return pattern satisfies never;
  }
};

const EVENTS_PER_STREAM = 100;
const EVENTS_PER_THREAD = 40_000;
export const MAX_THROUGHPUT_CONNECTIONS = 256;
/** More are opened while it runs, when arrivals need them. */
const OPEN_LOOP_OPENED_MAX = 1_000;
const OPEN_LOOP_CONNECTIONS_MAX = 20_000;
