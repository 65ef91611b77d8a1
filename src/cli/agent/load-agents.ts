// Who loads the target of a benchmark: this process, or agents named on the command line. Keys are never sent to agents, so
// an option that would carry a key is refused rather than dropped silently.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { knownOr } from '../../core/unknown.ts';
import { BENCH } from '../bench/bench-options.ts';
import { type RequestedTargets, type RequestHeaders, requestHeaders } from '../bench/request-headers.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import type { AgentsRequest } from './open-agents.ts';

/** undefined: this process loads. */
export type NamedAgents = Pick<AgentsRequest, 'from' | 'agents'> | undefined;

/** @param secrets the call that codes were given to, of a sweep that goes on. */
export const namedAgents = (invocation: Invocation, secrets: Invocation = invocation): NamedAgents => {
  const from = invocation.option(BENCH.from) ?? [];
  const agents = secrets.option(BENCH.agents) ?? [];
  return from.length + agents.length === 0 ? undefined : { from, agents };
};

/** As many of them, in their order, as a stage has requests at a time: of one request nothing can be split. */
export const agentsOfStage = (
  named: NamedAgents,
  { pattern, shape }: Pick<BenchRequest, 'pattern' | 'shape'>,
): NamedAgents => {
  if (named === undefined) return undefined;
  const users = pattern.kind === 'concurrency' ? pattern.concurrency : Number.POSITIVE_INFINITY;
  const most = Math.max(1, Math.min(users, knownOr(shape.inFlightCap, Number.POSITIVE_INFINITY)));
  const from = named.from.slice(0, most);
  return { from, agents: named.agents.slice(0, most - from.length) };
};

/** @throws CommandError */
export const headersToSend = async (
  named: NamedAgents,
  invocation: Invocation,
  state: ProcessState,
  requested: RequestedTargets,
): Promise<RequestHeaders> => {
  if (named === undefined) return await requestHeaders(invocation, state, requested);
  const { target } = requested;
  const given = [
    ...(invocation.option(BENCH.header).length > 0 ? ['--header'] : []),
    ...(invocation.option(BENCH.headerFile) === undefined ? [] : ['--header-file']),
    ...(invocation.option(BENCH.apiKeyFile) === undefined ? [] : ['--api-key-file']),
    ...(target.authorization === undefined ? [] : ['a URL with credentials']),
    ...(target.query === '' ? [] : ['a URL with a query']),
  ];
  if (given.length > 0) {
    throw new CommandError(
      'usage',
      `${given.join(' and ')} cannot be combined with ${named.from.length > 0 ? '--from' : '--agents'}: keys do not travel`,
      "Name the key in the agent's own config ([bench] keys), or with `plimsoll agent --key`.",
    );
  }
  const hasKey = (state.env['OPENAI_API_KEY']?.trim() ?? '') !== '';
  return {
    headers: [],
    notices: hasKey ? ['OPENAI_API_KEY is not sent: agents use the keys that their own config names'] : [],
  };
};
