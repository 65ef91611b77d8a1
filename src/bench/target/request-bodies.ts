// Turns prompts into JSON bodies, laid out in shared memory before the run, so that the hot path only writes a nonce
// into existing bytes.

import { createHash } from 'node:crypto';
import { WARMUP_TOKENS_MAX } from '../../core/run/run-requests.ts';
import { BenchError } from '../bench-error.ts';
import type { Prompt } from '../dataset/prompt.ts';
import type { BodySettings, ServerApi } from './api/server-api.ts';
import { NO_REQUEST_FIELDS, ownFields, type RequestFields } from './request-fields.ts';

/**
 * JSON bodies, concatenated: body i is `bytes[starts[i]] … bytes[starts[i + 1]]`. The n-th request of the measured
 * phase sends body n mod `measured`; the bodies after those are for the warm-up, whose answers are short.
 */
export interface RequestBodies {
  readonly bytes: SharedArrayBuffer;
  readonly measured: number;
  /** Float64, count + 1 entries. */
  readonly starts: SharedArrayBuffer;
  /**
   * Float64, one entry per body: offset from its start at which BODY_NONCE_BYTES are overwritten to make a prompt
   * unique; -1: nowhere.
   */
  readonly nonceAts: SharedArrayBuffer;
  /**
   * Uint8, one per measured body: 1 if an earlier one has the same bytes. undefined: each is made unique by its
   * nonce.
   */
  readonly repeats: SharedArrayBuffer | undefined;
  /** For each measured body, the id of its line in the data set; undefined: no line has one. */
  readonly lineIds?: readonly (string | undefined)[];
  /** First half of each nonce, 8 hex digits: two runs never share one. */
  readonly noncePrefix: string;
}

/** 8 of the run and 8 of the sample. */
export const BODY_NONCE_BYTES = 16;

/** For requests that may match another one's prefix in a cache: of the usual length, and no sample's own nonce. */
export const commonNonce = (noncePrefix: string, round = 0): string =>
  numberedNonce(noncePrefix, COMMON_NUMBER - round);

/** Of the sample, or of what several samples share. */
export const numberedNonce = (noncePrefix: string, number: number): string =>
  noncePrefix + number.toString(16).padStart(BODY_NONCE_BYTES / 2, '0');

const COMMON_NUMBER = 0xffffffff;

interface RequestOptions extends Pick<BodySettings, 'model' | 'isStreaming'> {
  readonly api: ServerApi;
  readonly hasNonce: boolean;
  /** 8 hex digits, different for each run. */
  readonly noncePrefix: string;
  readonly fields?: RequestFields;
  /** For a mix: the model of each measured prompt. */
  readonly modelOf?: (index: number) => string;
  /**
   * Number of prompts, from the first one on, that are repeated for the warm-up. Default: none, and it sends the
   * bodies of the run.
   */
  readonly warmupBodies?: number;
}

/**
 * @throws BenchError `input` for a prompt that the API does not support, and when all bodies together are too large.
 */
export const requestBodies = (
  measured: readonly Prompt[],
  {
    api,
    hasNonce,
    noncePrefix,
    modelOf,
    warmupBodies = 0,
    fields = NO_REQUEST_FIELDS,
    ...options
  }: RequestOptions,
): RequestBodies => {
  const prompts = [...measured, ...measured.slice(0, warmupBodies).map(forWarmup)];
  const settings = { ...options, fields };
  const nonce = hasNonce ? noncePrefix.padEnd(BODY_NONCE_BYTES, '0') : undefined;
  const bodies: Buffer[] = [];
  const starts = new SharedArrayBuffer((prompts.length + 1) * Float64Array.BYTES_PER_ELEMENT);
  const nonceAts = new SharedArrayBuffer(prompts.length * Float64Array.BYTES_PER_ELEMENT);
  const startAt = new Float64Array(starts);
  const nonceAt = new Float64Array(nonceAts);
  let size = 0;
  prompts.forEach((prompt, index) => {
    const model = modelOf?.(index % measured.length) ?? settings.model;
    const text = api.body(prompt, { ...settings, fields: ownFields(prompt, fields), model, nonce });
    if (text.kind === 'wrong') {
      const { problem, advice } = text;
      throw new BenchError({ code: 'input', problem: `prompt ${index + 1}: ${problem}`, advice });
    }
    const { before, after } = text.value;
    const body = Buffer.from(before + after, 'utf8');
    bodies.push(body);
    // A prompt of token ids has no room for one.
    nonceAt[index] = hasNonce && before !== '' ? Buffer.byteLength(before, 'utf8') : -1;
    size += body.length;
    startAt[index + 1] = size;
    if (size > BODIES_BYTES_MAX) {
      throw new BenchError({
        code: 'input',
        problem: `the request bodies take more than ${BODIES_BYTES_MAX / MEBIBYTE} MiB`,
        advice: 'Use fewer or shorter prompts.',
      });
    }
  });
  const bytes = new SharedArrayBuffer(size);
  const target = new Uint8Array(bytes);
  for (const [index, body] of bodies.entries()) target.set(body, startAt[index] ?? 0);
  const repeats = hasNonce ? undefined : repeatsOf(bodies.slice(0, measured.length));
  return {
    bytes,
    measured: measured.length,
    starts,
    nonceAts,
    noncePrefix,
    repeats,
    ...namedLines(measured),
  };
};

export const namedLines = (
  lines: readonly { readonly lineId?: string }[],
): { readonly lineIds?: readonly (string | undefined)[] } =>
  lines.some(({ lineId }) => lineId !== undefined) ? { lineIds: lines.map(({ lineId }) => lineId) } : {};

const repeatsOf = (bodies: readonly Buffer[]): SharedArrayBuffer => {
  const repeats = new SharedArrayBuffer(bodies.length);
  const marks = new Uint8Array(repeats);
  const seen = new Set<string>();
  for (const [index, body] of bodies.entries()) {
    const digest = createHash('sha256').update(body).digest('base64');
    if (seen.has(digest)) marks[index] = 1;
    seen.add(digest);
  }
  return repeats;
};

/** SHA-256 of the bodies, their offsets and the offsets of their nonces, hex: equal digests send equal requests. */
export const bodiesDigest = ({ bytes, measured, starts, nonceAts, noncePrefix }: RequestBodies): string => {
  const hash = createHash('sha256').update(`${measured} ${noncePrefix}\n`);
  for (const part of [starts, nonceAts, bytes]) hash.update(new Uint8Array(part));
  return hash.digest('hex');
};

const forWarmup = (prompt: Prompt): Prompt => ({
  ...prompt,
  maxTokens: Math.min(prompt.maxTokens ?? WARMUP_TOKENS_MAX, WARMUP_TOKENS_MAX),
});

const MEBIBYTE = 1024 * 1024;
export const BODIES_BYTES_MAX: number = 512 * MEBIBYTE;
