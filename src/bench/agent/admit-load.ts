// Whether a load stays within this machine's own caps, from what is asked for alone. What an answer's speed decides, how many
// requests a closed loop sends, is watched while it runs (cap-watch.ts).

import { maximumOf } from '../../core/extremes.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import type { RunShape } from '../../core/run/run-shape.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { connectionsFor } from '../run/load-size.ts';
import type { AgentRefusal, LoadCaps } from './agent-policy.ts';

/** Of the whole run, and this agent's share of it. */
export interface RequestedLoad
  extends Pick<BenchRequest, 'pattern' | 'shape' | 'samplesMax' | 'durationMs' | 'warmup'> {
  readonly share: { readonly index: number; readonly of: number };
}

/** What a load costs at most, as far as it says so itself. Infinity where nothing bounds it. */
interface LoadExtent {
  /** Of this agent; a closed loop has no rate of its own: 0. */
  readonly requestsPerSecond: number;
  /** Opened before time zero. */
  readonly connections: number;
  readonly durationMs: number;
  readonly samples: number;
}

export const loadExtent = (requested: RequestedLoad): LoadExtent => {
  const { pattern, shape, samplesMax, durationMs, warmup, share } = requested;
  const requestsPerSecond = peakRate(pattern, shape) / share.of;
  const mine = (total: number): number => Math.ceil(total / share.of);
  return {
    requestsPerSecond,
    connections: mine(maximumOf([connectionsFor(requested).opened, ...usersOf(requested)])),
    durationMs:
      shape.rampMs +
      shape.warmupMs +
      (durationMs ?? samplesTimeMs(mine(samplesMax ?? Number.POSITIVE_INFINITY), requestsPerSecond)),
    samples: mine(samplesMax ?? 0) + mine(warmup.kind === 'requests' ? warmup.count : 0),
  };
};

/** undefined: within the caps. */
export const admitLoad = (requested: RequestedLoad, caps: LoadCaps): AgentRefusal | undefined => {
  const extent = loadExtent(requested);
  const { requestsPerSecondMax, connectionsMax, durationMsMax, samplesMax } = caps;
  const seconds = durationMsMax / 1_000;
  if (!(extent.requestsPerSecond <= requestsPerSecondMax)) {
    return cap(
      'rate',
      `${rounded(extent.requestsPerSecond)} requests a second are more than the ${requestsPerSecondMax} that this machine sends for others`,
      'rate_max',
    );
  }
  if (!(extent.connections <= connectionsMax)) {
    return cap(
      'connections',
      `${extent.connections} connections are more than the ${connectionsMax} that this machine opens for others`,
      'connections_max',
    );
  }
  if (!(extent.durationMs <= durationMsMax)) {
    return cap(
      'duration',
      `the load is longer than the ${seconds} s that one may last on this machine`,
      'duration_max',
    );
  }
  if (!(extent.samples <= samplesMax)) {
    return cap(
      'samples',
      `${extent.samples} requests are more than the ${samplesMax} that one load may have on this machine`,
      'samples_max',
    );
  }
  return undefined;
};

/** A shape that goes beyond what its pattern says is asked for all the same. */
const usersOf = ({ pattern, shape }: RequestedLoad): readonly number[] =>
  pattern.kind === 'concurrency' || pattern.kind === 'max-throughput'
    ? shape.steps.flatMap(({ from, to }) => [from, to])
    : [];

const peakRate = (pattern: RunPattern, { steps }: RunShape): number => {
  if (pattern.kind !== 'poisson' && pattern.kind !== 'constant') return 0;
  return maximumOf([pattern.requestsPerSecond, ...steps.flatMap(({ from, to }) => [from, to])]);
};

/** A closed loop that ends by its count ends when the server has answered: the watch ends it at the cap. */
const samplesTimeMs = (samples: number, requestsPerSecond: number): number => {
  if (!Number.isFinite(samples)) return Number.POSITIVE_INFINITY;
  return requestsPerSecond === 0 ? 0 : (samples / requestsPerSecond) * 1_000;
};

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

const cap = (cause: AgentRefusal['cause'], problem: string, key: string): AgentRefusal => ({
  code: 'over-caps',
  cause,
  problem,
  advice: `Ask for less, spread it over more agents, or have the owner of that machine raise [bench] ${key} in its config.toml.`,
});
