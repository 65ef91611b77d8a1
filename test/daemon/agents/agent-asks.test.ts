import { expect, test } from 'vitest';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { AgentAsks, type AskedAgent } from '../../../src/daemon/agents/agent-asks.ts';
import { routedRequests } from '../../../src/mesh/joined-links.ts';
import { AGENT_ASK_TOPIC } from '../../../src/wire/agent-ask.ts';
import { AskingNodes } from '../../support/asking-nodes.ts';

/** Atlas is linked with juno by a fleet, over which it hears of it when the test says so. */
const asking = async () => {
  const nodes = await AskingNodes.start(['atlas', 'juno']);
  const [atlas, juno] = [nodes.at(0), nodes.at(1)];
  const refusal = { kind: 'refused', code: 'not-allowed', problem: 'juno makes no load', advice: '' };
  juno.requests.serve(AGENT_ASK_TOPIC, () => ({ kind: 'answer', body: refusal }));
  let isHeard = false;
  const asks = new AgentAsks({
    nodeId: atlas.id,
    clock: nodes.clock,
    state: () => EMPTY_STATE,
    own: { lend: () => Promise.reject(new Error('not this one')) },
    requests: routedRequests([
      { links: { has: () => false }, requests: juno.requests },
      { links: { has: () => isHeard }, requests: atlas.requests },
    ]),
  });
  return {
    hear: () => {
      isHeard = true;
    },
    ask: () => asks.ask(juno.id, AbortSignal.timeout(30_000)),
    ended: async (asked: Promise<AskedAgent>): Promise<AskedAgent> => {
      let isOver = false;
      const over = asked.finally(() => {
        isOver = true;
      });
      while (!isOver) await nodes.clock.advance(50);
      return await over;
    },
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
};

test('a node that was not heard yet is waited for some seconds, and answers when it is there', async () => {
  await using node = await asking();
  const asked = node.ask();
  setImmediate(node.hear);
  expect(await node.ended(asked)).toMatchObject({ kind: 'refused', code: 'not-allowed' });
});

test('a node that does not come is said to be silent for how long, with what to do', async () => {
  await using node = await asking();
  expect(await node.ended(node.ask())).toMatchObject({
    kind: 'refused',
    code: 'unreachable',
    problem: expect.stringContaining('was not heard within 7 s: there is no link to it'),
    advice: expect.stringContaining('plimsoll fleet status'),
  });
});
