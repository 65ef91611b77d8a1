// Requests the agent of a node of the cluster for a coordinator on this machine, and returns where that agent can be reached from here.

import * as v from 'valibot';
import type { Clock } from '../clock/clock.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { isOfEveryCable } from '../core/address/subnet.ts';
import type { NodeId } from '../core/ids.ts';
import type { ConnectionType } from '../core/link/connection.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { State } from '../core/state.ts';
import { isUnknown, type Reported } from '../core/unknown.ts';
import type { QueryOutcome, Requests } from '../mesh/requests.ts';
import { AGENT_QUERY_TOPIC, type AgentAnswer, agentAnswerSchema, refusedAgent } from '../wire/agent-query.ts';
import type { GrantedAgent } from '../wire/api/agent-answers.ts';
import type { AgentServer } from './agent-server.ts';

interface AgentQueriesParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly own: Pick<AgentServer, 'lend'>;
  readonly requests: Requests | undefined;
}

export type RequestedAgent =
  | { readonly kind: 'granted'; readonly agent: GrantedAgent }
  | (AgentAnswer & { readonly kind: 'refused' });

export class AgentQueries {
  readonly #parts: AgentQueriesParts;

  constructor(parts: AgentQueriesParts) {
    this.#parts = parts;
  }

  /** Rejects only with the signal's reason. */
  async request(node: NodeId, signal: AbortSignal): Promise<RequestedAgent> {
    const { nodeId, state, own } = this.#parts;
    const answer = node === nodeId ? await own.lend(nodeId) : await this.#queryPeer(node, signal);
    if (answer.kind === 'refused') return answer;
    const hosts = node === nodeId ? ['127.0.0.1', '::1'] : addressesOf(state(), nodeId, node);
    const addresses = hosts.map((host): HostPort => ({ host, port: answer.port }));
    const name = nodeName(state(), node);
    if (addresses.length === 0) {
      const problem = `this machine has no open connection to ${name}`;
      return {
        kind: 'refused',
        code: 'unreachable',
        problem,
        advice: 'plimsoll doctor lists the addresses that were tried.',
      };
    }
    return { kind: 'granted', agent: { nodeId: node, name, addresses, ticket: answer.ticket } };
  }

  /** A node that has not been seen in a fleet since this daemon started reports its presence within a few seconds. */
  async #reply(node: NodeId, requests: Requests, signal: AbortSignal): Promise<QueryOutcome> {
    const { clock } = this.#parts;
    const untilMs = clock.nowMs() + LINK_MS_MAX;
    for (;;) {
      const reply = await requests.request(
        node,
        AGENT_QUERY_TOPIC,
        {},
        { timeoutMs: REQUEST_TIMEOUT_MS, signal },
      );
      if (reply.kind !== 'unreachable' || clock.nowMs() >= untilMs) return reply;
      await clock.sleep(LINK_LOOK_MS, signal);
    }
  }

  async #queryPeer(node: NodeId, signal: AbortSignal): Promise<AgentAnswer> {
    const { requests, state } = this.#parts;
    const name = nodeName(state(), node);
    if (requests === undefined)
      return refusedAgent('unreachable', `${name} cannot be reached: there is no mesh`, '');
    const reply = await this.#reply(node, requests, signal);
    if (reply.kind === 'timeout')
      return refusedAgent('unreachable', `${name} does not answer`, 'Does it run this version of Plimsoll?');
    if (reply.kind === 'unreachable')
      return refusedAgent(
        'unreachable',
        `${name} did not reply within ${LINK_MS_MAX / 1_000} s: ${reply.reason}`,
        'Is it up? Run plimsoll doctor on both machines to find the cause; with a fleet, plimsoll fleet status.',
      );
    if (reply.kind !== 'answer') return refusedAgent('unreachable', `${name}: ${reply.reason}`, '');
    const answer = v.safeParse(agentAnswerSchema, reply.body);
    return answer.success
      ? answer.output
      : refusedAgent('unreachable', `the reply of ${name} is not understood by this version`, '');
  }
}

/**
 * Addresses that answer now, the fastest cable type first, because samples of a long run are some 100 MB. A large cluster does
 * not check every pair; then the addresses that the node itself reports.
 */
export const addressesOf = (state: State, self: NodeId, node: NodeId): readonly string[] => {
  const open = Object.values(state.connections[self]?.[node] ?? {})
    .flatMap(({ value }) => (value.kind === 'socket' ? [value] : []))
    .toSorted((a, b) => rankOf(a.type) - rankOf(b.type))
    .map(({ sinkAddress }) => sinkAddress);
  return (open.length > 0 ? open : ownAddressesOf(state, node)).slice(0, ADDRESSES_MAX);
};

const ownAddressesOf = (state: State, node: NodeId): readonly string[] =>
  (state.nodeNetworks[node]?.value.interfaces ?? []).flatMap(({ type, addresses }) =>
    type === 'loopback' ? [] : addresses.filter(one => !isOfEveryCable(one)).map(({ address }) => address),
  );

const rankOf = (type: Reported<ConnectionType>): number => {
  const rank = isUnknown(type) ? -1 : TYPES_BEST_FIRST.indexOf(type);
  return rank === -1 ? TYPES_BEST_FIRST.length : rank;
};

const TYPES_BEST_FIRST: readonly ConnectionType[] = [
  'infiniband',
  'roce',
  'thunderbolt',
  'ethernet',
  'loopback',
  'wifi',
  'overlay',
];
const ADDRESSES_MAX = 8;
/** Its process takes some tenths of a second to start, on a busy machine seconds. */
const REQUEST_TIMEOUT_MS = 25_000;
/** A digest of a fleet's node and a little. */
const LINK_MS_MAX = 7_000;
const LINK_LOOK_MS = 250;
