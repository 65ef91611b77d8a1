// A request on its way to an agent: what arrives asks for the same, and no key travels.

import { encode } from '@msgpack/msgpack';
import { describe, expect, test } from 'vitest';
import { channelToAgent, channelToCoordinator } from '../../../src/bench/fleet/framed-channel.ts';
import {
  arrivedRequest,
  datasetOfLines,
  linesOfDataset,
  travellingRequest,
} from '../../../src/bench/fleet/travelling-request.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { RUN_OPTIONS } from '../../../src/bench/run/run-options.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';
import { optionValues, standardValue } from '../../../src/core/option/option.ts';
import { LOAD_OPTIONS } from '../../../src/core/run/load-request.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { AGENT_SCHEMA } from '../../../src/wire/agent-message.ts';
import { decodeCoordinatorMessage } from '../../../src/wire/agent-message-codec.ts';
import { memoryLines } from '../../support/memory-line.ts';

const target = parseTargetUrl('http://user:secret-word@gpu:8000/v1?key=secret-query');
if (target.kind === 'wrong') throw new Error(target.problem);

const request: BenchRequest = {
  ...optionValues(RUN_OPTIONS, standardValue),
  target: target.value,
  api: serverApi('chat'),
  model: undefined,
  pattern: { kind: 'poisson', requestsPerSecond: 12.5 },
  shape: {
    rampMs: 100,
    warmupMs: 0,
    inFlightCap: 64,
    steps: [{ from: 1, to: 12.5, durationMs: 500 }],
    sessions: { concurrencyOf: 'requests' },
    trace: unknown('no trace is replayed'),
  },
  samplesMax: undefined,
  durationMs: 500,
  name: 'mine',
  tags: {},
  dataset: { kind: 'synthetic' },
  requests: {
    inputTokens: { kind: 'normal', mean: 100, deviation: 10 },
    outputTokens: { kind: 'weighted', bins: [{ min: 1, max: 4, weight: 2 }] },
    prefixes: { count: 2, tokens: 30 },
    fields: { temperature: 0.5 },
  },
  hasNonce: true,
  isStreaming: true,
  timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
  warmup: { kind: 'requests', count: 4 },
  seed: 7,
  headers: [{ name: 'authorization', value: 'Bearer secret-key' }],
  hasEventLog: true,
  objectives: [
    { kind: 'request', name: 'ttft', limitNs: 5e8 },
    { kind: 'error-rate', limitShare: 0.01 },
  ],
  attainment: 0.95,
};

const FACTS: Parameters<typeof travellingRequest>[1] = {
  prompts: {
    seed: 7,
    file: undefined,
    input: { distribution: { kind: 'normal', mean: 100, deviation: 10 }, text: 'normal(100,10)' },
    output: { distribution: { kind: 'weighted', bins: [{ min: 1, max: 4, weight: 2 }] }, text: '1..4:2' },
    prefixes: { count: 2, tokens: 30 },
    isOutputInBody: false,
  },
  runId: '20261122-120000-abcd',
  startedAt: '2026-11-22T12:00:00.000Z',
  noncePrefix: '0badcafe',
  warmupRequests: 4,
};
const travelling = travellingRequest(request, FACTS);

describe('a request for an agent', () => {
  test('arrives as it was asked, but for name, log and headers, which are the agent’s own', async () => {
    const lines = memoryLines();
    const toAgent = channelToAgent(lines.coordinator, 'boreas');
    const toCoordinator = channelToCoordinator(lines.agent, 'atlas');
    await toAgent.send({ kind: 'survey', request: travelling });
    for await (const message of toCoordinator.messages) {
      if (message.kind !== 'survey') throw new Error(message.kind);
      const headers = [{ name: 'authorization', value: 'Bearer of the agent' }];
      const arrived = arrivedRequest(message.request, { headers, dataset: undefined });
      const plain = parseTargetUrl('http://gpu:8000/v1');
      if (plain.kind === 'wrong') throw new Error(plain.problem);
      expect(arrived).toEqual({
        ...request,
        target: plain.value,
        name: undefined,
        headers,
        hasEventLog: false,
      });
      break;
    }
    await toAgent.close('done');
  });

  test('holds no secret of the coordinator', () => {
    expect(JSON.stringify(travelling)).not.toContain('secret');
  });

  test('of an API that this version does not have is refused', () => {
    const requested = { ...travelling, api: 'telepathy' };
    expect(() => arrivedRequest(requested, { headers: [], dataset: undefined })).toThrow(
      'no API "telepathy"',
    );
  });
});

describe('the prompts of a file', () => {
  test('arrive line for line', () => {
    const dataset = {
      description: 'mine.jsonl: 3 prompts',
      prompts: [
        { messages: [{ role: 'user', content: 'why? "\n" ü' }], maxTokens: undefined },
        {
          messages: [
            { role: 'system', content: 'be short' },
            { role: 'user', content: 'x' },
          ],
          maxTokens: 9,
        },
        { messages: [{ role: 'user', content: 'red fruit' }], maxTokens: undefined, documents: ['an apple'] },
      ],
    };
    const text = Buffer.concat([...linesOfDataset(dataset)]).toString();
    expect(datasetOfLines(dataset.description, text)).toEqual(dataset);
    expect(() => datasetOfLines('none', '')).toThrow('no prompt');
  });
});

test('a field that is not given is left out, and a reason in its place, as other versions send it, means the same', () => {
  expect(Object.keys(JSON.parse(JSON.stringify(travelling)))).not.toContain('samplesMax');
  const reasoned = { ...travelling, samplesMax: unknown('not limited'), sessions: unknown('none') };
  const message = { kind: 'survey', request: reasoned };
  const read = decodeCoordinatorMessage(encode([AGENT_SCHEMA, message], { ignoreUndefined: true }));
  if (read.kind !== 'message' || read.message.kind !== 'survey') throw new Error(read.kind);
  expect(read.message.request).toEqual(travelling);
});

test('every option of the load reaches an agent, and a load that no agent accepts is refused before it is sent', () => {
  const changed = travellingRequest({ ...request, seed: 8, hasNonce: false, documents: 3 }, FACTS);
  const arrived = arrivedRequest(changed, { headers: [], dataset: undefined });
  expect(optionValues(LOAD_OPTIONS, standardValue)).toEqual({ seed: 42, hasNonce: true });
  expect(arrived).toMatchObject({ seed: 8, hasNonce: false, documents: 3 });
  expect(() => travellingRequest({ ...request, model: 'm'.repeat(2_000) }, FACTS)).toThrow(
    'agents cannot be sent this load: model',
  );
});
