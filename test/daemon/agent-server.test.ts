// A node that lends itself to a coordinator of its cluster: asked over the mesh, loaded by a process of its own.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dialAgent } from '../../src/bench/agent/tls/dial-agent.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { BenchConfig } from '../../src/config/config.ts';
import { defaultConfig } from '../../src/config/read-config.ts';
import type { Fact } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import type { Connection } from '../../src/core/link/connection.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import { AgentQueries, addressesOf, type RequestedAgent } from '../../src/daemon/agent-queries.ts';
import { AgentServer } from '../../src/daemon/agent-server.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import type { GrantedAgent } from '../../src/wire/api/agent-answers.ts';
import { CoordinatorScript, requestTo } from '../bench/agent/scripted-coordinator.ts';
import { isLongRun } from '../support/counts.ts';
import { QueryingNodes } from '../support/querying-nodes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const connection = (sink: Connection['sink'], sinkAddress: string, type: Connection['type']): Connection => ({
  kind: 'socket',
  sink,
  sinkAddress,
  sourceInterface: unknown('made up'),
  sinkInterface: unknown('made up'),
  type,
  negotiatedBitsPerSecond: unknown('made up'),
});

/** Atlas asks, juno lends itself, as far as its config allows. */
const lending = async (home: string, config: Partial<BenchConfig>) => {
  const nodes = await QueryingNodes.start(['atlas', 'juno']);
  const [atlas, juno] = [nodes.at(0), nodes.at(1)];
  const facts: Fact[] = [];
  const stop = new AbortController();
  const common = { clock: systemClock, home, env: process.env, nodePath: process.execPath, version: '1.2.3' };
  const server = new AgentServer({
    ...common,
    nodeId: juno.id,
    state: () => EMPTY_STATE,
    record: fact => facts.push(fact),
    config: () => ({ ...defaultConfig().bench, ...config }),
    nodeOf: () => unknown('not a known node'),
    requests: juno.requests,
  });
  const running = server.run(stop.signal);
  const link = connection(juno.id, '127.0.0.1', 'loopback');
  const entry = {
    value: link,
    epoch: 1,
    seq: 1,
    ageMs: 0,
    receivedAtMs: 0,
  };
  const state: State = { ...EMPTY_STATE, connections: { [atlas.id]: { [juno.id]: { only: entry } } } };
  const requests = new AgentQueries({
    nodeId: atlas.id,
    clock: nodes.clock,
    state: () => state,
    own: { lend: () => Promise.reject(new Error('not this one')) },
    requests: atlas.requests,
  });
  const request = async (): Promise<RequestedAgent> => {
    let isOver = false;
    const requested = requests.request(juno.id, AbortSignal.timeout(30_000)).finally(() => {
      isOver = true;
    });
    // The mesh in memory is on a virtual clock, the process is not.
    while (!isOver) {
      await nodes.clock.advance(1);
      await sleep(2);
    }
    return await requested;
  };
  return {
    facts,
    request,
    granted: async (): Promise<GrantedAgent> => {
      const requested = await request();
      if (requested.kind === 'refused') throw new Error(requested.problem);
      return requested.agent;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await nodes[Symbol.asyncDispose]();
    },
  };
};

const dial = async ({ name, addresses, ticket: secret }: GrantedAgent): Promise<CoordinatorScript> =>
  new CoordinatorScript(await dialAgent({ name, addresses, secret, signal: AbortSignal.timeout(30_000) }));

const LONG = 'a whole run: left to the long test';

describe('a node of the cluster', () => {
  test('makes no load for others unless its config allows it, and lists targets', async () => {
    using folder = temporaryDirectory();
    for (const config of [{}, { isAgent: true }, { targets: ['http://127.0.0.1:1'] }]) {
      await using node = await lending(folder.path, config);
      expect(await node.request()).toMatchObject({ kind: 'refused', code: 'not-allowed' });
    }
    expect(existsSync(join(folder.path, 'agent'))).toBe(false);
  });

  test('that allows it loads a listed target by a process of its own, and reports it in state', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 5, gapMs: 1, outputTokens: 3 });
    await using node = await lending(folder.path, { isAgent: true, targets: [new URL(mock.url).origin] });
    const agent = await node.granted();
    expect(agent.ticket).toMatch(/^[0-9a-f]{32}$/);
    await using coordinator = await dial(agent);
    await coordinator.prepare(requestTo(mock.url));
    expect(node.facts.at(-1)).toMatchObject({
      kind: 'runner.reported',
      payload: { runnerKey: 'agent', source: 'run' },
    });
    expect(await node.request()).toMatchObject({ kind: 'refused', code: 'busy' });
    await coordinator.start();
    expect(await coordinator.next('ended')).toMatchObject({ state: 'complete' });
    expect((await coordinator.collect()).split('\n').length).toBeGreaterThan(20);
    await coordinator.send({ kind: 'done' });
    await coordinator.channel.closed;
    // The next stage of a sweep asks at once; and the ticket of before opens nothing.
    const next = await node.granted();
    expect(next.ticket).not.toBe(agent.ticket);
    await expect(dial({ ...next, ticket: agent.ticket })).rejects.toMatchObject({ code: 'unreachable' });
    await using again = await dial(next);
    await again.prepare(requestTo(mock.url));
    expect(readdirSync(join(folder.path, 'agent'))).toHaveLength(1);
  });

  test('that does not list the target refuses it to who has a ticket', async ({ skip }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock({});
    await using node = await lending(folder.path, { isAgent: true, targets: ['http://127.0.0.1:1'] });
    await using coordinator = await dial(await node.granted());
    await coordinator.send({ kind: 'survey', request: requestTo(mock.url) });
    expect((await coordinator.next('refused')).problem).toMatchObject({ code: 'target-not-allowed' });
  });

  test('ends a load whose coordinator is gone, and is free again', async ({ signal, skip }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 5, gapMs: 50, outputTokens: 10_000 });
    await using node = await lending(folder.path, { isAgent: true, targets: [new URL(mock.url).origin] });
    const coordinator = await dial(await node.granted());
    await coordinator.prepare(requestTo(mock.url, { samplesMax: 1_000 }));
    await coordinator.start();
    await coordinator.next('live');
    await coordinator[Symbol.asyncDispose]();
    await until(() => readdirSync(join(folder.path, 'agent')).length === 0, signal);
    expect(await node.request()).toMatchObject({ kind: 'granted' });
    expect(readdirSync(join(folder.path, 'agent'))).toEqual([]);
  });
});

test('the quickest cable to an agent is dialled first, and none that is not there', () => {
  const [atlas, juno] = ['a'.repeat(26), 'b'.repeat(26)].map(text => nodeId(text));
  if (atlas === undefined || juno === undefined) throw new Error('no ids');
  const entryOf = (type: Connection['type'], address: string) => ({
    value: connection(juno, address, type),
    epoch: 1,
    seq: 1,
    ageMs: 0,
    receivedAtMs: 0,
  });
  const state: State = {
    ...EMPTY_STATE,
    connections: {
      [atlas]: {
        [juno]: {
          a: entryOf('wifi', '192.168.1.2'),
          b: entryOf('thunderbolt', 'fe80::1%en3'),
          c: entryOf(unknown('not reported'), '100.64.0.2'),
          d: entryOf('ethernet', '10.0.0.2'),
        },
      },
    },
  };
  expect(addressesOf(state, atlas, juno)).toEqual(['fe80::1%en3', '10.0.0.2', '192.168.1.2', '100.64.0.2']);
  expect(addressesOf(state, juno, atlas)).toEqual([]);
});
