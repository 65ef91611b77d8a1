// All policy checks of an agent before its load begins, in one place. The result is a request as this machine runs
// it: to a target that was checked and pinned, with this machine's own headers.

import { errorMessage } from '../../core/problem.ts';
import type { Env } from '../../process/child.ts';
import type { AgentProblem } from '../../wire/agent-message.ts';
import type { AgentRequest, AgentShare } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { BenchError } from '../bench-error.ts';
import type { Dataset } from '../dataset/prompt.ts';
import { arrivedRequest } from '../fleet/travelling-request.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { admitLoad } from './admit-load.ts';
import { admitTarget } from './admit-target.ts';
import { AgentError, type AgentPolicy } from './agent-policy.ts';
import { type ResolveName, reachTarget } from './reach-target.ts';
import { headersFor } from './target-key.ts';

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
