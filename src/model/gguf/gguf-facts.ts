// The facts of a model from the headers of its GGUF files: exact bytes, as the sum of its tensors; the cache from the
// kind of each block.

import { figureText, formatBytes } from '../../core/figure/figure.ts';
import {
  exactly,
  type Interval,
  type ModelExperts,
  type ModelFacts,
  type ModelWeights,
} from '../../core/model/model-facts.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { ModelError } from '../byte-source.ts';
import { blockOf, ggufCache, type TensorRole, tensorRole } from './gguf-cache.ts';
import { GgufKeys } from './gguf-keys.ts';
import type { GgufHeader, GgufTensor } from './read-gguf.ts';

/**
 * @param headers of all files of a split model; the first one has the model's metadata.
 * @throws ModelError for files without tensors, or that are not parts of one model.
 */
export const ggufFacts = (headers: readonly GgufHeader[], location: string): ModelFacts => {
  const [first] = headers;
  const tensors = headers.flatMap(header => header.tensors);
  if (first === undefined || tensors.length === 0) {
    throw new ModelError({
      code: 'unsupported',
      problem: `${location} has no tensors: it is a vocabulary, not a model`,
      advice: 'Name the file that has the weights.',
    });
  }
  const keys = new GgufKeys(first);
  const notes: string[] = [];
  const layers = layersOf(keys);
  const roles = tensors.map(tensor => ({
    tensor,
    role: tensorRole(tensor.name, isUnknown(layers) ? Number.POSITIVE_INFINITY : layers),
  }));
  const unknownTypes = new Set(tensors.filter(({ isKnownType }) => !isKnownType).map(t => t.typeName));
  if (unknownTypes.size > 0)
    notes.push(
      `tensors of ${[...unknownTypes].join(', ')} are counted by where they lie in the file, to the alignment`,
    );
  const missing = headers.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  if (missing > 0)
    notes.push(
      `the file ends before its tensors do (${figureText(formatBytes(missing))} are missing); its header counts`,
    );
  return {
    name: keys.text('general.name') ?? fileName(location),
    architecture: keys.text('general.architecture') ?? unknown('not contained in the file'),
    source: { kind: 'gguf', location },
    layers,
    hiddenSize: keys.figure('embedding_length'),
    contextMax: keys.figure('context_length'),
    quantisation: quantisationOf(roles),
    weights: weightsOf(roles, notes),
    cache: ggufCache(keys, { tensors, layers, notes }),
    experts: expertsOf(keys, roles),
    notes,
  };
};

const layersOf = (keys: GgufKeys): Reported<number> => {
  const blocks = keys.figure('block_count');
  if (isUnknown(blocks)) return blocks;
  return Math.max(0, blocks - (keys.number('nextn_predict_layers') ?? 0));
};

interface RoledTensor {
  readonly tensor: GgufTensor;
  readonly role: TensorRole;
}

const weightsOf = (roles: readonly RoledTensor[], notes: string[]): ModelWeights => {
  const sum = (wanted: readonly TensorRole[], of: 'bytes' | 'weights'): number =>
    roles.reduce((total, { role, tensor }) => (wanted.includes(role) ? total + tensor[of] : total), 0);
  const isTied = !roles.some(({ role }) => role === 'head');
  const embedding = roles.find(({ tensor }) => tensor.name === 'token_embd.weight')?.tensor;
  const head = isTied ? embedding : roles.find(({ role }) => role === 'head')?.tensor;
  if (head === undefined) notes.push('it has neither an output head nor token embeddings');
  const ahead = sum(['ahead'], 'bytes');
  if (ahead > 0) notes.push('blocks for speculative tokens are in memory, and not read without speculation');
  // Tied embeddings are also the output head, and as such are read whole.
  const tied = isTied ? (embedding?.bytes ?? 0) : 0;
  return {
    totalBytes: exactly(roles.reduce((total, { tensor }) => total + tensor.bytes, 0)),
    denseBytes: exactly(sum(['dense', 'head'], 'bytes') + tied),
    expertBytes: exactly(sum(['expert'], 'bytes')),
    denseParameters: exactly(sum(['dense', 'head'], 'weights') + (isTied ? (embedding?.weights ?? 0) : 0)),
    expertParameters: exactly(sum(['expert'], 'weights')),
    headParameters: exactly(head?.weights ?? 0),
  };
};

const expertsOf = (keys: GgufKeys, roles: readonly RoledTensor[]): Reported<ModelExperts> | undefined => {
  const expertTensors = roles.filter(({ role }) => role === 'expert');
  if (expertTensors.length === 0) return undefined;
  const count = keys.number('expert_count');
  const used = keys.number('expert_used_count');
  if (count === undefined || used === undefined || used < 1 || used > count)
    return unknown('the file has experts and does not state how many a token uses');
  const layers = new Set(expertTensors.map(({ tensor }) => blockOf(tensor.name)?.index)).size;
  return { count, used, layers };
};

/** "Q4_K, 4.86 bits a weight": the type that most weights have, and the mean. */
const quantisationOf = (roles: readonly RoledTensor[]): string => {
  const counted = new Map<string, number>();
  let weights = 0;
  let bytes = 0;
  for (const { tensor } of roles) {
    counted.set(tensor.typeName, (counted.get(tensor.typeName) ?? 0) + tensor.weights);
    weights += tensor.weights;
    bytes += tensor.bytes;
  }
  const [most] = [...counted].reduce((a, b) => (b[1] > a[1] ? b : a));
  return `${most}, ${bitsOf({ low: bytes, high: bytes }, weights)} bits a weight`;
};

const bitsOf = ({ low }: Interval, weights: number): string =>
  weights === 0 ? '0' : `${Number(((low * 8) / weights).toFixed(2))}`;

const fileName = (location: string): string => location.split(/[\\/]/).at(-1) ?? location;

// A model may be split over files named "…-00001-of-00005.gguf" (llama-gguf-split).

/** The names of all parts, in order; of a file that was not split its own. */
export const splitParts = (location: string): readonly string[] => {
  const found = SPLIT.exec(location);
  if (found === null) return [location];
  const [, stem = '', , countText = ''] = found;
  const count = Number(countText);
  if (count < 1 || count > PARTS_MAX) return [location];
  return Array.from(
    { length: count },
    (_, index) => `${stem}-${String(index + 1).padStart(5, '0')}-of-${countText}.gguf`,
  );
};

const SPLIT = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;
const PARTS_MAX = 1_000;
