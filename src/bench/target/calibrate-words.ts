// Measures what words cost on a server: a few short requests before the run, whose usage shows how its tokenizer and
// its template count. One sum for each bundle of words is enough: prompts consist of whole bundles.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { pushAll } from '../../core/push-all.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { WordCalibration } from '../../core/run/run-requests.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { type Prompt, userPrompt } from '../dataset/prompt.ts';
import { type SizedPromptOptions, sizedPrompt } from '../dataset/synthetic-dataset.ts';
import {
  FILLER_WORDS,
  prefixStart,
  SHORT_TASK,
  TASK,
  WORD_BUNDLES,
  WORDS_AS_TOKENS,
  type WordBundle,
  type WordCosts,
} from '../dataset/word-costs.ts';
import { textOf } from './api/json-reply.ts';
import type { ServerApi } from './api/server-api.ts';
import { fetchText } from './fetch-text.ts';
import type { HeaderField } from './load-target.ts';
import { type BenchTarget, endpointPath } from './target-url.ts';

interface CalibrationQuestion {
  readonly api: ServerApi;
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  readonly model: string;
  /** Additional fields of each body. */
  readonly added: JsonObject;
  /** As in RequestBodies; undefined: prompts have none. */
  readonly noncePrefix: string | undefined;
  readonly options: SizedPromptOptions;
  /** Of each request, at most. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CalibratedWords {
  readonly costs: WordCosts;
  readonly reported: Reported<WordCalibration>;
  /** `system_fingerprint` of the replies: the server's own id of its build and settings; '' if there is none. */
  readonly fingerprint: string;
}

/**
 * @throws the signal's reason. If the server does not report usage, the result counts words instead, with the reason.
 */
export const calibrateWords = async (question: CalibrationQuestion): Promise<CalibratedWords> => {
  const over = AbortSignal.any([question.signal, AbortSignal.timeout(CALIBRATION_MS_MAX)]);
  const counter = new TokenCounter(question, over);
  try {
    const costs = await wordCosts(counter, question.options.prefixes !== undefined);
    return await verified(counter, costs, question.options);
  } catch (error) {
    question.signal.throwIfAborted();
    if (over.aborted) return uncalibrated(`no answer within ${CALIBRATION_MS_MAX / 1_000} s`);
    if (error instanceof NoCount) return uncalibrated(error.message);
    throw error;
  }
};

/** Words count as tokens. */
export const uncalibrated = (reason: string): CalibratedWords => ({
  costs: WORDS_AS_TOKENS,
  reported: unknown(reason),
  fingerprint: '',
});

/** Differences between prompts of one nonce: their common part cancels exactly. */
const wordCosts = async (counter: TokenCounter, hasPrefixes: boolean): Promise<WordCosts> => {
  const [task = 0, ...others] = await counter.counts(
    NONCES.map(nonce => ({ prompt: userPrompt(TASK), nonce })),
  );
  const [nonce = 0] = NONCES;
  const texts = [
    ...WORD_BUNDLES.map(words => `${TASK} ${words.join(' ')}`),
    ...FILLER_WORDS.map(word => TASK + ` ${word}`.repeat(FILLERS_COUNTED)),
    SHORT_TASK,
  ];
  const questions = texts.map(text => ({ prompt: userPrompt(text), nonce }));
  const withPrefix = hasPrefixes ? [{ prompt: { ...userPrompt(TASK), prefix: prefixStart(0) }, nonce }] : [];
  const counts = await counter.counts([...questions, ...withPrefix]);
  const more = counts.map(count => count - task);
  // Nonces differ slightly in cost.
  const taskTokens = (task + others.reduce((sum, count) => sum + count, 0)) / NONCES.length;
  const at = (index: number): number => more[index] ?? 0;
  if (WORD_BUNDLES.some((_, index) => at(index) <= 0))
    throw new NoCount('the server reports equal counts for different prompts');
  return {
    taskTokens,
    shortTokens: taskTokens + at(texts.length - 1),
    prefixTokens: hasPrefixes ? at(texts.length) : 0,
    bundles: WORD_BUNDLES.map((words, index): WordBundle => ({ words, tokens: at(index) })),
    fillers: FILLER_WORDS.map((word, index) => ({
      word,
      tokens: at(WORD_BUNDLES.length + index) / FILLERS_COUNTED,
    })).toSorted((a, b) => b.tokens - a.tokens),
  };
};

/** Counts a prompt as the run will send it; if the sum differs, the cost of words is scaled accordingly. */
const verified = async (
  counter: TokenCounter,
  found: WordCosts,
  options: SizedPromptOptions,
): Promise<CalibratedWords> => {
  let costs = found;
  for (let round = 1; ; round += 1) {
    const { prompt, tokens } = sizedPrompt(options, costs, VERIFIED_TOKENS_MAX);
    const [counted = 0] = await counter.counts([{ prompt, nonce: VERIFIED_NONCE + round }]);
    const fixed = costs.taskTokens + (options.prefixes === undefined ? 0 : costs.prefixTokens);
    const factor = (counted - fixed) / (tokens - fixed);
    const isRight = Math.abs(counted - tokens) <= Math.max(1, tokens * TOLERANCE);
    if (isRight || round === ROUNDS_MAX || !(factor > 0) || tokens <= fixed)
      return {
        costs,
        fingerprint: counter.fingerprint,
        reported: {
          requests: counter.requested,
          requestedTokens: tokens,
          countedTokens: counted,
        },
      };
    costs = {
      ...costs,
      bundles: costs.bundles.map(bundle => ({ ...bundle, tokens: bundle.tokens * factor })),
      fillers: costs.fillers.map(filler => ({ ...filler, tokens: filler.tokens * factor })),
    };
  }
};

interface CountQuestion {
  readonly prompt: Prompt;
  /** The sample number that it would have. */
  readonly nonce: number;
}

class TokenCounter {
  requested = 0;
  fingerprint = '';
  readonly #question: CalibrationQuestion;
  readonly #signal: AbortSignal;

  constructor(question: CalibrationQuestion, signal: AbortSignal) {
    this.#question = question;
    this.#signal = signal;
  }

  /** Counts in the given order; a few requests at a time. */
  async counts(questions: readonly CountQuestion[]): Promise<readonly number[]> {
    const counts: number[] = [];
    for (let at = 0; at < questions.length; at += REQUESTED_AT_ONCE) {
      const together = questions.slice(at, at + REQUESTED_AT_ONCE).map(question => this.#count(question));
      pushAll(counts, await Promise.all(together));
    }
    return counts;
  }

  async #count({ prompt, nonce }: CountQuestion): Promise<number> {
    const { api, target, headers, model, added, noncePrefix, timeoutMs } = this.#question;
    const body = api.body(
      { ...prompt, maxTokens: 1 },
      {
        model,
        isStreaming: false,
        nonce: noncePrefix === undefined ? undefined : noncePrefix + nonce.toString(16).padStart(8, '0'),
        fields: { lengthFields: [], added },
      },
    );
    if (body.kind === 'wrong') throw new NoCount(body.problem);
    this.requested += 1;
    const reply = await fetchText({
      server: target.server,
      path: endpointPath(target, api),
      headers,
      body: body.value.before + body.value.after,
      timeoutMs,
      signal: this.#signal,
    });
    if (reply.kind !== 'answer') throw new NoCount(reply.reason);
    if (reply.status !== 200)
      throw new NoCount(`the server answered a short request with status ${reply.status}`);
    const read = api.newReply();
    const json = parseAnyJson(reply.text);
    if (isJsonObject(json)) {
      read.document(reply.text);
      this.fingerprint = textOf(json['system_fingerprint']);
    }
    if (read.inputTokens === NO_FIGURE || read.inputTokens === 0)
      throw new NoCount('the server reports no usage');
    return read.inputTokens;
  }
}

/** Why there is no count. */
class NoCount extends Error {
  override readonly name = 'NoCount';
}

/** Sample numbers of typical runs. */
const NONCES: readonly number[] = [0x03, 0x57, 0x3a9];
const VERIFIED_NONCE = 0x1c;
const FILLERS_COUNTED = 32;
/** Longer prompts are assumed to cost in proportion. */
const VERIFIED_TOKENS_MAX = 4_096;
const TOLERANCE = 0.005;
const ROUNDS_MAX = 3;
const REQUESTED_AT_ONCE = 4;
const CALIBRATION_MS_MAX = 120_000;
