// Models of made-up sizes for questions of placement.

import type { HeadroomQuestion } from '../../../src/core/model/headroom-devices.ts';
import { exactly, type ModelFacts } from '../../../src/core/model/model-facts.ts';

/** Dense, in 16 bits. */
export const madeModel = ({
  layers,
  weightBytes,
  keyValueHeads = 8,
  hiddenSize = 8_192,
}: {
  readonly layers: number;
  readonly weightBytes: number;
  readonly keyValueHeads?: number;
  readonly hiddenSize?: number;
}): ModelFacts => ({
  name: 'made',
  architecture: 'llama',
  source: { kind: 'gguf', location: 'made.gguf' },
  layers,
  hiddenSize,
  contextMax: 131_072,
  quantisation: 'F16, 16 bits a weight',
  weights: {
    totalBytes: exactly(weightBytes),
    denseBytes: exactly(weightBytes),
    expertBytes: exactly(0),
    denseParameters: exactly(weightBytes / 2),
    expertParameters: exactly(0),
    headParameters: exactly(0),
  },
  cache: {
    groups: [{ kind: 'full', layers, elementsPerToken: 2 * keyValueHeads * 128 }],
    keyValueHeads,
    attentionWidth: layers * hiddenSize,
  },
  experts: undefined,
  notes: [],
});

export const requested = (changed: Partial<HeadroomQuestion> = {}): HeadroomQuestion => ({
  engine: 'other',
  contextTokens: 4_096,
  outputTokens: 256,
  batch: 1,
  cacheType: 'f16',
  ...changed,
});
