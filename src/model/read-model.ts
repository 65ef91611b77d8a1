// The facts of a model from any location: a .gguf file (all parts of a split one), a folder with config.json and
// safetensors, a config.json alone, or the same over HTTP.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelFacts } from '../core/model/model-facts.ts';
import { fileReason } from '../process/disk-reason.ts';
import { readInputText } from '../process/input-file.ts';
import type { ByteSource } from './byte-source.ts';
import { configFacts } from './config/config-facts.ts';
import { readModelConfig } from './config/model-config.ts';
import { openFileSource } from './file-source.ts';
import { ggufFacts } from './gguf/gguf-facts.ts';
import { type GgufHeader, readGguf } from './gguf/read-gguf.ts';
import { splitParts } from './gguf/split-parts.ts';
import { headerBudget, parsedModelJson } from './header-budget.ts';
import { openHttpSource } from './http-source.ts';
import { ModelError } from './model-error.ts';
import { readSafetensors, type SafeTensor } from './safetensors/read-safetensors.ts';
import { ollamaModel } from './server/ollama-model.ts';
import { openAiModel } from './server/openai-model.ts';
import type { ModelQuestion, ServersModel } from './server/servers-model.ts';

/**
 * @param place a path, or http(s)://… of a .gguf file or a server.
 * @param served which of several models of a server.
 * @throws ModelError
 */
export const readModelAt = async (
  place: string,
  {
    served,
    hub,
    signal,
  }: {
    readonly served?: string | undefined;
    /** Folder of the Hugging Face hub's local cache. */
    readonly hub?: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<ServersModel> => {
  if (/^https?:\/\//i.test(place)) {
    const url = URL.parse(place);
    if (url === null) throw missing(place, 'it is not a URL', undefined);
    if (!url.pathname.endsWith('.gguf')) return await serverModel(url, { model: served, hub, signal });
  }
  const facts = await readModel(place, signal);
  return { facts, engine: facts.source.kind === 'gguf' ? 'llama.cpp' : 'other' };
};

const serverModel = async (
  url: URL,
  requested: Pick<ModelQuestion, 'model' | 'hub' | 'signal'>,
): Promise<ServersModel> => {
  const path = url.pathname.replace(/\/(v1(\/.*)?)?$/, '');
  const base = new URL(`${path}/`, url.origin);
  const question = { base, place: `${url.origin}${path}`, ...requested };
  return (
    (await ollamaModel(question)) ?? (await openAiModel(question, file => readModel(file, requested.signal)))
  );
};

/**
 * @param place a path, or http(s)://… of a .gguf file.
 * @throws ModelError
 */
export const readModel = async (place: string, signal: AbortSignal): Promise<ModelFacts> => {
  if (/^https?:\/\//i.test(place)) return await remoteModel(new URL(place), signal);
  const about = await stat(place).catch((error: unknown) => {
    throw missing(place, fileReason(error), error);
  });
  if (about.isDirectory()) return await modelIn(place, signal);
  if (basename(place).endsWith('.json')) return await modelIn(dirname(place), signal, basename(place));
  return await ggufModel(place, path => openFileSource(path), signal);
};

const remoteModel = (url: URL, signal: AbortSignal): Promise<ModelFacts> =>
  ggufModel(
    url.pathname,
    path => {
      const part = new URL(url);
      part.pathname = path;
      return openHttpSource(part, signal);
    },
    signal,
  );

/** All parts of a file that was split, by their names. */
const ggufModel = async (
  place: string,
  open: (path: string) => Promise<ByteSource>,
  signal: AbortSignal,
): Promise<ModelFacts> => {
  const headers: GgufHeader[] = [];
  const budget = headerBudget('gguf', place);
  for (const part of splitParts(place)) {
    signal.throwIfAborted();
    await using source = await open(part);
    headers.push(await readGguf(source, budget));
  }
  return ggufFacts(headers, place);
};

const modelIn = async (
  folder: string,
  signal: AbortSignal,
  configName = 'config.json',
): Promise<ModelFacts> => {
  const names = (
    await readdir(folder).catch((error: unknown) => {
      throw missing(folder, fileReason(error), error);
    })
  ).sort();
  const gguf = names.filter(name => name.endsWith('.gguf') && !name.startsWith('mmproj'));
  if (!names.includes(configName)) {
    const [only] = gguf.filter(name => !/-0000[2-9]-of-|-000[1-9]\d-of-/.test(name));
    if (only !== undefined) return await ggufModel(join(folder, only), openFileSource, signal);
    throw missing(folder, 'it has neither config.json nor a .gguf file', undefined);
  }
  const path = join(folder, configName);
  const config = readModelConfig(await readJson(path), path);
  const shards = names.filter(name => name.endsWith('.safetensors'));
  if (shards.length === 0) return configFacts(config);
  const tensors: SafeTensor[] = [];
  const budget = headerBudget('safetensors', folder);
  for (const shard of shards.slice(0, SHARDS_MAX)) {
    signal.throwIfAborted();
    await using source = await openFileSource(join(folder, shard));
    // One after the other: as arguments of one call, some hundred thousand are too many for the stack.
    for (const tensor of await readSafetensors(source, budget)) tensors.push(tensor);
  }
  return configFacts(config, tensors);
};

const readJson = async (path: string): Promise<unknown> => {
  const text = await readInputText(path, 'modelConfig').catch((error: unknown) => {
    throw missing(path, fileReason(error), error);
  });
  return parsedModelJson(text, path);
};

const missing = (place: string, reason: string, cause: unknown): ModelError =>
  new ModelError(
    {
      code: 'missing',
      problem: `${place} is not a model that can be read: ${reason}`,
      advice: 'Name a .gguf file, a folder with config.json, or the URL of a .gguf file or a server.',
    },
    { cause },
  );

const SHARDS_MAX = 1_000;
