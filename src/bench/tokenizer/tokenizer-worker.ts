// Entry of the thread that counts tokens: reads a tokenizer, and the answers of a run if there are any. A damaged
// file may require any amount of memory or time, and a thread can be ended.

import { parentPort, workerData } from 'node:worker_threads';
import type { TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { answerLines, readTokenizer, TokenizerError } from './tokenizer-files.ts';

export interface TokenizerWorkerData {
  readonly folder: string;
  /** Lines of [sample, text]. undefined: only tests whether the tokenizer can be used. */
  readonly answers: string | undefined;
}

export type TokenizerReported =
  | { readonly kind: 'ready'; readonly facts: TokenizerFacts }
  /** For some answers: sample, tokens, sample, tokens, … */
  | { readonly kind: 'counts'; readonly pairs: readonly number[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Some seconds of work at most. */
const CHARACTERS_REPORTED = 1_000_000;

const { folder, answers }: TokenizerWorkerData = workerData;
const report = (reported: TokenizerReported): void => parentPort?.postMessage(reported);

try {
  const { facts, tokensOf } = await readTokenizer(folder);
  report({ kind: 'ready', facts });
  /** The library gives up on some texts: a megabyte without a space exceeds its stack. */
  const countOf = (text: string): number | undefined => {
    try {
      return tokensOf(text);
    } catch {
      return undefined;
    }
  };
  let pairs: number[] = [];
  let characters = 0;
  for await (const { sampleId, text } of answers === undefined ? [] : answerLines(answers)) {
    const tokens = countOf(text);
    if (tokens !== undefined) pairs.push(sampleId, tokens);
    characters += text.length;
    if (characters < CHARACTERS_REPORTED) continue;
    report({ kind: 'counts', pairs });
    pairs = [];
    characters = 0;
  }
  report({ kind: 'counts', pairs });
  report({ kind: 'end' });
} catch (error) {
  if (!(error instanceof TokenizerError)) throw error;
  report({ kind: 'wrong', problem: error.message });
}
