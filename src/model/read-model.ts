// The facts of a model from any location: a .gguf file (all parts of a split one), a folder with config.json and
// safetensors, a config.json alone, or the same over HTTP.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelFacts } from '../core/model/model-facts.ts';
import { errorMessage } from '../core/problem.ts';
import { fileReason } from '../process/disk-reason.ts';
import { openInputFile, readInputText } from '../process/input-file.ts';
import { type ByteSource, headerBudget, ModelError, parsedModelJson } from './byte-source.ts';
import { configFacts } from './config/config-facts.ts';
import { readModelConfig } from './config/model-config.ts';
import { ggufFacts, splitParts } from './gguf/gguf-facts.ts';
import { type GgufHeader, readGguf } from './gguf/read-gguf.ts';
import { readSafetensors, type SafeTensor } from './safetensors/read-safetensors.ts';
import { ollamaModel } from './server/ollama-model.ts';
import { openAiModel } from './server/openai-model.ts';
import type { ModelQuestion, ServersModel } from './server/servers-model.ts';

/**
 * @param location a path, or http(s)://… of a .gguf file or a server.
 * @param served which of several models of a server.
 * @throws ModelError
 */
export const readModelAt = async (
  location: string,
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
  if (/^https?:\/\//i.test(location)) {
    const url = URL.parse(location);
    if (url === null) throw missing(location, 'it is not a URL', undefined);
    if (!url.pathname.endsWith('.gguf')) return await serverModel(url, { model: served, hub, signal });
  }
  const facts = await readModel(location, signal);
  return { facts, engine: facts.source.kind === 'gguf' ? 'llama.cpp' : 'other' };
};

const serverModel = async (
  url: URL,
  requested: Pick<ModelQuestion, 'model' | 'hub' | 'signal'>,
): Promise<ServersModel> => {
  const path = url.pathname.replace(/\/(v1(\/.*)?)?$/, '');
  const base = new URL(`${path}/`, url.origin);
  const question = { base, location: `${url.origin}${path}`, ...requested };
  return (
    (await ollamaModel(question)) ?? (await openAiModel(question, file => readModel(file, requested.signal)))
  );
};

/**
 * @param location a path, or http(s)://… of a .gguf file.
 * @throws ModelError
 */
export const readModel = async (location: string, signal: AbortSignal): Promise<ModelFacts> => {
  if (/^https?:\/\//i.test(location)) return await remoteModel(new URL(location), signal);
  const about = await stat(location).catch((error: unknown) => {
    throw missing(location, fileReason(error), error);
  });
  if (about.isDirectory()) return await modelIn(location, signal);
  if (basename(location).endsWith('.json'))
    return await modelIn(dirname(location), signal, basename(location));
  return await ggufModel(location, path => openFileSource(path), signal);
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
  location: string,
  open: (path: string) => Promise<ByteSource>,
  signal: AbortSignal,
): Promise<ModelFacts> => {
  const headers: GgufHeader[] = [];
  const budget = headerBudget('gguf', location);
  for (const part of splitParts(location)) {
    signal.throwIfAborted();
    await using source = await open(part);
    headers.push(await readGguf(source, budget));
  }
  return ggufFacts(headers, location);
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

const missing = (location: string, reason: string, cause: unknown): ModelError =>
  new ModelError(
    {
      code: 'missing',
      problem: `${location} is not a model that can be read: ${reason}`,
      advice: 'Name a .gguf file, a folder with config.json, or the URL of a .gguf file or a server.',
    },
    { cause },
  );

const SHARDS_MAX = 1_000;

// A file on this machine, read by range.

/** @throws ModelError `missing` for what cannot be opened or is not a file. */
const openFileSource = async (path: string): Promise<ByteSource> => {
  const file = await openInputFile(path, 'gguf').catch((error: unknown) => {
    throw new ModelError(
      {
        code: 'missing',
        problem: `${path} cannot be read: ${fileReason(error)}`,
        advice: 'Name a file or folder of a model that this user may read.',
      },
      { cause: error },
    );
  });
  const { size } = await file.stat();
  return {
    location: path,
    byteCount: size,
    read: async (offset, length) => {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(wanted);
      const { bytesRead } = await file.read(bytes, 0, wanted, offset);
      return bytes.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
};

// A file on an HTTP server, of which only ranges are fetched (RFC 9110 §14): the header of a model of 40 GB is some
// MB.

/**
 * @param signal cancels any request in progress.
 * @throws ModelError `missing` for an unreachable server, `unsupported` for one without ranges.
 */
const openHttpSource = async (url: URL, signal: AbortSignal): Promise<ByteSource> => {
  const location = `${url.origin}${url.pathname}`;
  const first = await fetchRange(url, { location, offset: 0, length: 1, signal });
  const { url: final } = first;
  const whole = /^bytes 0-0\/(\d{1,16})$/.exec(first.contentRange);
  if (whole === null) {
    throw new ModelError({
      code: 'unsupported',
      problem: `${location} does not report how long the file is`,
      advice: 'Download the file and name it instead.',
    });
  }
  return {
    location,
    byteCount: Number(whole[1]),
    read: async (offset, length) => (await fetchRange(final, { location, offset, length, signal })).bytes,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

interface RangeQuestion {
  readonly location: string;
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal;
}

const fetchRange = async (
  requested: URL,
  { location, offset, length, signal }: RangeQuestion,
): Promise<{ readonly url: URL; readonly bytes: Uint8Array; readonly contentRange: string }> => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const { url, response } = await answered(requested, {
    location,
    // Uncompressed: a range of a body that a server compresses on the way means something else.
    headers: { range: `bytes=${offset}-${offset + length - 1}`, 'accept-encoding': 'identity' },
    signal: deadline,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof ModelError ? error : notThere(location, reasonOf(error), error);
  });
  if (response.status !== 206) {
    await response.body?.cancel();
    throw response.status === 200
      ? new ModelError({
          code: 'unsupported',
          problem: `${location} sends the whole file in reply to a range request`,
          advice: 'Download the file and name it instead.',
        })
      : notThere(location, `status ${response.status}`, undefined);
  }
  const bytes = await takenUpTo(response, length).catch((error: unknown) => {
    signal.throwIfAborted();
    throw notThere(location, reasonOf(error), error);
  });
  return { url, bytes, contentRange: response.headers.get('content-range') ?? '' };
};

/** Redirects are followed only within the named host: a URL must not lead to another party's service. */
const answered = async (
  requested: URL,
  {
    location,
    ...request
  }: {
    readonly location: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly url: URL; readonly response: Response }> => {
  let url = requested;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await fetch(url, { ...request, redirect: 'manual' });
    if (response.status < 300 || response.status >= 400) return { url, response };
    await response.body?.cancel();
    const next = URL.parse(response.headers.get('location') ?? '', url.href);
    if (next === null) throw notThere(location, `status ${response.status} without Location`, undefined);
    if (!isSameHost(url, next)) throw elsewhere(location, next);
    url = next;
  }
  throw notThere(location, `it is redirected more than ${REDIRECTS_MAX} times`, undefined);
};

/** The same server, or the same host by TLS. */
const isSameHost = (from: URL, to: URL): boolean =>
  to.origin === from.origin ||
  (from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname && to.port === '');

const elsewhere = (location: string, { origin, href }: URL): ModelError =>
  new ModelError({
    code: 'unsupported',
    problem: `${location} redirects to another host, ${origin}, and is not followed there`,
    advice: `If you trust that host, name it yourself: ${href.length <= SHOWN_URL_MAX ? href : origin}`,
  });

/** A server that sends more than was requested is cut off. */
const takenUpTo = async (response: Response, length: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let taken = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    taken += part.byteLength;
    if (taken >= length) break;
  }
  const bytes = new Uint8Array(taken);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes.subarray(0, Math.min(taken, length));
};

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error);

const notThere = (location: string, reason: string, cause: unknown): ModelError =>
  new ModelError(
    {
      code: 'missing',
      problem: `${location} cannot be fetched: ${reason}`,
      advice: 'Check the address, and that it needs no key.',
    },
    { cause },
  );

const ANSWER_MS_MAX = 30_000;
const REDIRECTS_MAX = 3;
/** Signed URLs of object stores have some thousand characters. */
const SHOWN_URL_MAX = 2_048;
