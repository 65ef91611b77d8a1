// Opens the channels to all agents of a run: nodes of the cluster with a ticket that the local daemon requests, others with their
// codes. All, or none. A sweep opens them again for each stage: a ticket works once, a code for the runs of one coordinator.

import { dialAgent } from '../../bench/agent/tls/dial-agent.ts';
import { BenchError } from '../../bench/bench-error.ts';
import type { AgentChannel } from '../../bench/fleet/agent-channel.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { ProblemError } from '../../core/problem.ts';
import { type GrantedAgent, grantedAgentSchema } from '../../wire/api/agent-answers.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import { knownNodes, nodeCalled } from '../known-nodes.ts';
import type { ProcessState } from '../process-state.ts';
import type { AgentPlace } from './agent-places.ts';

export interface AgentsRequest {
  /** Of the daemon that asks the nodes. */
  readonly home: string;
  readonly from: readonly string[];
  readonly agents: readonly AgentPlace[];
  readonly signal: AbortSignal;
}

/** @throws CommandError, BenchError `unreachable`; the signal's reason. No channel is left open then. */
export const openAgents = async (
  state: ProcessState,
  options: AgentsRequest,
): Promise<readonly AgentChannel[]> => {
  const { agents, signal } = options;
  const opening = [
    ...(options.from.length === 0 ? [] : await nodeAgents(state, options)),
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
): Promise<readonly Promise<AgentChannel>[]> => {
  const client = await findDaemon(home, state);
  const known = await knownNodes(client, signal);
  const nodes = from.map(name => nodeCalled(name, known));
  return nodes.map(async ({ nodeId }) => {
    const { name, addresses, ticket } = await granted(client, nodeId, signal);
    return await dialAgent({ name, addresses, secret: ticket, signal });
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
