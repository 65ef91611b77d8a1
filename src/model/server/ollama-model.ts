// The facts of a model from an Ollama server: POST /api/show returns all of the file's metadata, and, on request,
// name, type and shape of each tensor; GET /api/ps reports how much of it is on the GPU.

import { counted } from '../../core/figure/figure.ts';
import { isJsonObject } from '../../core/json.ts';
import { exactly, type Interval, type ModelFacts, type ModelWeights } from '../../core/model/model-facts.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { ModelError } from '../byte-source.ts';
import { ggufCache } from '../gguf/gguf-cache.ts';
import { ggufFacts } from '../gguf/gguf-facts.ts';
import { GgufKeys } from '../gguf/gguf-keys.ts';
import type { GgufHeader, GgufTensor, GgufValue } from '../gguf/read-gguf.ts';
import { tensorTypeNamed } from '../gguf/tensor-types.ts';
import { fetchObject } from './fetch-object.ts';
import {
  chosenName,
  type ModelQuestion,
  reportedNumber,
  reportedString,
  type ServersModel,
} from './servers-model.ts';

/** undefined if the server is not Ollama. */
export const ollamaModel = async (question: ModelQuestion): Promise<ServersModel | undefined> => {
  const { base, signal, location } = question;
  const tags = await fetchObject({ url: new URL('api/tags', base), signal });
  // llama.cpp has that page too, with OpenAI's list in it.
  if (isUnknown(tags) || !Array.isArray(tags['models']) || 'data' in tags) return undefined;
  const running = await fetchObject({ url: new URL('api/ps', base), signal });
  const loaded = isUnknown(running) ? [] : objectsIn(running['models']);
  const stored = objectsIn(tags['models']);
  const names = (loaded.length > 0 && question.model === undefined ? loaded : stored).flatMap(
    one => reportedString(one, 'name') ?? reportedString(one, 'model') ?? [],
  );
  const name = chosenName(question, names);
  const shown = await showModel({ base, signal }, name);
  if (isUnknown(shown))
    throw new ModelError({
      code: 'missing',
      problem: `${location} does not show ${name}: ${shown.reason}`,
      advice: 'ollama list shows what it has.',
    });
  const metadata = metadataOf(shown['model_info']);
  const tensors = objectsIn(shown['tensors']).flatMap(tensorOf);
  const isNamed = (one: Record<string, unknown>): boolean => [one['name'], one['model']].includes(name);
  const fileBytes = reportedNumber(stored.find(isNamed) ?? {}, 'size');
  const facts =
    tensors.length > 0
      ? ggufFacts([headerOf(location, metadata, tensors)], location)
      : factsWithout(metadata, { fileBytes, location });
  const now = loaded.find(isNamed);
  return {
    engine: 'llama.cpp',
    facts: {
      ...facts,
      name,
      source: { kind: 'server', location },
      quantisation: quantisationOf(facts, isJsonObject(shown['details']) ? shown['details'] : {}),
      notes: [...facts.notes.filter(note => !note.startsWith('the file ends before')), ...runningNotes(now)],
    },
  };
};

/** It reads the header of the model's file, and neither loads the model nor keeps it loaded. */
const showModel = async (
  { base, signal }: Pick<ModelQuestion, 'base' | 'signal'>,
  name: string,
): Promise<Readonly<Record<string, unknown>> | Unknown> => {
  const show = (verbose: boolean) =>
    fetchObject({ url: new URL('api/show', base), body: { model: name, name, verbose }, signal });
  const short = await show(false);
  if (isUnknown(short) || isWhole(short)) return short;
  const whole = await show(true);
  return isUnknown(whole) ? short : whole;
};

/** With `verbose` the reply also has lists, among them every token of the vocabulary: some megabytes. */
const isWhole = ({ model_info: info, tensors }: Readonly<Record<string, unknown>>): boolean =>
  objectsIn(tensors).length > 0 &&
  isJsonObject(info) &&
  Object.entries(info).every(
    ([key, value]) =>
      key.startsWith('tokenizer.') || (value !== null && !(Array.isArray(value) && value.length === 0)),
  );

const quantisationOf = (
  { quantisation }: ModelFacts,
  details: Readonly<Record<string, unknown>>,
): ModelFacts['quantisation'] =>
  isUnknown(quantisation) ? (reportedString(details, 'quantization_level') ?? quantisation) : quantisation;

const runningNotes = (now: Readonly<Record<string, unknown>> | undefined): readonly string[] => {
  if (now === undefined) return ['it is not loaded now'];
  const size = reportedNumber(now, 'size');
  const onGpu = reportedNumber(now, 'size_vram');
  const context = reportedNumber(now, 'context_length');
  return [
    ...(context === undefined ? [] : [`it is loaded now with a context of ${counted(context, 'token')}`]),
    ...(size === undefined || onGpu === undefined || onGpu >= size
      ? []
      : [
          onGpu <= 0
            ? 'no part of it is in GPU memory now: it runs on the processor'
            : `only ${Math.round((100 * onGpu) / size)} % of it is in GPU memory now: the rest runs on the processor, which makes it slower than any figure here`,
        ]),
  ];
};

const headerOf = (
  location: string,
  metadata: GgufHeader['metadata'],
  tensors: readonly GgufTensor[],
): GgufHeader => ({ location, metadata, tensors, dataOffset: 0, missingBytes: 0 });

const metadataOf = (reported: unknown): GgufHeader['metadata'] => {
  const metadata = new Map<string, GgufValue>();
  if (!isJsonObject(reported)) return metadata;
  for (const [key, value] of Object.entries(reported).slice(0, KEYS_MAX)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      metadata.set(key, value);
    else if (Array.isArray(value) && value.length <= LIST_MAX && value.every(one => typeof one === 'number'))
      metadata.set(key, value);
  }
  return metadata;
};

/** Empty if the entry does not describe a tensor. */
const tensorOf = (reported: Readonly<Record<string, unknown>>): readonly GgufTensor[] => {
  const name = reportedString(reported, 'name');
  const typeName = reportedString(reported, 'type');
  const shape = reported['shape'];
  if (name === undefined || typeName === undefined || !Array.isArray(shape)) return [];
  const sizes: readonly unknown[] = shape;
  if (!sizes.every(size => typeof size === 'number' && Number.isSafeInteger(size) && size > 0)) return [];
  const weights = sizes.reduce<number>((product, size) => product * Number(size), 1);
  const type = tensorTypeNamed(typeName);
  if (!Number.isSafeInteger(weights)) return [];
  return [
    {
      name,
      typeName: type?.name ?? typeName,
      shape: sizes.map(Number),
      weights,
      // For an unknown type, at most 16 bits.
      bytes: type === undefined ? 2 * weights : Math.ceil(weights / type.blockWeights) * type.blockBytes,
      isKnownType: type !== undefined,
    },
  ];
};

/** From metadata and the size of the file alone: the part of experts and tables becomes an interval. */
const factsWithout = (
  metadata: GgufHeader['metadata'],
  { fileBytes, location }: { readonly fileBytes: number | undefined; readonly location: string },
): ModelFacts => {
  const keys = new GgufKeys({ metadata });
  const layers = keys.figure('block_count');
  const notes = ['this Ollama does not report its tensors: what a token reads of them is an interval'];
  const hasStates = [...metadata.keys()].some(key => /\.(ssm|wkv|shortconv|kda)\./.test(key));
  const blocks = isUnknown(layers) ? 0 : Math.min(layers, BLOCKS_MAX);
  // If no key describes a state, each block has attention.
  const tensors = Array.from({ length: blocks }, (_, block) => ({ name: `blk.${block}.attn_k.weight` }));
  const count = keys.number('expert_count');
  const used = keys.number('expert_used_count');
  return {
    name: location,
    architecture: keys.text('general.architecture') ?? unknown('not reported by the server'),
    source: { kind: 'server', location },
    layers,
    hiddenSize: keys.figure('embedding_length'),
    contextMax: keys.figure('context_length'),
    quantisation: unknown('not reported by the server'),
    weights: weightsWithout(keys, metadata, fileBytes),
    cache: hasStates
      ? unknown('some of its blocks have a state in place of attention, and the server does not report which')
      : ggufCache(keys, { tensors, layers, notes }),
    experts:
      count === undefined || count === 0
        ? undefined
        : used === undefined || used < 1 || used > count
          ? unknown('the server does not report how many experts a token uses')
          : { count, used, layers: unknown('the server does not report its tensors') },
    notes,
  };
};

const weightsWithout = (
  keys: GgufKeys,
  metadata: GgufHeader['metadata'],
  fileBytes: number | undefined,
): Reported<ModelWeights> => {
  const parameters = metadata.get('general.parameter_count');
  if (fileBytes === undefined || fileBytes <= 0)
    return unknown('the server does not report the size of its file');
  if (typeof parameters !== 'number' || parameters <= 0)
    return unknown('the server does not report its parameters');
  const hidden = keys.number('embedding_length') ?? 0;
  const bytesEach = fileBytes / parameters;
  const tables = (keys.number('vocab_size') ?? VOCABULARY_MAX) * hidden;
  const experts = keys.number('expert_count') ?? 0;
  const width = keys.number('expert_feed_forward_length');
  const layers = keys.number('block_count') ?? 0;
  if (experts > 0 && (width === undefined || hidden === 0))
    return unknown('the server does not report the size of its experts');
  // Gate, up and down, of all blocks but the leading dense ones.
  const expertLayers = Math.max(0, layers - (keys.number('leading_dense_block_count') ?? 0));
  const expertParameters = Math.min(parameters, 3 * experts * hidden * (width ?? 0) * expertLayers);
  const expertBytes: Interval =
    expertParameters === 0
      ? exactly(0)
      : {
          low: expertParameters * bytesEach * MIXED_LOW,
          high: Math.min(fileBytes, expertParameters * bytesEach * MIXED_HIGH),
        };
  const rest = Math.max(0, parameters - expertParameters);
  return {
    totalBytes: exactly(fileBytes),
    denseBytes: {
      low: Math.max(0, fileBytes - expertBytes.high - Math.min(rest, tables) * TABLE_BYTES_MAX),
      high: Math.max(0, fileBytes - expertBytes.low),
    },
    expertBytes,
    denseParameters: { low: Math.max(0, rest - tables), high: rest },
    expertParameters: exactly(expertParameters),
    headParameters: { low: 0, high: Math.min(rest, tables) },
  };
};

const objectsIn = (list: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(list) ? list.slice(0, TENSORS_MAX).filter(isJsonObject) : [];

const KEYS_MAX = 10_000;
const LIST_MAX = 4_096;
const TENSORS_MAX = 100_000;
const BLOCKS_MAX = 4_096;
/** The largest vocabulary of a published model (Gemma). */
const VOCABULARY_MAX = 262_144;
/** Token embeddings are stored in 16 bits at most. */
const TABLE_BYTES_MAX = 2;
/** Of mixed quantisations experts have the lower types: Q4_K_M is 4.5 to 6.6 bits around a mean of 4.9. */
const MIXED_LOW = 0.9;
const MIXED_HIGH = 1.05;
