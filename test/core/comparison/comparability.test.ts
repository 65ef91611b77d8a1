import { describe, expect, test } from 'vitest';
import {
  type ComparableFacts,
  loadDifferences,
  refusalsBetween,
} from '../../../src/core/comparison/comparability.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { unknown } from '../../../src/core/unknown.ts';

const facts = (more: Partial<ComparableFacts> = {}): ComparableFacts => ({
  runId: 'run-1',
  model: 'qwen3-14b',
  dataset: 'synthetic: 256 prompts of 128 words, seed 42',
  datasetDigest: unknown('not recorded'),
  pattern: { kind: 'concurrency', concurrency: 8 },
  shape: PLAIN_SHAPE,
  isStreaming: true,
  inputTokens: 1_000,
  outputTokens: 200,
  clientVerdict: 'trustworthy',
  sampling: '{}',
  spoiledBy: 'nothing',
  ...more,
});

describe('what keeps runs from being compared', () => {
  test.each<[string, Partial<ComparableFacts>, readonly string[]]>([
    ['nothing', {}, []],
    ['another model', { model: 'llama' }, ['model']],
    ['another data set', { dataset: 'prompts.jsonl: 12 prompts' }, ['dataset']],
    ['another arrival', { pattern: { kind: 'poisson', requestsPerSecond: 8 } }, ['arrival', 'concurrency']],
    ['another concurrency', { pattern: { kind: 'concurrency', concurrency: 9 } }, ['concurrency']],
    ['a cap of requests in flight', { shape: { ...PLAIN_SHAPE, inFlightCap: 4 } }, ['concurrency']],
    ['a ramp', { shape: { ...PLAIN_SHAPE, rampMs: 5_000 } }, ['arrival']],
    ['longer prompts', { inputTokens: 1_021 }, ['lengths']],
    ['shorter answers', { outputTokens: 195 }, ['lengths']],
    ['a client that was the limit', { clientVerdict: 'client-bound' }, ['client']],
    ['a client that nobody vouches for', { clientVerdict: 'unknown' }, ['client']],
    ['another temperature', { sampling: '{"temperature":1}' }, ['sampling']],
    ['no stream', { isStreaming: false }, ['sampling']],
    ['a cache of answers', { spoiledBy: 'answer-cache' }, ['contamination']],
  ])('%s', (_, more, codes) => {
    expect(refusalsBetween([facts()], [facts(more)]).map(({ code }) => code)).toEqual(codes);
    expect(refusalsBetween([facts(more)], [facts()]).map(({ code }) => code)).toEqual(codes);
  });

  test('is not another seed, 2 % of length, or anything that one side does not report', () => {
    const other = facts({
      dataset: 'synthetic: 256 prompts of 128 words, seed 43',
      inputTokens: 1_020,
      outputTokens: unknown('not reported by the server'),
      sampling: unknown('not reported by that version'),
      model: unknown('not asked'),
    });
    expect(refusalsBetween([facts()], [other])).toEqual([]);
  });

  test('is other contents under the same name', () => {
    expect(refusalsBetween([facts({ datasetDigest: 'aa' })], [facts({ datasetDigest: 'bb' })])).toMatchObject(
      [{ code: 'dataset', a: 'aa', b: 'bb' }],
    );
  });

  test('is shown once for a set, with what each side has, also where one side is not of one piece', () => {
    expect(refusalsBetween([facts(), facts()], [facts(), facts({ model: 'llama' })])).toEqual([
      { code: 'model', problem: 'Different models answered', a: 'qwen3-14b', b: 'qwen3-14b, llama' },
    ]);
  });
});

test('what differs of a load is reported in words', () => {
  expect(loadDifferences(facts(), facts({ pattern: { kind: 'concurrency', concurrency: 4 } }))).toEqual([
    '4 at a time, not 8 at a time',
  ]);
  expect(loadDifferences(facts(), facts({ model: 'llama' }))).toEqual([]);
});
