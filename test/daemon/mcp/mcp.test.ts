// What an AI assistant receives, through the official client of the protocol: its own checks of every result against
// the schema of the tool are part of the test.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject } from '../../../src/core/json.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { clusterTotals } from '../../../src/core/totals.ts';
import { everyWarning } from '../../../src/core/warnings/cluster-warnings.ts';
import { readRpcMessage } from '../../../src/daemon/mcp/json-rpc.ts';
import { MCP_TOOLS, type McpServer, mcpServer } from '../../../src/daemon/mcp/mcp-server.ts';
import type { McpContext } from '../../../src/daemon/mcp/mcp-tool.ts';
import { longCount } from '../../support/counts.ts';
import { type LiveDaemon, liveDemo } from '../../support/live-daemons.ts';
import { retainedBytes } from '../../support/retained-memory.ts';

let demo: LiveDaemon;
let client: Client;

beforeAll(async () => {
  demo = await liveDemo();
  client = await connected(demo.token);
});

afterAll(async () => {
  await client.close();
  await demo[Symbol.asyncDispose]();
});

const connected = async (token: string): Promise<Client> => {
  const made = new Client({ name: 'test', version: '1' });
  await made.connect(
    new StreamableHTTPClientTransport(new URL(`${demo.daemon.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return made;
};

const request = async (
  name: string,
  given: Record<string, unknown> = {},
): Promise<Record<string, unknown>> => {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: given });
  expect(isError, JSON.stringify(content)).toBe(false);
  return isJsonObject(structuredContent) ? structuredContent : {};
};

/** Of the first connection: counts and medians of both ways. */
const pastOf = ({ connections }: Record<string, unknown>) => {
  const first: unknown = Array.isArray(connections) ? connections[0] : undefined;
  const way = (name: string): unknown => {
    const past = isJsonObject(first) ? first[name] : undefined;
    if (!isJsonObject(past) || !isJsonObject(past['median'])) throw new Error(`no past ${name}`);
    return [past['measurements'], past['median']['value']];
  };
  return { there: way('there'), back: way('back') };
};

const refusal = async (name: string, given: Record<string, unknown>): Promise<string> => {
  const { content, isError } = await client.callTool({ name, arguments: given });
  expect(isError).toBe(true);
  return JSON.stringify(content);
};

describe('over HTTP', () => {
  test('the official client lists the tools, and each reports that it changes nothing', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(MCP_TOOLS.map(({ name }) => name));
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true);
  });

  test('the token is needed on loopback too, and a page of another origin gets nothing', async () => {
    await expect(connected('x'.repeat(43))).rejects.toThrow('401');
    const strange = await fetch(`${demo.daemon.url}/mcp`, {
      method: 'POST',
      headers: {
        origin: 'http://evil.example',
        authorization: `Bearer ${demo.token}`,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(strange.status).toBe(403);
  });

  test('returns the sums that every other view has', async () => {
    const { state } = demo.daemon;
    const totals = clusterTotals(state, demo.daemon.nowMs());
    expect(await request('cluster_summary')).toMatchObject({
      gpus: totals.gpuCount,
      memoryTotal: { sum: totals.memoryTotalBytes.sum, unit: 'bytes' },
      gpuFp16: { sum: totals.gpuFlopsPerSecond.sum, unit: 'FLOP/s' },
    });
  });

  test('finds a node by its id and by its name, and reports what is wrong with another', async () => {
    const { state } = demo.daemon;
    const [id] = nodeIds(state);
    if (id === undefined) throw new Error('the demo has no node');
    const { name } = nodeView(state, id, demo.daemon.nowMs());
    expect(await request('node_detail', { node: id })).toMatchObject({ nodeId: id, name });
    expect(await request('node_detail', { node: name })).toMatchObject({ nodeId: id });
    expect(await refusal('node_detail', { node: 'nobody' })).toContain('there is no such node');
    expect(await refusal('node_detail', {})).toContain('the arguments are wrong at node');
  });

  test('which cable is slow: the one that the picture warns of', async () => {
    const now = demo.daemon.nowMs();
    const views = nodeIds(demo.daemon.state).map(id => nodeView(demo.daemon.state, id, now));
    // An MTU or a loss is no shortfall.
    const warned = everyWarning({ state: demo.daemon.state, views, nowMs: now }).filter(({ id }) =>
      /^link (?!mtu |loss )/.test(id),
    );
    const { links, unmeasured } = await request('worst_links', { by: 'bandwidth', limit: 100 });
    const measured = linkViews(demo.daemon.state, now).filter(({ standing }) => standing.kind === 'measured');
    expect(links).toHaveLength(measured.length);
    expect(typeof unmeasured).toBe('number');
    const { links: short } = await request('worst_links', { limit: 100 });
    expect(Array.isArray(short) && short.length >= warned.length).toBe(true);
  });

  test('the past of a link is of its own connection, its medians within its lowest and highest', async () => {
    const [link] = linkViews(demo.daemon.state, demo.daemon.nowMs()).filter(
      ({ best }) => best.profile !== undefined && typeof best.profile.uploadBitsPerSecond === 'number',
    );
    if (link === undefined) throw new Error('the demo has no measured link');
    const [from, to] = link.nodes;
    const there = { measurements: expect.any(Number), newest: { unit: 'bits/s' } };
    const forth = await request('link_history', { from, to, days: 90, steps: 2 });
    expect(forth).toMatchObject({ from, to, connections: [{ there, course: [{}, {}] }] });
    const back = await request('link_history', { from: to, to: from, days: 90, steps: 2 });
    expect(pastOf(back)).toEqual({ there: pastOf(forth).back, back: pastOf(forth).there });
    expect(await refusal('link_history', { from, to: from })).toContain('no link of these two nodes');
    expect(await refusal('link_history', { from, to, days: 91 })).toContain(
      'the arguments are wrong at days',
    );
  });

  test('a model is none where its facts are not all there, and no file is opened for it', async () => {
    expect(await refusal('headroom', { model: '/etc/passwd' })).toContain('not the facts of a model');
    expect(await refusal('headroom', { model: { name: 'x' } })).toContain('not the facts of a model');
  });

  test('returns warnings, what is missing, and runs with their reports', async () => {
    expect(await request('warnings')).toHaveProperty('warnings');
    const [id] = nodeIds(demo.daemon.state);
    expect(await request('explain_missing', { node: id })).toHaveProperty('missing');
    expect(await request('list_runs', { limit: 1 })).toMatchObject({ leftOut: expect.any(Number) });
    expect(await refusal('run_report', { run: '20200101-000000-abcd' })).toContain('there is no such run');
    expect(await refusal('run_report', { run: '../../etc/passwd' })).toContain('this is not the id of a run');
  });
});

describe('any input', () => {
  const server = (): McpServer => {
    const context: McpContext = {
      state: demo.daemon.state,
      nowMs: demo.daemon.nowMs(),
      wallMs: 0,
      profileRows: async () => [],
    };
    return mcpServer({
      version: '1',
      tools: MCP_TOOLS,
      call: (tool, given) => tool.call(given, context),
    });
  };

  test('every message is answered as the protocol reports, or not at all', async () => {
    const there = server();
    const names = MCP_TOOLS.map(({ name }) => name);
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          jsonrpc: fc.constant('2.0'),
          id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
          method: fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'nothing'),
          params: fc.oneof(
            fc.jsonValue(),
            fc.record({ name: fc.constantFrom(...names), arguments: fc.jsonValue() }),
          ),
        },
        { requiredKeys: ['jsonrpc'] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(message, async json => {
        const read = readRpcMessage(json);
        const answer = await there.answer(json);
        expect(answer === undefined).toBe(read.kind === 'notification');
        if (answer === undefined) return;
        expect(answer.jsonrpc).toBe('2.0');
        expect('result' in answer || 'error' in answer).toBe(true);
        if ('error' in answer) expect(answer.error.code, answer.error.message).not.toBe(-32_603);
      }),
      { numRuns: longCount(300, 100_000) },
    );
  }, 120_000);

  test('ten thousand calls leave no memory behind', { timeout: 120_000 }, async context => {
    if (longCount(0, 1) === 0) context.skip('takes a minute: npm run test:long');
    const there = server();
    const call = async (count: number): Promise<number> => {
      for (let at = 0; at < count; at += 1)
        await there.answer({
          jsonrpc: '2.0',
          id: at,
          method: 'tools/call',
          params: { name: 'cluster_summary' },
        });
      return retainedBytes();
    };
    const before = await call(500);
    expect((await call(10_000)) - before).toBeLessThan(2_000_000);
  });
});
