// The facts of the model that a server on this machine serves, where the server tells the file that it has open: llama.cpp's
// /props names it, vLLM lists its path or its id at the Hugging Face hub. Only files of this machine are looked at, and only their headers.

import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { ModelFacts } from '../core/model/model-facts.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import { hubModel } from './hub-cache.ts';
import { ModelError } from './model-error.ts';
import { readModel } from './read-model.ts';

interface ServedModel {
  /** What a person named with --facts; undefined: nothing. */
  readonly named: string | undefined;
  /** As the server tells it; undefined: it does not, or is not on this machine. */
  readonly servedPath: string | undefined;
  /** Id of the model at the Hugging Face hub, or what may be one; undefined: the server lists none. */
  readonly servedId: string | undefined;
  /** Of the hub's local cache; undefined: there is none. */
  readonly hub: string | undefined;
  /** Of the server, without its path. */
  readonly serverUrl: string;
}

/** Unknown, with the reason, where it cannot be read. @throws the signal's reason. */
export const servedModel = async (
  { named, servedPath, servedId, hub, serverUrl }: ServedModel,
  signal: AbortSignal,
): Promise<ModelFacts | Unknown> => {
  const cached = servedId === undefined || hub === undefined ? undefined : await hubModel(servedId, hub);
  const places = [
    named ?? [],
    servedPath !== undefined && isAbsolute(servedPath) ? servedPath : [],
    cached ?? [],
  ].flat();
  const reasons: string[] = [];
  for (const place of named === undefined ? [...places, serverUrl] : places) {
    try {
      return await readModel(place, signal);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      reasons.push(error.message);
    }
  }
  return unknown(
    named === undefined
      ? 'what the server tells of its model is not enough: name its file or folder with --facts'
      : (reasons[0] ?? 'not read'),
  );
};

/** SHA-256 of what decides the cost of a model, hex: layers, tensors, cache, experts. */
export const modelDigest = ({ architecture, layers, weights, cache, experts }: ModelFacts): string =>
  createHash('sha256')
    .update(JSON.stringify([architecture, layers, weights, cache, experts ?? null]))
    .digest('hex')
    .slice(0, DIGEST_LENGTH);

/** Of the engine, its version and the model: what a calibration is kept under. */
export const calibrationKey = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, DIGEST_LENGTH);

const DIGEST_LENGTH = 24;
