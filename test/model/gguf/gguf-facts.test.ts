import { describe, expect, test } from 'vitest';
import { cacheBytes, cacheBytesPerToken } from '../../../src/core/model/cache-bytes.ts';
import type { ModelCache, ModelWeights } from '../../../src/core/model/model-facts.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { ggufFacts, splitParts } from '../../../src/model/gguf/gguf-facts.ts';
import { readGguf } from '../../../src/model/gguf/read-gguf.ts';
import { memorySource } from '../../support/memory-source.ts';
import { headerBytes, libraryReports, madeFacts } from '../made-headers.ts';

describe('the cache of a token', () => {
  test.each([
    ['llama2-7b', 524_288],
    ['llama3-8b', 131_072],
    ['qwen25-7b', 57_344],
    ['qwen3-30b-a3b', 98_304],
    ['deepseek-v3', 70_272],
    // Every second layer; the others look at 128 tokens.
    ['gpt-oss-120b', 36_864],
  ])('takes in %s the published number of bytes, %i', async (name, bytes) => {
    expect(cacheBytesPerToken(cacheOf(await madeFacts(name)), 2)).toBe(bytes);
  });

  test('ends to grow in the layers that look at a window', async () => {
    const { cache } = await madeFacts('gpt-oss-120b');
    expect(cacheOf({ cache }).groups).toEqual([
      { kind: 'window', layers: 18, elementsPerToken: 1_024, window: 128 },
      { kind: 'full', layers: 18, elementsPerToken: 1_024 },
    ]);
    const bytes = (contextTokens: number): number =>
      cacheBytes(cacheOf({ cache }), { contextTokens, bytesPerElement: 2 }).low;
    expect(bytes(100)).toBe(36 * 1_024 * 2 * 100);
    expect(bytes(1_000)).toBe(18 * 1_024 * 2 * (1_000 + 128));
  });

  test('of five windowed layers in six is what Gemma 3 has', async () => {
    const { groups } = cacheOf(await madeFacts('gemma3-27b'));
    expect(groups.map(({ kind, layers }) => [kind, layers])).toEqual([
      ['window', 52],
      ['full', 10],
    ]);
  });

  test('is a state in blocks without attention', async () => {
    const next = cacheOf(await madeFacts('qwen3-next-80b'));
    expect(next.groups.map(({ kind, layers }) => [kind, layers])).toEqual([
      ['state', 36],
      ['full', 12],
    ]);
    const nemotron = cacheOf(await madeFacts('nemotron-h-8b'));
    expect(nemotron.groups.find(({ kind }) => kind === 'full')).toEqual({
      kind: 'full',
      layers: 4,
      elementsPerToken: 2 * 8 * 128,
    });
  });
});

describe('weights', () => {
  test.each(Object.keys(libraryReports()))('of %s are all counted once in memory', async name => {
    const { totalBytes } = weightsOf(await madeFacts(name));
    const bytes = Object.values(libraryReports()[name]?.types ?? {}).reduce((sum, row) => sum + row.bytes, 0);
    expect(totalBytes).toEqual({ low: bytes, high: bytes });
  });

  test('of a table that is looked up are not read for a token', async () => {
    const { totalBytes, denseBytes } = weightsOf(await madeFacts('llama2-7b'));
    // 32,000 × 4,096 weights of Q4_0: 18 bytes for 32.
    expect(totalBytes.low - denseBytes.low).toBe((32_000 * 4_096 * 18) / 32);
  });

  test('of embeddings that are the output head as well are read once', async () => {
    const { totalBytes, denseBytes, headParameters } = weightsOf(await madeFacts('llama32-1b-tied'));
    expect(denseBytes).toEqual(totalBytes);
    expect(headParameters.low).toBe(128_256 * 2_048);
  });

  test('of experts are apart, whether in one tensor or in one each', async () => {
    const qwen = await madeFacts('qwen3-30b-a3b');
    expect(qwen.experts).toEqual({ count: 128, used: 8, layers: 48 });
    expect(weightsOf(qwen).expertParameters.low).toBe(48 * 128 * 3 * 2_048 * 768);
    const mixtral = await madeFacts('mixtral-split-experts');
    expect(mixtral.experts).toEqual({ count: 8, used: 2, layers: 32 });
    expect(weightsOf(mixtral).expertParameters.low).toBe(32 * 8 * 3 * 4_096 * 14_336);
  });

  test('of a block that guesses ahead are held and not read', async () => {
    const facts = await madeFacts('deepseek-v3');
    expect(facts.layers).toBe(61);
    expect(facts.experts).toEqual({ count: 256, used: 8, layers: 58 });
    const { totalBytes, denseBytes, expertBytes } = weightsOf(facts);
    const lookup = (129_280 * 7_168 * 144) / 256;
    const ahead = totalBytes.low - denseBytes.low - expertBytes.low - lookup;
    expect(ahead).toBeGreaterThan((256 * 3 * 7_168 * 2_048 * 136) / 256);
    expect(facts.notes).toContain(
      'blocks for speculative tokens are in memory, and not read without speculation',
    );
  });
});

test('a window of which the file does not contain the layers is noted, and not guessed', async () => {
  const bytes = headerBytes('gemma3-27b').slice();
  // The same file of an unknown architecture: "gemma3" becomes "gemmaX" everywhere.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = text.indexOf('gemma3'); at >= 0; at = text.indexOf('gemma3', at + 1))
    text.write('gemmaX', at);
  const facts = ggufFacts([await readGguf(memorySource(bytes))], 'x.gguf');
  expect(cacheOf(facts).groups.map(({ kind, layers }) => [kind, layers])).toEqual([['full', 62]]);
  expect(facts.notes.join()).toContain('a window of 1024 tokens, and not which layers have it');
});

test('all parts of a split file are named', () => {
  expect(splitParts('/m/a-00001-of-00003.gguf')).toEqual([
    '/m/a-00001-of-00003.gguf',
    '/m/a-00002-of-00003.gguf',
    '/m/a-00003-of-00003.gguf',
  ]);
  expect(splitParts('/m/a.gguf')).toEqual(['/m/a.gguf']);
});

const cacheOf = ({
  cache,
}: {
  readonly cache: Awaited<ReturnType<typeof madeFacts>>['cache'];
}): ModelCache => {
  if (isUnknown(cache)) throw new Error(cache.reason);
  return cache;
};

const weightsOf = ({
  weights,
}: {
  readonly weights: Awaited<ReturnType<typeof madeFacts>>['weights'];
}): ModelWeights => {
  if (isUnknown(weights)) throw new Error(weights.reason);
  return weights;
};
