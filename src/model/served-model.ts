// The facts of the model of a server on this machine, if the server reports its file: llama.cpp's /props names it,
// vLLM lists its path or its id at the Hugging Face hub. Only files of this machine are read, and only their headers.

import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { ModelFacts } from '../core/model/model-facts.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import { ModelError } from './byte-source.ts';
import { hubModel } from './hub-cache.ts';
import { readModel } from './read-model.ts';

interface ServedModel {
  /** The argument of --facts; undefined: none. */
  readonly named: string | undefined;
  /** As reported by the server; undefined: it reports none, or is not on this machine. */
  readonly servedPath: string | undefined;
  /** Id of the model at the Hugging Face hub, or a candidate for it; undefined: the server lists none. */
  readonly servedId: string | undefined;
  /** Folder of the hub's local cache; undefined: there is none. */
  readonly hub: string | undefined;
  /** URL of the server, without its path. */
  readonly serverUrl: string;
}

/** Unknown, with the reason, if it cannot be read. @throws the signal's reason. */
export const servedModel = async (
  { named, servedPath, servedId, hub, serverUrl }: ServedModel,
  signal: AbortSignal,
): Promise<ModelFacts | Unknown> => {
  const cached = servedId === undefined || hub === undefined ? undefined : await hubModel(servedId, hub);
  const locations = [
    named ?? [],
    servedPath !== undefined && isAbsolute(servedPath) ? servedPath : [],
    cached ?? [],
  ].flat();
  const reasons: string[] = [];
  for (const location of named === undefined ? [...locations, serverUrl] : locations) {
    try {
      return await readModel(location, signal);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      reasons.push(error.message);
    }
  }
  return unknown(
    named === undefined
      ? 'the server does not report enough about its model: name its file or folder with --facts'
      : (reasons[0] ?? 'not read'),
  );
};

/** SHA-256 of everything that determines the cost of a model, hex: layers, tensors, cache, experts. */
export const modelDigest = ({ architecture, layers, weights, cache, experts }: ModelFacts): string =>
  createHash('sha256')
    .update(JSON.stringify([architecture, layers, weights, cache, experts ?? null]))
    .digest('hex')
    .slice(0, DIGEST_LENGTH);

/** From the engine, its version and the model: the key under which a calibration is stored. */
export const calibrationKey = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, DIGEST_LENGTH);

const DIGEST_LENGTH = 24;
