// Questions about a cluster, answered from the committed recording through the official client: each question is next to the call
// that answers it and the figures in the recording. The client checks every result against the schema of its tool.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { madeFacts } from '../../model/made-headers.ts';
import { type RecordedCluster, recordedCluster } from '../../support/recorded-cluster.ts';

let served: RecordedCluster;
let client: Client;

beforeAll(async () => {
  served = await recordedCluster();
  client = new Client({ name: 'questions', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${served.token}` } },
    }),
  );
  // From then on the client has the schemas of all replies.
  await client.listTools();
});

afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
});

interface Question {
  readonly requested: string;
  readonly tool: string;
  readonly given?: Record<string, unknown>;
  readonly answer: object;
}

const figure = (value: number, unit: string) => ({ value, unit, reason: '' });
const link = (a: string, b: string, figures: object) => ({ names: [a, b], ...figures });

const QUESTIONS: readonly Question[] = [
  {
    requested: 'How many machines are there, and is one away?',
    tool: 'cluster_summary',
    answer: { nodes: { live: 8, stale: 0, offline: 1 }, gpus: 8, links: 20 },
  },
  {
    requested: 'How much memory do they have together?',
    tool: 'cluster_summary',
    answer: { memoryTotal: { sum: 1_736_000_000_000, unit: 'bytes', knownOf: '10 of 11' } },
  },
  {
    requested: 'What can all GPUs compute, and was each of them measured?',
    tool: 'cluster_summary',
    answer: { gpuFp16: { unit: 'FLOP/s', knownOf: '7 of 8', isLowerBound: true } },
  },
  {
    requested: 'Which machine does not answer, and since when?',
    tool: 'list_nodes',
    answer: {
      nodes: expect.arrayContaining([
        expect.objectContaining({ name: 'juno', presence: 'offline', lastSeenSecondsAgo: 192 }),
      ]),
    },
  },
  {
    requested: 'How hot is the first GPU of bosun, and what does it draw?',
    tool: 'node_detail',
    given: { node: 'bosun' },
    answer: {
      gpuCount: 2,
      devices: [
        { name: 'NVIDIA GeForce RTX 4090', temperature: figure(61, '°C'), power: figure(310.7, 'W') },
        expect.anything(),
      ],
    },
  },
  {
    requested: 'How fast is the memory of atlas?',
    tool: 'node_detail',
    given: { node: 'atlas' },
    answer: {
      machine: 'Mac Studio, Apple M3 Ultra',
      devices: [
        { memoryRead: { ...figure(662_337_000_000, 'bytes/s'), ageSeconds: 11.4, method: 'simulated' } },
      ],
    },
  },
  {
    requested: 'How much memory has spark-1 in use?',
    tool: 'node_detail',
    given: { node: 'spark-1' },
    answer: {
      memoryUsed: { ...figure(115_876_000_000, 'bytes'), isStale: false },
      memoryTotal: figure(128_000_000_000, 'bytes'),
    },
  },
  {
    requested: 'What does the GPU of anchor reach?',
    tool: 'node_detail',
    given: { node: 'anchor' },
    answer: { devices: [{ fp16: { value: null, unit: 'FLOP/s', reason: 'not measured yet' } }] },
  },
  {
    requested: 'Which cable is slow, and by how much?',
    tool: 'worst_links',
    answer: {
      links: [
        link('spark-2', 'bosun', {
          there: figure(9_409_300_000, 'bits/s'),
          back: figure(4_866_810_000, 'bits/s'),
          expected: { ...figure(10_000_000_000, 'bits/s'), method: 'negotiated rate' },
          shareOfExpected: 0.487,
          shareOfOwnMedian: 0.517,
        }),
      ],
      unmeasured: 5,
    },
  },
  {
    requested: 'Which link carries least of all?',
    tool: 'worst_links',
    given: { by: 'bandwidth', limit: 1 },
    answer: { links: [link('pip', 'bosun', { back: figure(936_335_000, 'bits/s') })], leftOut: 14 },
  },
  {
    requested: 'Which has the longest round trip?',
    tool: 'worst_links',
    given: { by: 'round_trip', limit: 1 },
    answer: { links: [link('atlas', 'bosun', { roundTrip: figure(224_906, 'ns') })] },
  },
  {
    requested: 'Was the link of atlas and hermes slower last week?',
    tool: 'link_history',
    given: { from: 'atlas', to: 'hermes' },
    answer: {
      connections: [
        {
          connection: 'rdma rdma_en2 rdma_en2',
          type: expect.stringMatching(/^Thunderbolt\s5 \(RDMA\)$/u),
          there: {
            measurements: 0,
            median: { value: null, reason: expect.stringContaining('has not stored it') },
          },
        },
      ],
    },
  },
  {
    requested: 'What should I look at first?',
    tool: 'warnings',
    given: { limit: 1 },
    answer: {
      warnings: [
        {
          level: 'danger',
          title: { text: expect.stringMatching(/^\{0\} stopped answering 3\smin ago$/u), values: ['juno'] },
          command: 'plimsoll status',
        },
      ],
      leftOut: 4,
    },
  },
  {
    requested: 'Is a GPU slowed down, and why?',
    tool: 'warnings',
    answer: {
      warnings: expect.arrayContaining([
        expect.objectContaining({
          title: { text: '{0}: GPU 1 is throttled', values: ['bosun'] },
          why: {
            text: 'Reason under load: {0}. Measurements are below what it can do.',
            values: [expect.stringContaining('HW thermal slowdown')],
          },
        }),
      ]),
    },
  },
  {
    requested: 'Why does spark-1 report nothing about Thunderbolt?',
    tool: 'explain_missing',
    given: { node: 'spark-1' },
    answer: {
      missing: expect.arrayContaining([
        { what: 'thunderbolt', kind: 'absent', reason: 'no Thunderbolt controller' },
      ]),
    },
  },
  {
    requested: 'Why are the figures of juno old?',
    tool: 'explain_missing',
    given: { node: 'juno' },
    answer: {
      missing: expect.arrayContaining([
        { what: 'memory', kind: 'stale', reason: 'simulated has sent nothing new' },
      ]),
    },
  },
  {
    requested: 'Which load tests were there, and which did not end?',
    tool: 'list_runs',
    given: { limit: 100 },
    answer: {
      runs: expect.arrayContaining([
        expect.objectContaining({
          runId: '20270111-053600-6a40',
          node: 'hermes',
          state: 'interrupted',
          reason: 'stopped by Ctrl-C',
        }),
      ]),
      leftOut: 0,
    },
  },
  {
    requested: 'How long did half of the requests of run-a wait for their first token?',
    tool: 'run_report',
    given: { run: 'run-a' },
    answer: {
      verdict: { text: expect.stringMatching(/^Trustworthy within 100\sµs, complete$/u), values: [] },
      measured: expect.arrayContaining([
        { name: 'TTFT p50', figure: expect.objectContaining(figure(98_522_500, 'ns')) },
        {
          name: 'TTFT p99',
          figure: expect.objectContaining({
            ...figure(172_526_000, 'ns'),
            method: expect.stringMatching(/, of few requests \(≥ 168\sms\)$/u),
          }),
        },
        { name: 'Output', figure: expect.objectContaining(figure(6.698_95, 'tok/s')) },
      ]),
    },
  },
  {
    requested: 'Was run-b faster than run-a?',
    tool: 'compare_runs',
    given: { a: 'run-a', b: 'run-b' },
    answer: {
      verdict: 'undecided',
      metrics: expect.arrayContaining([
        expect.objectContaining({ metric: 'ttft.p50', verdict: 'undecided', ratio: 1.0032 }),
      ]),
    },
  },
];

test.each(QUESTIONS)('$asked', async ({ tool, given = {}, answer }) => {
  const { structuredContent, isError, content } = await client.callTool({ name: tool, arguments: given });
  expect(isError, JSON.stringify(content)).toBe(false);
  expect(structuredContent).toMatchObject(answer);
});

test('What should Llama 3 8B do here, and does it fit?', async () => {
  const { structuredContent } = await client.callTool({
    name: 'headroom',
    arguments: { model: await madeFacts('llama3-8b'), limit: 1 },
  });
  expect(structuredContent).toMatchObject({
    needs: { least: figure(7_751_920_000, 'bytes'), most: figure(8_288_790_000, 'bytes') },
    placements: [
      {
        name: 'TP 2: bosun GPU 0 + bosun GPU 1',
        fits: 'fits',
        bound: { ...figure(287.977, 'tokens/s'), ageSeconds: 526.5, method: 'measured ceilings' },
        limitedBy: 'weights',
      },
    ],
  });
});

test('an answer has some 4 kB where nothing more is asked for', async () => {
  for (const { tool, given = {} } of QUESTIONS.filter(({ given }) => given?.['limit'] === undefined)) {
    const { structuredContent } = await client.callTool({ name: tool, arguments: given });
    expect(JSON.stringify(structuredContent).length, tool).toBeLessThan(4_500);
  }
});
