// model.safetensors.index.json: which file has each tensor, and how many bytes all of them take together. It contains neither types
// nor shapes, so without the files themselves only the sum is exact.

import { isJsonObject } from '../../../src/core/json.ts';
import { exactly, type ModelFacts } from '../../../src/core/model/model-facts.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

interface SafetensorsIndex {
  readonly files: readonly string[];
  /** Undefined if the index does not contain it. */
  readonly totalBytes: number | undefined;
}

/** Undefined for what is no such index. */
export const readSafetensorsIndex = (value: unknown): SafetensorsIndex | undefined => {
  if (!isJsonObject(value) || !isJsonObject(value['weight_map'])) return undefined;
  const files = Object.values(value['weight_map']).filter(file => typeof file === 'string');
  const { metadata } = value;
  const total = isJsonObject(metadata) ? metadata['total_size'] : undefined;
  return {
    files: [...new Set(files)].sort(),
    totalBytes: typeof total === 'number' && Number.isSafeInteger(total) && total > 0 ? total : undefined,
  };
};

/** The facts of a config with the sum from the index in place of the calculated one. */
export const withIndex = (facts: ModelFacts, { totalBytes }: SafetensorsIndex): ModelFacts =>
  totalBytes === undefined || isUnknown(facts.weights)
    ? facts
    : {
        ...facts,
        weights: { ...facts.weights, totalBytes: exactly(totalBytes) },
        notes: [...facts.notes, 'the size of all weights comes from the index'],
      };
