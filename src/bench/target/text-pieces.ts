// Texts from which many requests are assembled, concatenated in shared memory.

import { BenchError } from '../bench-error.ts';
import { userPrompt } from '../dataset/prompt.ts';
import type { BodySettings, BodyText, ServerApi } from './api/server-api.ts';
import { BODIES_BYTES_MAX } from './request-bodies.ts';

export class TextPieces {
  readonly #texts: Buffer[] = [];
  readonly #known: Map<string, number> = new Map();
  #bytes = 0;

  /** Stores each different text once: for texts that many turns share. */
  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const piece = this.add(text);
    this.#known.set(text, piece);
    return piece;
  }

  add(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    this.#bytes += bytes.length;
    if (this.#bytes > BODIES_BYTES_MAX)
      throw new BenchError({
        code: 'input',
        problem: `the texts of all sessions take more than ${BODIES_BYTES_MAX / 1024 / 1024} MiB`,
        advice: 'Use fewer or shorter sessions.',
      });
    return this.#texts.push(bytes) - 1;
  }

  /** The pieces in UTF-8, and Float64 with the offset of each, one more than pieces. */
  laidOut(): { readonly bytes: SharedArrayBuffer; readonly pieceStarts: SharedArrayBuffer } {
    const bytes = new SharedArrayBuffer(this.#bytes);
    const pieceStarts = new SharedArrayBuffer((this.#texts.length + 1) * Float64Array.BYTES_PER_ELEMENT);
    const [target, starts] = [new Uint8Array(bytes), new Float64Array(pieceStarts)];
    let at = 0;
    for (const [index, text] of this.#texts.entries()) {
      target.set(text, at);
      at += text.length;
      starts[index + 1] = at;
    }
    return { bytes, pieceStarts };
  }
}

// The body of a request around a text that is inserted later, piece by piece: texts of traces are long, and their
// blocks are in many of them. Such a text consists of letters and spaces, so JSON needs no escapes for it.

/** @throws BenchError `input` if the API does not support such a prompt */
export const bodyAround = (
  api: ServerApi,
  maxTokens: number | undefined,
  settings: BodySettings,
): { readonly before: string; readonly after: string; readonly nonceAt: number } => {
  const body = api.body(userPrompt(TEXT_MARK, maxTokens), settings);
  if (body.kind === 'wrong')
    throw new BenchError({ code: 'input', problem: body.problem, advice: body.advice });
  const text = whole(body.value);
  const at = text.indexOf(TEXT_MARK);
  return {
    before: text.slice(0, at),
    after: text.slice(at + TEXT_MARK.length),
    nonceAt: settings.nonce === undefined ? -1 : body.value.before.length,
  };
};

const whole = ({ before, after }: BodyText): string => before + after;

/** A text that occurs in no model name, option or header. */
const TEXT_MARK = 'PlimsollPutsTheTextOfThisPromptHere';
