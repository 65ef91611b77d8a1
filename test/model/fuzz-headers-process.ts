// Damages small headers and has them read, and their facts used. A process of its own, with a heap of 64 MiB in all: one that
// allocated more would end by it. Arguments: how many, and the seed. Prints one line of JSON.

import process from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { parseAnyJson } from '../../src/core/json.ts';
import { decodeStep } from '../../src/core/model/decode-step.ts';
import { contextThatFits, memoryNeed } from '../../src/core/model/memory-need.ts';
import type { ModelFacts } from '../../src/core/model/model-facts.ts';
import { seededRandom } from '../../src/core/random.ts';
import { knownOr } from '../../src/core/unknown.ts';
import { ModelError } from '../../src/model/byte-source.ts';
import { configFacts } from '../../src/model/config/config-facts.ts';
import { readModelConfig } from '../../src/model/config/model-config.ts';
import { ggufFacts } from '../../src/model/gguf/gguf-facts.ts';
import { readGguf } from '../../src/model/gguf/read-gguf.ts';
import { readSafetensors } from '../../src/model/safetensors/read-safetensors.ts';
import { memorySource } from '../support/memory-source.ts';
import { mutated } from './mutate.ts';
import { smallConfigs, smallGgufs, smallSafetensors } from './small-headers.ts';

const [count = 0, seed = 0] = process.argv.slice(2).map(Number);
const configs = smallConfigs.map(text => new TextEncoder().encode(text));
const wholeConfig = readModelConfig(parseAnyJson(smallConfigs[0] ?? ''), 'config.json');

const READERS: readonly {
  readonly name: string;
  readonly whole: readonly Uint8Array[];
  readonly read: (bytes: Uint8Array) => Promise<ModelFacts>;
}[] = [
  {
    name: 'gguf',
    whole: smallGgufs(),
    read: async bytes => ggufFacts([await readGguf(memorySource(bytes))], 'fuzzed.gguf'),
  },
  {
    name: 'safetensors',
    whole: smallSafetensors(),
    read: async bytes => configFacts(wholeConfig, await readSafetensors(memorySource(bytes))),
  },
  {
    name: 'config',
    whole: configs,
    read: bytes =>
      Promise.resolve(
        configFacts(readModelConfig(parseAnyJson(new TextDecoder().decode(bytes)), 'config.json')),
      ),
  },
];

/** With any numbers in a header, there is a result. */
const use = (facts: ModelFacts): void => {
  const cache = { contextTokens: 4_096, cacheBytesPerElement: 2 };
  memoryNeed(facts, { ...cache, slots: 4 });
  decodeStep(facts, { ...cache, batch: 4 });
  contextThatFits(facts, {
    slots: 4,
    capacityBytes: 24e9,
    cacheBytesPerElement: 2,
    contextMax: knownOr(facts.contextMax, 8_192),
  });
};

for (const { whole, read } of READERS) for (const bytes of whole) use(await read(bytes));

const times = new Float64Array(count);
const readCounts: Record<string, number> = {};
let refused = 0;
let externalBytesMax = 0;
const externalBytesFirst = getHeapStatistics().external_memory;
const startedMs = performance.now();
for (let index = 0; index < count; index += 1) {
  const random = seededRandom(seed * 2 ** 32 + index);
  const reader = READERS[index % READERS.length];
  if (reader === undefined) break;
  const bytes = mutated(
    reader.whole[random.below(reader.whole.length)] ?? new Uint8Array(),
    reader.whole,
    random,
  );
  const fromMs = performance.now();
  try {
    use(await reader.read(bytes));
    readCounts[reader.name] = (readCounts[reader.name] ?? 0) + 1;
  } catch (error) {
    if (!(error instanceof ModelError)) {
      process.stderr.write(
        `${reader.name}, seed ${seed}, number ${index}: ${String(error instanceof Error ? error.stack : error)}\n${Buffer.from(bytes).toString('base64')}\n`,
      );
      process.exit(1);
    }
    refused += 1;
  }
  times[index] = performance.now() - fromMs;
  externalBytesMax = Math.max(externalBytesMax, getHeapStatistics().external_memory - externalBytesFirst);
}
const elapsedMs = performance.now() - startedMs;
times.sort();
process.stdout.write(
  `${JSON.stringify({
    count,
    refused,
    read: readCounts,
    perSecond: Math.round((count * 1_000) / elapsedMs),
    p99Ms: times[Math.floor(0.99 * count)] ?? 0,
    longestMs: times.at(-1) ?? 0,
    externalBytesMax,
  })}\n`,
);
