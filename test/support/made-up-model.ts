// Facts of a dense model that no file has, of so many layers and bytes, and what an engine was measured to do with one.

import type { EngineCalibration } from '../../src/core/model/engine-calibration.ts';
import { exactly, type ModelFacts } from '../../src/core/model/model-facts.ts';
import { unknown } from '../../src/core/unknown.ts';
import { runIdOf } from './run-entry.ts';

export const madeUpModel = ({
  layers,
  weightBytes,
}: {
  readonly layers: number;
  readonly weightBytes: number;
}): ModelFacts => ({
  name: 'made',
  architecture: 'llama',
  source: { kind: 'gguf', location: 'made.gguf' },
  layers,
  hiddenSize: 4_096,
  contextMax: 32_768,
  quantisation: 'Q4_K',
  weights: {
    totalBytes: exactly(weightBytes),
    denseBytes: exactly(weightBytes),
    expertBytes: exactly(0),
    denseParameters: exactly(8e9),
    expertParameters: exactly(0),
    headParameters: exactly(5e8),
  },
  cache: {
    groups: [{ kind: 'full', layers, elementsPerToken: 2_048 }],
    keyValueHeads: 8,
    attentionWidth: layers * 4_096,
  },
  experts: undefined,
  notes: [],
});

/** 80 µs a layer, 200 GB/s. */
export const madeUpCalibration = (changes: Partial<EngineCalibration> = {}): EngineCalibration => {
  const { layers = 32, weightBytes = 5e9 } = changes;
  return {
    calibrationKey: '0badcafe',
    targetNode: unknown('not known'),
    runId: runIdOf('r1'),
    engine: 'vllm',
    version: '1.2',
    modelName: 'made',
    modelDigest: '0badcafe',
    layers,
    weightBytes,
    points: [0, 1e9].map(cacheBytes => ({
      contextTokens: cacheBytes / 1e5,
      cacheBytes,
      seconds: (80 / 1e6) * layers + (weightBytes + cacheBytes) / 200e9,
      spread: 0.01,
    })),
    prefill: { low: 1e12, high: 2e12 },
    ...changes,
  };
};
