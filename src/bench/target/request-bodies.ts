// From prompts to the JSON bodies that are sent, laid out in shared memory before the run, so that the hot path only
// writes a nonce into bytes that are there.

import { BenchError } from '../bench-error.ts';
import type { Message, Prompt } from '../dataset/prompt.ts';

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

export interface RequestOptions {
  /** As it goes into the request. */
  readonly model: string;
  readonly isStreaming: boolean;
  readonly hasNonce: boolean;
  /** 8 characters of hex, another for each run. */
  readonly noncePrefix: string;
}

/** @throws BenchError `input` when all bodies together are too large. */
export const requestBodies = (prompts: readonly Prompt[], options: RequestOptions): RequestBodies => {
  const bodies: Buffer[] = [];
  const starts = new SharedArrayBuffer((prompts.length + 1) * Float64Array.BYTES_PER_ELEMENT);
  const nonceAts = new SharedArrayBuffer(prompts.length * Float64Array.BYTES_PER_ELEMENT);
  const startAt = new Float64Array(starts);
  const nonceAt = new Float64Array(nonceAts);
  let size = 0;
  prompts.forEach((prompt, index) => {
    const { before, after } = bodyOf(prompt, options);
    const body = Buffer.from(before + after, 'utf8');
    bodies.push(body);
    nonceAt[index] = options.hasNonce ? Buffer.byteLength(before, 'utf8') : -1;
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
  return { bytes, starts, nonceAts, noncePrefix: options.noncePrefix };
};

/** The body in two parts: the nonce's first byte is the first of `after`. */
const bodyOf = (
  { messages, maxTokens }: Prompt,
  { model, isStreaming, hasNonce, noncePrefix }: RequestOptions,
): { readonly before: string; readonly after: string } => {
  const tail =
    (maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`) +
    // Without usage nobody knows how many tokens came.
    (isStreaming ? ',"stream":true,"stream_options":{"include_usage":true}}' : ',"stream":false}');
  const head = `{"model":${JSON.stringify(model)},"messages":[`;
  if (!hasNonce) return { before: '', after: `${head}${messages.map(jsonOf).join(',')}]${tail}` };
  // As near to the start as can be: a cache of prefixes holds whatever stands before it.
  const at = messages.findIndex(({ content }) => typeof content === 'string' || Array.isArray(content));
  const marked = messages[at];
  if (marked === undefined) throw new RangeError('a prompt without content');
  const { content, ...others } = marked;
  const opening = `${jsonOf(others).slice(0, -1)},"content":`;
  const nonce = noncePrefix.padEnd(BODY_NONCE_BYTES, '0');
  const [quote, rest] =
    typeof content === 'string'
      ? ['"[', `${nonce}] ${JSON.stringify(content).slice(1)}}`]
      : [
          '[{"type":"text","text":"[',
          `${nonce}]"},${JSON.stringify(content).slice(1)}}`.replace(/,\]\}$/, ']}'),
        ];
  const earlier = messages.slice(0, at).map(message => `${jsonOf(message)},`);
  const later = messages.slice(at + 1).map(message => `,${jsonOf(message)}`);
  return {
    before: `${head}${earlier.join('')}${opening}${quote}`,
    after: `${rest}${later.join('')}]${tail}`,
  };
};

const jsonOf = (message: Omit<Message, 'content'>): string => JSON.stringify(message);

const MEBIBYTE = 1024 * 1024;
export const BODIES_BYTES_MAX: number = 512 * MEBIBYTE;
