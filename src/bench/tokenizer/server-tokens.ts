// The server as its own tokenizer: `/tokenize` of vLLM, SGLang and llama.cpp, requested after a run for each stored
// answer. It generates nothing, but it is work for the server: the number of answers and the time are limited.

import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import type { TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { unknown } from '../../core/unknown.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import { fetchText } from '../target/fetch-text.ts';
import type { HeaderField } from '../target/load-target.ts';
import { pagePath } from '../target/server-pages.ts';
import type { BenchTarget } from '../target/target-url.ts';
import type { TokenCount } from './answer-tokens.ts';
import { answerLines, TokenizerError } from './tokenizer-files.ts';

interface RequestedTokenizer {
  readonly target: BenchTarget;
  readonly api: ServerApi;
  readonly headers: readonly HeaderField[];
  /** undefined: the server's own. */
  readonly model: string | undefined;
}

interface ServerTokenizer {
  readonly facts: TokenizerFacts;
  /** @throws the signal's reason; the system's error if the file cannot be read. */
  count(answers: string, signal: AbortSignal): Promise<TokenCount>;
}

/** @throws TokenizerError if it does not count that way; the signal's reason. */
export const serverTokenizer = async (
  requested: RequestedTokenizer,
  signal: AbortSignal,
): Promise<ServerTokenizer> => {
  const problems: string[] = [];
  for (const shape of SHAPES) {
    const reported = await tokensOf(requested, shape, SAMPLE_TEXT, signal);
    if (typeof reported === 'number') {
      const facts = factsOf(shape);
      return { facts, count: (answers, until) => countAll({ requested, shape, facts, answers }, until) };
    }
    problems.push(reported);
  }
  throw new TokenizerError(`POST /tokenize: ${[...new Set(problems)].join('; ')}`);
};

const countAll = async (
  {
    requested,
    shape,
    facts,
    answers,
  }: {
    readonly requested: RequestedTokenizer;
    readonly shape: TokenizeShape;
    readonly facts: TokenizerFacts;
    readonly answers: string;
  },
  signal: AbortSignal,
): Promise<TokenCount> => {
  const tokens = new Map<number, number>();
  const over = AbortSignal.timeout(TOKENIZE_MS_MAX);
  const until = AbortSignal.any([signal, over]);
  const pending = new Set<Promise<void>>();
  let count = 0;
  const request = async (sampleId: number, text: string): Promise<void> => {
    try {
      const reported = await tokensOf(requested, shape, text, until);
      if (typeof reported === 'number') tokens.set(sampleId, reported);
    } catch (error) {
      // After its time, remaining answers stay uncounted.
      if (!until.aborted) throw error;
    }
  };
  for await (const { sampleId, text } of answerLines(answers)) {
    if (count === TOKENIZED_ANSWERS_MAX || until.aborted) break;
    count += 1;
    const one: Promise<void> = request(sampleId, text).finally(() => pending.delete(one));
    pending.add(one);
    if (pending.size >= TOKENIZED_AT_ONCE) await Promise.race(pending);
  }
  await Promise.all(pending);
  signal.throwIfAborted();
  return { facts, tokens };
};

/** @returns why there is no count, else the count */
const tokensOf = async (
  { target, api, headers, model }: RequestedTokenizer,
  shape: TokenizeShape,
  text: string,
  signal: AbortSignal,
): Promise<number | string> => {
  if (text === '') return 0;
  const answer = await fetchText({
    server: target.server,
    path: pagePath(target, '/tokenize', api),
    body: JSON.stringify(shape.body(text, model)),
    headers,
    timeoutMs: TOKENIZE_ONE_MS_MAX,
    signal,
  });
  if (answer.kind !== 'answer') return answer.reason;
  if (answer.status !== 200) return `status ${answer.status}`;
  const json = parseAnyJson(answer.text);
  const tokens = isJsonObject(json) ? json['tokens'] : undefined;
  // A server that does not know the field of the text tokenizes nothing.
  return Array.isArray(tokens) && tokens.length > 0 ? tokens.length : 'its answer has no tokens';
};

const factsOf = ({ servers }: TokenizeShape): TokenizerFacts => {
  const unreported = unknown('the server counts with its own, and does not report which');
  return {
    name: `POST /tokenize of the server, as ${servers} has it`,
    sha256: unreported,
    model: unreported,
    vocabulary: unreported,
  };
};

interface TokenizeShape {
  readonly servers: string;
  readonly body: (text: string, model: string | undefined) => object;
}

/** Without a template's special tokens, as a local tokenizer counts. */
const SHAPES: readonly TokenizeShape[] = [
  {
    servers: 'vLLM and SGLang',
    body: (prompt, model) => ({
      ...(model === undefined ? {} : { model }),
      prompt,
      add_special_tokens: false,
    }),
  },
  { servers: 'llama.cpp', body: content => ({ content, add_special: false }) },
];

const SAMPLE_TEXT = 'The quick brown fox, 42 of them.\n';
const TOKENIZED_ANSWERS_MAX = 10_000;
const TOKENIZED_AT_ONCE = 8;
/** For all answers. */
const TOKENIZE_MS_MAX = 120_000;
/** For one answer. */
const TOKENIZE_ONE_MS_MAX = 10_000;
