// The tokens of answers for a server that reports none: counted after the run by the user's tokenizer from the text
// on disk. The run's figures are then completed with those counts, and compared with the server's own if it reported
// any.

import { unlink } from 'node:fs/promises';
import { errorCode } from '../../core/problem.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { RunConfig } from '../../core/run/report.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { TokenizerAccount, TokenizerFacts } from '../../core/run/tokenizer-account.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { RunFiles } from '../../metrics/run-files.ts';
import { countRun } from '../../metrics/samples-file.ts';
import { withTokenMetrics } from '../../metrics/token-metrics.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { snapshotToJson } from '../../wire/snapshot-codec.ts';
import { BenchError } from '../bench-error.ts';
import { withApiHeaders } from '../target/query-server.ts';
import { answerTokensOf, type TokenCount } from '../tokenizer/answer-tokens.ts';
import { serverTokenizer } from '../tokenizer/server-tokens.ts';
import { TokenizerError } from '../tokenizer/tokenizer-files.ts';
import type { BenchRequest, TokenizerChoice } from './bench-request.ts';

/** A tokenizer, tested before the run. */
export interface AnswerCounter {
  /** Its properties at that time. */
  readonly facts: TokenizerFacts;
  /** @param answers file of them */
  count(answers: string, signal: AbortSignal): Promise<TokenCount>;
}

/** @throws BenchError `input` with the problem. */
export const answerCounter = async (
  { target, headers, model, api }: Pick<BenchRequest, 'target' | 'headers' | 'model' | 'api'>,
  options: TokenizerChoice,
  signal: AbortSignal,
): Promise<AnswerCounter> => {
  try {
    if (options.kind === 'server')
      return await serverTokenizer({ target, api, headers: withApiHeaders(headers, api), model }, signal);
    const { path: folder } = options;
    const { facts } = await answerTokensOf({ folder, answers: undefined }, signal);
    return { facts, count: (answers, until) => answerTokensOf({ folder, answers }, until) };
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    throw new BenchError(
      options.kind === 'server'
        ? {
            code: 'input',
            problem: `${target.shown} does not count tokens: ${error.message}`,
            advice:
              'vLLM, SGLang and llama.cpp do. Give the folder of its tokenizer instead: --tokenizer DIR',
          }
        : {
            code: 'input',
            problem: `the tokenizer in ${options.path} cannot be used: ${error.message}`,
            advice:
              'Give the folder of the model as Hugging Face has it, with tokenizer.json: --tokenizer DIR',
          },
      { cause: error },
    );
  }
};

interface AnswerCountOptions {
  readonly counter: AnswerCounter;
  readonly files: RunFiles;
  readonly config: RunConfig;
  readonly snapshot: MetricsSnapshot;
  /** Cancels the counting; the run is then reported without it. */
  readonly signal: AbortSignal;
}

export interface CountedAnswers {
  readonly account: Reported<TokenizerAccount>;
  readonly snapshot: MetricsSnapshot;
  /** Files that could not be written. */
  readonly notices: readonly string[];
}

/** The text of answers is removed afterwards. */
export const countAnswers = async (options: AnswerCountOptions): Promise<CountedAnswers> => {
  const { counter, files, snapshot, signal } = options;
  try {
    const counted = await counter.count(files.answers, signal);
    const [before, after] = [counter.facts.sha256, counted.facts.sha256];
    if (!isUnknown(before) && before !== after)
      return { account: unknown('its files were changed during the run'), snapshot, notices: [] };
    return await completed(options, counted);
  } catch (error) {
    if (signal.aborted) return { account: unknown('counting was stopped'), snapshot, notices: [] };
    const isExpected = error instanceof TokenizerError || errorCode(error) !== undefined;
    if (!isExpected) throw error;
    const reason = error instanceof TokenizerError ? error.message : diskReason(error);
    return { account: unknown(reason), snapshot, notices: [] };
  }
};

const completed = async (
  { counter: { facts }, files, config, snapshot }: AnswerCountOptions,
  { tokens }: TokenCount,
): Promise<CountedAnswers> => {
  const tally = new AnswerTally(tokens);
  const recount = await countRun(files.samples, config, sample => tally.completed(sample));
  const account = { ...facts, ...tally.account() };
  if (account.filled === 0) return { account, snapshot, notices: [] };
  const filled = withTokenMetrics(snapshot, recount.metrics);
  const notices = await writeFileAtomic(files.finalSnapshot, snapshotToJson(filled)).then(
    () => [],
    (error: unknown) => [
      `${files.finalSnapshot} could not be written with the counted tokens: ${diskReason(error)}`,
    ],
  );
  return { account, snapshot: filled, notices };
};

/** Removes the text of answers. @returns notices for the user */
export const forgetAnswers = async ({ answers }: RunFiles): Promise<readonly string[]> => {
  try {
    await unlink(answers);
    return [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    return [`${answers} has the text of answers and could not be removed: ${diskReason(error)}`];
  }
};

class AnswerTally {
  readonly #tokens: ReadonlyMap<number, number>;
  #answers = 0;
  #all = 0;
  #uncounted = 0;
  #filled = 0;
  #compared = { answers: 0, countedTokens: 0, reportedTokens: 0 };

  constructor(tokens: ReadonlyMap<number, number>) {
    this.#tokens = tokens;
  }

  /** @returns the sample with its tokens, if the server reported none */
  completed(sample: EndedSample): EndedSample {
    if (sample.outcome !== 'completed' || sample.window < 0) return sample;
    const tokens = this.#tokens.get(sample.sampleId);
    if (tokens === undefined) {
      this.#uncounted += 1;
      return sample;
    }
    this.#answers += 1;
    this.#all += tokens;
    if (sample.outputTokens === NO_FIGURE) {
      this.#filled += 1;
      return { ...sample, outputTokens: tokens };
    }
    const { answers, countedTokens, reportedTokens } = this.#compared;
    this.#compared = {
      answers: answers + 1,
      countedTokens: countedTokens + tokens,
      reportedTokens: reportedTokens + sample.outputTokens,
    };
    return sample;
  }

  account(): Omit<TokenizerAccount, keyof TokenizerFacts> {
    return {
      answers: this.#answers,
      tokens: this.#all,
      uncounted: this.#uncounted,
      filled: this.#filled,
      compared: this.#compared.answers === 0 ? unknown('the server reported no usage') : this.#compared,
    };
  }
}
