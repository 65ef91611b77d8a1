import { expect, test } from 'vitest';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { AgentQueries, type RequestedAgent } from '../../src/daemon/agent-queries.ts';
import { routedRequests } from '../../src/mesh/joined-links.ts';
import { AGENT_QUERY_TOPIC } from '../../src/wire/agent-query.ts';
import { QueryingNodes } from '../support/querying-nodes.ts';

/** Atlas is linked with juno by a fleet, whose messages arrive when the test delivers them. */
const query = async () => {
  const nodes = await QueryingNodes.start(['atlas', 'juno']);
  const [atlas, juno] = [nodes.at(0), nodes.at(1)];
  const refusal = { kind: 'refused', code: 'not-allowed', problem: 'juno makes no load', advice: '' };
  juno.requests.serve(AGENT_QUERY_TOPIC, () => ({ kind: 'answer', body: refusal }));
  let wasSeen = false;
  const requests = new AgentQueries({
    nodeId: atlas.id,
    clock: nodes.clock,
    state: () => EMPTY_STATE,
    own: { lend: () => Promise.reject(new Error('not this one')) },
    requests: routedRequests([
      { links: { has: () => false }, requests: juno.requests },
      { links: { has: () => wasSeen }, requests: atlas.requests },
    ]),
  });
  return {
    receive: () => {
      wasSeen = true;
    },
    request: () => requests.request(juno.id, AbortSignal.timeout(30_000)),
    ended: async (requested: Promise<RequestedAgent>): Promise<RequestedAgent> => {
      let isOver = false;
      const over = requested.finally(() => {
        isOver = true;
      });
      while (!isOver) await nodes.clock.advance(50);
      return await over;
    },
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
};

test('a node that has sent nothing yet is waited for some seconds, and answers when it is there', async () => {
  await using node = await query();
  const requested = node.request();
  setImmediate(node.receive);
  expect(await node.ended(requested)).toMatchObject({ kind: 'refused', code: 'not-allowed' });
});

test('a node that does not come is reported to be silent for how long, with what to do', async () => {
  await using node = await query();
  expect(await node.ended(node.request())).toMatchObject({
    kind: 'refused',
    code: 'unreachable',
    problem: expect.stringContaining('did not reply within 7 s: there is no link to it'),
    advice: expect.stringContaining('plimsoll fleet status'),
  });
});
