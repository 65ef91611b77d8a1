// A model whose files were dropped onto the page: their headers are read here, in the browser, by ranges. Nothing of them is
// sent anywhere.

import { counted } from '../../../src/core/figure/figure.ts';
import { INPUT_LIMITS } from '../../../src/core/input/input-limits.ts';
import { isJsonObject } from '../../../src/core/json.ts';
import { exactly, type ModelFacts } from '../../../src/core/model/model-facts.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import {
  type ByteSource,
  headerBudget,
  ModelError,
  parsedModelJson,
} from '../../../src/model/byte-source.ts';
import { configFacts } from '../../../src/model/config/config-facts.ts';
import { readModelConfig } from '../../../src/model/config/model-config.ts';
import { ggufFacts, splitParts } from '../../../src/model/gguf/gguf-facts.ts';
import { type GgufHeader, readGguf } from '../../../src/model/gguf/read-gguf.ts';
import { readSafetensors, type SafeTensor } from '../../../src/model/safetensors/read-safetensors.ts';

/** The part of a browser's File that is needed. */
interface DroppedFile {
  readonly name: string;
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  text(): Promise<string>;
}

/** @throws ModelError */
export const readDroppedModel = async (dropped: readonly DroppedFile[]): Promise<ModelFacts> => {
  const files = dropped.slice(0, FILES_MAX);
  const named = (end: string): readonly DroppedFile[] => files.filter(({ name }) => name.endsWith(end));
  const gguf = named('.gguf').filter(({ name }) => !name.startsWith('mmproj'));
  if (gguf.length > 0) return await droppedGguf(gguf);
  const config = files.find(({ name }) => name === 'config.json') ?? onlyJson(files);
  if (config !== undefined) return await droppedConfig(config, files);
  throw refused(
    named('.safetensors').length > 0
      ? 'Safetensors files contain sizes, but not the number of layers and heads'
      : `${dropped[0]?.name ?? 'What was dropped'} is not a model that can be read`,
    'Drop a .gguf file, or config.json together with the .safetensors files.',
  );
};

const droppedGguf = async (files: readonly DroppedFile[]): Promise<ModelFacts> => {
  const [first] = [...files].sort((a, b) => a.name.localeCompare(b.name));
  if (first === undefined) throw refused('No file was dropped', 'Drop a .gguf file.');
  const parts = splitParts(first.name);
  const lacking = parts.filter(part => !files.some(({ name }) => name === part));
  if (lacking.length > 0)
    throw refused(
      `${first.name} is one of ${counted(parts.length, 'part')}, and ${lacking.length} of them were not dropped`,
      'Drop all parts together: only their headers are read.',
    );
  const headers: GgufHeader[] = [];
  const budget = headerBudget('gguf', first.name);
  for (const part of parts) {
    const file = files.find(({ name }) => name === part);
    if (file !== undefined) headers.push(await readGguf(fileBytes(file), budget));
  }
  return ggufFacts(headers, first.name);
};

const droppedConfig = async (file: DroppedFile, files: readonly DroppedFile[]): Promise<ModelFacts> => {
  const config = readModelConfig(await droppedJson(file), file.name);
  const shards = files.filter(({ name }) => name.endsWith('.safetensors'));
  const indexFile = files.find(({ name }) => name.endsWith('.safetensors.index.json'));
  const index = indexFile === undefined ? undefined : readSafetensorsIndex(await droppedJson(indexFile));
  if (shards.length === 0) {
    const facts = configFacts(config);
    return index === undefined ? facts : withIndex(facts, index);
  }
  const wanted = index?.files ?? [];
  const lacking = wanted.filter(shard => !shards.some(({ name }) => name === shard));
  if (lacking.length > 0)
    throw refused(
      `The index names ${counted(wanted.length, 'file')}, and ${lacking.length} of them were not dropped`,
      'Drop all .safetensors files together, or config.json alone.',
    );
  const tensors: SafeTensor[] = [];
  const budget = headerBudget('safetensors', file.name);
  for (const shard of shards)
    for (const tensor of await readSafetensors(fileBytes(shard), budget)) tensors.push(tensor);
  return configFacts(config, tensors);
};

/** The config may have any name, so it is the only JSON file apart from the index. */
const onlyJson = (files: readonly DroppedFile[]): DroppedFile | undefined => {
  const found = files.filter(({ name }) => name.endsWith('.json') && !name.endsWith('.index.json'));
  return found.length === 1 ? found[0] : undefined;
};

const droppedJson = async (file: DroppedFile): Promise<unknown> => {
  if (file.size > INPUT_LIMITS.modelConfig.bytesMax)
    throw refused(
      `${file.name} has ${file.size} bytes, too many for a config`,
      'Drop the config of a model.',
    );
  return parsedModelJson(await file.text(), file.name);
};

const fileBytes = (file: DroppedFile): ByteSource => ({
  location: file.name,
  byteCount: file.size,
  read: async (offset, length) =>
    new Uint8Array(await file.slice(offset, Math.min(file.size, offset + length)).arrayBuffer()),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

const refused = (problem: string, advice: string): ModelError =>
  new ModelError({ code: 'unsupported', problem, advice });

/** A folder of a large model has some hundred. */
const FILES_MAX = 1_000;

// model.safetensors.index.json: which file has each tensor, and how many bytes all of them take together. It contains neither types
// nor shapes, so without the files themselves only the sum is exact.
interface SafetensorsIndex {
  readonly files: readonly string[];
  /** Undefined if the index does not contain it. */
  readonly totalBytes: number | undefined;
}

/** Undefined for what is no such index. */
const readSafetensorsIndex = (value: unknown): SafetensorsIndex | undefined => {
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
const withIndex = (facts: ModelFacts, { totalBytes }: SafetensorsIndex): ModelFacts =>
  totalBytes === undefined || isUnknown(facts.weights)
    ? facts
    : {
        ...facts,
        weights: { ...facts.weights, totalBytes: exactly(totalBytes) },
        notes: [...facts.notes, 'the size of all weights comes from the index'],
      };
