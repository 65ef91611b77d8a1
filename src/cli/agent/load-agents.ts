// Who loads the target of a benchmark: this process, or agents named on the command line. Keys are never sent to agents, so
// an option that would carry a key is refused rather than dropped silently.

import type { DialAgentOptions } from '../../bench/agent/tls/dial-agent.ts';
import { runBench } from '../../bench/bench.ts';
import { BenchError } from '../../bench/bench-error.ts';
import type { AgentChannel } from '../../bench/fleet/agent-channel.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { ProblemError } from '../../core/problem.ts';
import { knownOr } from '../../core/unknown.ts';
import { type GrantedAgent, grantedAgentSchema } from '../../wire/api/agent-answers.ts';
import { BENCH } from '../bench/bench-options.ts';
import { type RequestedTargets, type RequestHeaders, requestHeaders } from '../bench/request-headers.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import { knownNodes, nodeCalled } from '../known-nodes.ts';
import type { ProcessState } from '../process-state.ts';
import type { AgentAddress } from './agent-addresses.ts';

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

// A run from the agents that a command names, each time over channels of its own. Brings ZeroMQ along: loaded late.

/** @throws as runBench does, and CommandError where an agent cannot be had. */
export const agentsRun =
  (state: ProcessState, home: string, named: NamedAgents): typeof runBench =>
  async (request, parts) => {
    if (named === undefined) return await runBench(request, parts);
    const { runFleetBench } = await import('../../bench/fleet/run-fleet.ts');
    const channels = await openAgents(state, { home, ...named, signal: parts.stop });
    return await runFleetBench(request, parts, channels);
  };

/** The same for a stage of a sweep or a line, which may have fewer requests at a time than there are agents. */
export const stageAgentsRun =
  (state: ProcessState, home: string, named: NamedAgents): typeof runBench =>
  (request, parts) =>
    agentsRun(state, home, agentsOfStage(named, request))(request, parts);

// Opens the channels to all agents of a run: nodes of the cluster with a ticket that the local daemon requests, others with their
// codes. All, or none. A sweep opens them again for each stage: a ticket works once, a code for the runs of one coordinator.
interface AgentsRequest {
  /** Of the daemon that asks the nodes. */
  readonly home: string;
  readonly from: readonly string[];
  readonly agents: readonly AgentAddress[];
  readonly signal: AbortSignal;
}

/** @throws CommandError, BenchError `unreachable`; the signal's reason. No channel is left open then. */
const openAgents = async (state: ProcessState, options: AgentsRequest): Promise<readonly AgentChannel[]> => {
  const { agents, signal } = options;
  const { dialAgent } = await import('../../bench/agent/tls/dial-agent.ts'); // TLS, which no other run needs
  const opening = [
    ...(options.from.length === 0 ? [] : await nodeAgents(state, options, dialAgent)),
    ...agents.map(({ at, code }) =>
      dialAgent({ name: hostPortText(at), addresses: [at], secret: code, signal }),
    ),
  ];
  const opened = await Promise.allSettled(opening);
  const failed = opened.find(one => one.status === 'rejected');
  if (failed === undefined) return opened.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  for (const one of opened) if (one.status === 'fulfilled') await one.value.close('done');
  throw failed.reason;
};

const nodeAgents = async (
  state: ProcessState,
  { home, from, signal }: AgentsRequest,
  dial: (options: DialAgentOptions) => Promise<AgentChannel>,
): Promise<readonly Promise<AgentChannel>[]> => {
  const client = await findDaemon(home, state);
  const known = await knownNodes(client, signal);
  const nodes = from.map(name => nodeCalled(name, known));
  return nodes.map(async ({ nodeId }) => {
    const { name, addresses, ticket } = await granted(client, nodeId, signal);
    return await dial({ name, addresses, secret: ticket, signal });
  });
};

/** A node that refuses is a target of this run that cannot be reached, not a daemon that fails. */
const granted = async (client: DaemonClient, nodeId: NodeId, signal: AbortSignal): Promise<GrantedAgent> => {
  try {
    return await client.answer(grantedAgentSchema, '/api/agents', signal, 'POST', { nodeId });
  } catch (error) {
    const refusal = error instanceof CommandError ? error.cause : undefined;
    if (!(refusal instanceof ProblemError) || refusal.code !== 'agent-refused') throw error;
    const { problem, advice } = refusal.problem;
    throw new BenchError({ code: 'unreachable', problem, advice }, { cause: error });
  }
};
