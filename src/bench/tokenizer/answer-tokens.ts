// Asks the thread that counts: before a run whether a tokenizer can be used, and behind it for the tokens of each answer.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { errorCode } from '../../core/problem.ts';
import type { TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { entryUrl } from '../../process/entry.ts';
import { TokenizerError } from './tokenizer-files.ts';
import type { TokenizerTold, TokenizerWorkerData } from './tokenizer-worker.ts';

export interface TokenCount {
  readonly facts: TokenizerFacts;
  /** Tokens of each sample. */
  readonly tokens: ReadonlyMap<number, number>;
}

/** @throws TokenizerError with what is wrong with it; the signal's reason. */
export const answerTokensOf = async (work: TokenizerWorkerData, signal: AbortSignal): Promise<TokenCount> => {
  const worker = new Worker(entryUrl(import.meta.url, './tokenizer-worker.ts'), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: COUNTER_MIB_MAX },
  });
  const told: TokenizerTold[] = [];
  worker.on('message', (message: TokenizerTold) => told.push(message));
  const tokens = new Map<number, number>();
  let facts: TokenizerFacts | undefined;
  try {
    for (;;) {
      const message = told.shift() ?? (await next(worker, told, signal));
      switch (message.kind) {
        case 'ready':
          facts = message.facts;
          break;
        case 'counts':
          for (let at = 0; at + 1 < message.pairs.length; at += 2)
            tokens.set(message.pairs[at] ?? 0, message.pairs[at + 1] ?? 0);
          break;
        case 'end':
          if (facts !== undefined) return { facts, tokens };
          throw new TokenizerError('counting ended without a word');
        case 'wrong':
          throw new TokenizerError(message.problem);
        default:
          message satisfies never;
      }
    }
  } finally {
    await worker.terminate();
  }
};

const next = async (worker: Worker, told: TokenizerTold[], signal: AbortSignal): Promise<TokenizerTold> => {
  const deadline = AbortSignal.timeout(COUNT_MS_MAX);
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, deadline, over.signal]);
  try {
    await Promise.race([
      once(worker, 'message', { signal: waiting }),
      once(worker, 'exit', { signal: waiting }),
    ]);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new TokenizerError(
        `it did not get on within ${COUNT_MS_MAX / 1_000} s: it is damaged, or this machine is too slow`,
      );
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new TokenizerError(`it asks for more than ${COUNTER_MIB_MAX} MiB of memory`);
    throw error;
  } finally {
    over.abort();
  }
  const message = told.shift();
  if (message !== undefined) return message;
  throw new TokenizerError('counting ended without a word');
};

/** A vocabulary of 256,000 words takes some 400 MiB. */
const COUNTER_MIB_MAX = 2_048;
/** For the tokenizer to be read, and for each million characters. */
const COUNT_MS_MAX = 120_000;
