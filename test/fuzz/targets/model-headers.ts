// Headers of models as files and servers give them: GGUF, safetensors, config.json, and what is calculated from them.

import { parseAnyJson } from '../../../src/core/json.ts';
import { decodeStep } from '../../../src/core/model/decode-step.ts';
import { contextThatFits, memoryNeed } from '../../../src/core/model/memory-need.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import { ModelError } from '../../../src/model/byte-source.ts';
import { configFacts } from '../../../src/model/config/config-facts.ts';
import { readModelConfig } from '../../../src/model/config/model-config.ts';
import { ggufFacts } from '../../../src/model/gguf/gguf-facts.ts';
import { readGguf } from '../../../src/model/gguf/read-gguf.ts';
import { readSafetensors } from '../../../src/model/safetensors/read-safetensors.ts';
import { smallConfigs, smallGgufs, smallSafetensors } from '../../model/small-headers.ts';
import { memorySource } from '../../support/memory-source.ts';
import { type FuzzTarget, firstByteChooses, textOfInput, textSeeds } from '../fuzz-target.ts';

const WHOLE_CONFIG = readModelConfig(parseAnyJson(smallConfigs[0] ?? ''), 'config.json');

/** There is a result for any numbers that a header claims. */
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

export const target: FuzzTarget = {
  name: 'model-headers',
  covers: [
    'src/model/gguf',
    'src/model/safetensors',
    'src/model/config',
    'src/core/model/decode-step.ts',
    'src/core/model/memory-need.ts',
  ],
  isRefusal: error => error instanceof ModelError && error.problem.advice !== '',
  ...firstByteChooses([
    {
      seeds: smallGgufs(),
      run: async input => use(ggufFacts([await readGguf(memorySource(input))], 'fuzzed.gguf')),
    },
    {
      seeds: smallSafetensors(),
      run: async input => use(configFacts(WHOLE_CONFIG, await readSafetensors(memorySource(input)))),
    },
    {
      seeds: textSeeds(...smallConfigs),
      run: input => use(configFacts(readModelConfig(parseAnyJson(textOfInput(input)), 'config.json'))),
    },
  ]),
};
