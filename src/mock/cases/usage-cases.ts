// Token counts that are missing, odd, or false. A client accepts non-negative whole numbers, and treats everything else
// as unknown: the reply is completed either way.

import { completed } from '../failure.ts';
import {
  BEGINNING,
  casesOf,
  contentOf,
  DONE,
  dataEvents,
  type FaultCase,
  FINISH,
  ROLE,
  usageOf,
  WORDS,
  wholeOf,
  withBody,
} from './fault-case.ts';

const { both, stream } = casesOf('usage');

/** This usage at the end of a stream, or in a whole reply, and the output tokens that a client reads from it. */
const reported = (name: string, meaning: string, usage: unknown, outputTokens: number): FaultCase =>
  both(
    name,
    meaning,
    completed,
    request =>
      withBody(
        request,
        request.isStreaming
          ? BEGINNING + dataEvents(FINISH, usageOf(usage), DONE)
          : wholeOf({ content: 'one two three' }, { usage }),
      ),
    { outputTokens },
  );

const events = (name: string, meaning: string, outputTokens: number, ...data: readonly string[]): FaultCase =>
  stream(name, meaning, completed, request => withBody(request, dataEvents(...data)), { outputTokens });

const tokens = (completion: unknown): object => ({ prompt_tokens: 7, completion_tokens: completion });

const withUsage = (data: string, completion: number): string =>
  data.replace(/\}$/, `,"usage":${JSON.stringify(tokens(completion))}}`);

export const USAGE_CASES: readonly FaultCase[] = [
  reported('usage-zero', 'no output tokens, although there was content', tokens(0), 0),
  reported('usage-negative', 'a negative count', tokens(-3), -1),
  reported('usage-fraction', 'half a token', tokens(2.5), -1),
  reported('usage-text', 'a count that is a text', tokens('3'), -1),
  reported('usage-null', 'a count that is null', tokens(null), -1),
  reported('usage-too-large', 'a count beyond 2^53', tokens(2 ** 60), -1),
  reported('usage-large', 'a million tokens for three words', tokens(1_000_000), 1_000_000),
  reported('usage-nothing', 'usage: null', null, -1),
  reported('usage-list', 'usage that is a list', [7, 3], -1),
  reported('usage-empty', 'usage without counts', {}, -1),
  reported('usage-other-names', 'input_tokens and output_tokens', { input_tokens: 7, output_tokens: 3 }, -1),
  reported('usage-wrong-sum', 'a total that is not the sum', { ...tokens(3), total_tokens: 1 }, 3),
  reported(
    'usage-details',
    'details of reasoning, more than the whole',
    { ...tokens(3), completion_tokens_details: { reasoning_tokens: 50 } },
    3,
  ),
  events('usage-missing', 'no usage at all', -1, ROLE, ...WORDS, FINISH, DONE),
  events(
    'usage-twice',
    'usage twice, of which the last counts',
    4,
    ROLE,
    ...WORDS,
    FINISH,
    usageOf(tokens(2)),
    usageOf(tokens(4)),
    DONE,
  ),
  events(
    'usage-each',
    'usage that grows with each chunk',
    3,
    ROLE,
    ...WORDS.map((word, n) => withUsage(word, n + 1)),
    FINISH,
    DONE,
  ),
  events('usage-first', 'usage before the content', 3, usageOf(tokens(3)), ROLE, ...WORDS, FINISH, DONE),
  events(
    'usage-with-finish',
    'usage in the chunk that finishes',
    3,
    ROLE,
    ...WORDS,
    withUsage(FINISH, 3),
    DONE,
  ),
  events('usage-late', 'usage behind [DONE]', -1, ROLE, ...WORDS, FINISH, DONE, usageOf(tokens(3))),
  events(
    'usage-null-each',
    'usage: null in each chunk, the counts at the end',
    3,
    ROLE,
    ...WORDS.map(word => word.replace(/\}$/, ',"usage":null}')),
    FINISH,
    usageOf(tokens(3)),
    DONE,
  ),
  events(
    'usage-elsewhere',
    'counts in timings alone, as llama.cpp has them',
    -1,
    ROLE,
    ...WORDS,
    FINISH.replace(/\}$/, ',"timings":{"predicted_n":3}}'),
    DONE,
  ),
  events(
    'usage-good-then-bad',
    'a count, then one that is no number',
    3,
    ROLE,
    ...WORDS,
    FINISH,
    usageOf(tokens(3)),
    usageOf(tokens('many')),
    DONE,
  ),
  stream(
    'usage-of-many-tokens-a-chunk',
    'five tokens in one chunk',
    completed,
    request =>
      withBody(
        request,
        dataEvents(ROLE, contentOf('one two three four five'), FINISH, usageOf(tokens(5)), DONE),
      ),
    { chunks: 1, outputTokens: 5 },
  ),
];
