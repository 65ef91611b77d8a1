// All policy checks of an agent before its load begins, in one place. The result is a request as this machine runs
// it: to a target that was checked and pinned, with this machine's own headers.

import { maximumOf } from '../../core/extremes.ts';
import { errorMessage } from '../../core/problem.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import type { RunShape } from '../../core/run/run-shape.ts';
import type { Env } from '../../process/child.ts';
import type { AgentProblem } from '../../wire/agent-message.ts';
import type { AgentRequest, AgentShare } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { BenchError } from '../bench-error.ts';
import type { Dataset } from '../dataset/prompt.ts';
import { arrivedRequest } from '../fleet/travelling-request.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { connectionsFor } from '../run/load-size.ts';
import { admitTarget } from './admit-target.ts';
import {
  AgentError,
  type AgentPolicy,
  type AgentRefusal,
  headersFor,
  type LoadCaps,
} from './agent-policy.ts';
import { type ResolveName, reachTarget } from './reach-target.ts';

interface RequestAdmission {
  readonly requested: AgentRequest;
  readonly dataset: Dataset | undefined;
  /** undefined: a survey, which needs only the server. */
  readonly share: AgentShare | undefined;
  readonly policy: AgentPolicy;
  readonly env: Env;
  readonly resolve: ResolveName;
  readonly signal: AbortSignal;
}

/** @throws AgentError, BenchError `input`; the signal's reason. */
export const admitRequest = async (options: RequestAdmission): Promise<BenchRequest> => {
  const { requested, dataset, share, policy, env, resolve, signal } = options;
  const admission = admitTarget(requested.target, policy);
  if (admission.kind === 'refused') throw new AgentError(admission.refusal);
  const headers = await headersFor(admission.origin, policy.keys, env);
  const request = arrivedRequest(requested, { headers, dataset });
  const refusal = share === undefined ? undefined : admitLoad({ ...request, share }, policy);
  if (refusal !== undefined) throw new AgentError(refusal);
  const timeoutMs = Math.min(REACH_MS_MAX, requested.timeouts.connectMs);
  return { ...request, target: await reachTarget(admission.target, { resolve, timeoutMs, signal }) };
};

/** The refusal that the coordinator receives for any failure before a load began. */
export const refusalOf = (error: unknown): AgentProblem => {
  if (error instanceof AgentError) return error.problem;
  if (error instanceof DecodeError) return { code: 'input', problem: error.message, advice: '' };
  if (error instanceof BenchError) {
    const { code, problem, advice } = error.problem;
    return { code: code === 'run-directory' ? 'failed' : code, problem, advice };
  }
  return { code: 'failed', problem: errorMessage(error).slice(0, PROBLEM_LENGTH_MAX), advice: '' };
};

const REACH_MS_MAX = 10_000;
const PROBLEM_LENGTH_MAX = 500;

// Checks whether a load stays within this machine's own caps, from the request alone. What depends on the server's
// speed (how many requests a closed loop sends) is checked while the load runs (cap-watch.ts).

/** Shape of the whole run, and the share that this agent sends. */
export interface RequestedLoad
  extends Pick<BenchRequest, 'pattern' | 'shape' | 'samplesMax' | 'durationMs' | 'warmup'> {
  readonly share: { readonly index: number; readonly of: number };
}

/** Upper limits of what a load sends, as far as the request states them. Infinity where nothing limits it. */
interface LoadExtent {
  /** Rate of this agent's share; 0 for a closed loop, which has no rate of its own. */
  readonly requestsPerSecond: number;
  /** Connections opened before time zero. */
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

/** Returns undefined when the load is within the caps. */
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

/** A shape may exceed the maximum that its pattern names; the larger value counts. */
const usersOf = ({ pattern, shape }: RequestedLoad): readonly number[] =>
  isOpenLoop(pattern) ? [] : shape.steps.flatMap(({ from, to }) => [from, to]);

const peakRate = (pattern: RunPattern, { steps }: RunShape): number => {
  if (!isOpenLoop(pattern)) return 0;
  return maximumOf([pattern.requestsPerSecond, ...steps.flatMap(({ from, to }) => [from, to])]);
};

/** A closed loop that ends by its count has no known duration: the cap watch ends it. */
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
