// Uses the counting thread: before a run to test whether a tokenizer can be used, and after it for the tokens of each
// answer.

import type { TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { entryUrl } from '../../process/entry.ts';
import { ReaderThread, ReaderThreadError } from '../../process/reader-thread.ts';
import { TokenizerError } from './tokenizer-files.ts';
import type { TokenizerReported, TokenizerWorkerData } from './tokenizer-worker.ts';

export interface TokenCount {
  readonly facts: TokenizerFacts;
  /** Tokens of each sample. */
  readonly tokens: ReadonlyMap<number, number>;
}

/** @throws TokenizerError with the problem; the signal's reason. */
export const answerTokensOf = async (work: TokenizerWorkerData, signal: AbortSignal): Promise<TokenCount> => {
  await using thread = new ReaderThread<TokenizerReported>(
    entryUrl(import.meta.url, './tokenizer-worker.ts'),
    {
      workerData: work,
      mebibytesMax: COUNTER_MIB_MAX,
      messageMsMax: COUNT_MS_MAX,
    },
  );
  const tokens = new Map<number, number>();
  let facts: TokenizerFacts | undefined;
  for (;;) {
    const message = await next(thread, signal);
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
        throw new TokenizerError(ENDS.exit);
      case 'wrong':
        throw new TokenizerError(message.problem);
      default:
        message satisfies never;
    }
  }
};

const next = async (
  thread: ReaderThread<TokenizerReported>,
  signal: AbortSignal,
): Promise<TokenizerReported> => {
  try {
    return await thread.next(signal);
  } catch (error) {
    throw error instanceof ReaderThreadError ? new TokenizerError(ENDS[error.end]) : error;
  }
};

/** A vocabulary of 256,000 words takes some 400 MiB. */
const COUNTER_MIB_MAX = 2_048;
/** Timeout for reading the tokenizer, and for each million characters. */
const COUNT_MS_MAX = 120_000;
const ENDS: Readonly<Record<ReaderThreadError['end'], string>> = {
  time: `it did not get on within ${COUNT_MS_MAX / 1_000} s: it is damaged, or this machine is too slow`,
  memory: `it expands to more than ${COUNTER_MIB_MAX} MiB of memory`,
  exit: 'counting ended without a reply',
};
