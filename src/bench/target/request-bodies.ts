// From prompts to the JSON bodies that are sent, laid out in shared memory before the run, so that the hot path only
// writes a nonce into bytes that are there.

import { BenchError } from '../bench-error.ts';
import type { Prompt } from '../dataset/prompt.ts';
import type { BodySettings, ServerApi } from './api/server-api.ts';

/** JSON bodies, one behind the other. Body i is `bytes[starts[i]] … bytes[starts[i + 1]]`; sample n sends body n mod count. */
export interface RequestBodies {
  readonly bytes: SharedArrayBuffer;
  /** Float64, count + 1 of them. */
  readonly starts: SharedArrayBuffer;
  /**
   * Float64, count of them: where in the body BODY_NONCE_BYTES are overwritten to make a prompt unique; -1: nowhere.
   * Counted from the body's start.
   */
  readonly nonceAts: SharedArrayBuffer;
  /** First half of each nonce, 8 characters of hex: two runs never share one. */
  readonly noncePrefix: string;
}

/** 8 of the run and 8 of the sample. */
export const BODY_NONCE_BYTES = 16;

export interface RequestOptions extends Pick<BodySettings, 'model' | 'isStreaming'> {
  readonly api: ServerApi;
  readonly hasNonce: boolean;
  /** 8 characters of hex, another for each run. */
  readonly noncePrefix: string;
}

/** @throws BenchError `input` for a prompt that the API cannot ask, and when all bodies together are too large. */
export const requestBodies = (
  prompts: readonly Prompt[],
  { api, hasNonce, noncePrefix, ...settings }: RequestOptions,
): RequestBodies => {
  const nonce = hasNonce ? noncePrefix.padEnd(BODY_NONCE_BYTES, '0') : undefined;
  const bodies: Buffer[] = [];
  const starts = new SharedArrayBuffer((prompts.length + 1) * Float64Array.BYTES_PER_ELEMENT);
  const nonceAts = new SharedArrayBuffer(prompts.length * Float64Array.BYTES_PER_ELEMENT);
  const startAt = new Float64Array(starts);
  const nonceAt = new Float64Array(nonceAts);
  let size = 0;
  prompts.forEach((prompt, index) => {
    const text = api.body(prompt, { ...settings, nonce });
    if (text.kind === 'wrong') {
      const { problem, advice } = text;
      throw new BenchError({ code: 'input', problem: `prompt ${index + 1}: ${problem}`, advice });
    }
    const { before, after } = text.value;
    const body = Buffer.from(before + after, 'utf8');
    bodies.push(body);
    nonceAt[index] = hasNonce ? Buffer.byteLength(before, 'utf8') : -1;
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
  return { bytes, starts, nonceAts, noncePrefix };
};

const MEBIBYTE = 1024 * 1024;
export const BODIES_BYTES_MAX: number = 512 * MEBIBYTE;
