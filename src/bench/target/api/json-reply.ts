// What all APIs with JSON replies share, event by event or as one document: the state of a reply, and the recognition
// of errors from any source. An adapter interprets the objects.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../../core/json.ts';
import { NO_FIGURE } from '../../../core/run/event-record.ts';
import { finishMeaning } from '../../../core/run/finish-names.ts';
import type { FinishReason } from '../../../core/run/outcome.ts';
import { AnswerHash } from './answer-hash.ts';
import { AnswerParts, AnswerText } from './answer-parts.ts';
import { errorOf, messageOfBody } from './error-message.ts';
import { ReplyText } from './reply-text.ts';
import { type ApiReply, CARRIES_NOTHING, type ReplyDefect } from './server-api.ts';

export abstract class JsonReply implements ApiReply {
  isDone = false;
  finishReason: FinishReason = 'missing';
  finishName = '';
  inputTokens: number = NO_FIGURE;
  outputTokens: number = NO_FIGURE;
  cachedTokens: number = NO_FIGURE;
  predictedTokens: number = NO_FIGURE;
  loadNs: number = NO_FIGURE;
  promptNs: number = NO_FIGURE;
  decodeNs: number = NO_FIGURE;
  draftedTokens: number = NO_FIGURE;
  rankedDocuments: number = NO_FIGURE;
  audioInputTokens: number = NO_FIGURE;
  audioOutputTokens: number = NO_FIGURE;
  reasoningTokens: number = NO_FIGURE;
  isContradictory = false;
  choices = 1;
  model = '';
  defect: ReplyDefect | undefined;
  readonly carried: readonly number[] = FIRST_CHOICE;
  /** An adapter adds each text of the answer as it finds it. */
  protected readonly answer: AnswerHash = new AnswerHash();
  /** Text of its first choice. */
  protected readonly reported: ReplyText = new ReplyText(this.answer);
  /** Tokens were counted when the answer ended. */
  #isCounted = false;

  get answerHash(): number {
    return this.answer.value;
  }

  get written(): AnswerText {
    return this.answer.written;
  }
  readonly keptAnswer: AnswerText = new AnswerText();
  readonly parts: AnswerParts = new AnswerParts();

  get hasEnded(): boolean {
    return this.isDone || this.hasFinished;
  }

  /** For most APIs the finish reason is in the one object that ends a reply. */
  get hasFinished(): boolean {
    return this.finishReason !== 'missing';
  }

  reset(): void {
    this.isDone = false;
    this.finishReason = 'missing';
    this.finishName = '';
    this.inputTokens = NO_FIGURE;
    this.outputTokens = NO_FIGURE;
    this.cachedTokens = NO_FIGURE;
    this.predictedTokens = NO_FIGURE;
    this.loadNs = NO_FIGURE;
    this.promptNs = NO_FIGURE;
    this.decodeNs = NO_FIGURE;
    this.draftedTokens = NO_FIGURE;
    this.rankedDocuments = NO_FIGURE;
    this.audioInputTokens = NO_FIGURE;
    this.audioOutputTokens = NO_FIGURE;
    this.reasoningTokens = NO_FIGURE;
    this.isContradictory = false;
    this.choices = 1;
    this.#isCounted = false;
    this.model = '';
    this.defect = undefined;
    this.answer.reset();
    this.reported.reset();
    this.keptAnswer.reset();
    this.parts.reset();
  }

  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number {
    if (this.isDone || this.defect !== undefined) return CARRIES_NOTHING;
    if (isDoneMark(bytes, start, end)) {
      this.isDone = true;
      return CARRIES_NOTHING;
    }
    return this.#parsed(bytes.toString('utf8', start, end), false, isErrorEvent);
  }

  document(text: string): number {
    const carries = this.#parsed(text, true, false);
    if (this.defect === undefined) this.isDone = true;
    return carries;
  }

  /** An object of the reply that is not an error. @returns CARRIES_… of its content. */
  protected abstract read(json: JsonObject, isWhole: boolean): number;

  /**
   * llama.cpp's, at the end of a reply of any of its endpoints. Speculation fields exist only with speculative
   * decoding.
   */
  protected timed(timings: JsonObject): void {
    if (tokenCount(timings['cache_n']) !== NO_FIGURE) this.cachedTokens = tokenCount(timings['cache_n']);
    this.promptNs = nanoseconds(timings['prompt_ms'], 1e6);
    this.decodeNs = nanoseconds(timings['predicted_ms'], 1e6);
    this.speculated(timings, LLAMA_DRAFTS);
    // It counts what it timed separately.
    if (this.hasFinished) this.checked(tokenCount(timings['predicted_n']));
  }

  /** Counts of speculative decoding under the first of these pairs of names that it has whole. */
  protected speculated(counts: JsonObject, names: readonly DraftNames[]): void {
    for (const pair of names) {
      const [drafted, accepted] = [tokenCount(counts[pair.drafted]), tokenCount(counts[pair.accepted])];
      if (drafted === NO_FIGURE || accepted === NO_FIGURE) continue;
      this.draftedTokens = drafted;
      this.predictedTokens = accepted;
      return;
    }
  }

  /**
   * The server ended the answer, or one of several, with this reason; the first one counts. `why`: its additional
   * text.
   */
  protected finished(name: string, why = ''): void {
    const meaning = finishMeaning(name);
    if (meaning === 'aborted') {
      const reason = `finish reason "${name}"`;
      this.defect ??= { kind: 'aborted', detail: why === '' ? reason : `${reason}: ${why}` };
      return;
    }
    if (this.finishReason !== 'missing') return;
    this.finishReason = meaning ?? 'other';
    if (meaning === undefined) this.finishName = name;
  }

  /**
   * Counts of one `usage`; NO_FIGURE for missing ones. Later ones replace earlier ones, which may have been
   * intermediate.
   */
  protected counted({ input, output, total = NO_FIGURE }: UsageCounts): void {
    if (total !== NO_FIGURE && input !== NO_FIGURE && output !== NO_FIGURE && total !== input + output)
      this.isContradictory = true;
    // With several choices a server may count each one separately before it counts all of them.
    if (this.choices === 1) {
      if (output !== NO_FIGURE && output < this.outputTokens) this.isContradictory = true;
      if (this.#isCounted && this.#differs(input, output)) this.isContradictory = true;
    }
    if (input !== NO_FIGURE) this.inputTokens = input;
    if (output !== NO_FIGURE) this.outputTokens = output;
    if (this.hasFinished && output !== NO_FIGURE) this.#isCounted = true;
  }

  /** A server's own count in addition to the usage. */
  protected checked(output: number): void {
    if (output !== NO_FIGURE && this.outputTokens !== NO_FIGURE && output !== this.outputTokens)
      this.isContradictory = true;
  }

  #differs(input: number, output: number): boolean {
    return (
      (input !== NO_FIGURE && this.inputTokens > 0 && input !== this.inputTokens) ||
      (output !== NO_FIGURE && output !== this.outputTokens)
    );
  }

  #parsed(text: string, isWhole: boolean, isErrorEvent: boolean): number {
    const json = parseAnyJson(text);
    if (!isJsonObject(json)) {
      this.defect = isErrorEvent
        ? { kind: 'error-frame', detail: messageOfBody(text) }
        : { kind: 'malformed', detail: `not a JSON object: ${text.slice(0, DETAIL_LENGTH_MAX)}` };
      return CARRIES_NOTHING;
    }
    const error = errorOf(json);
    if (error !== '' || isErrorEvent) {
      this.defect = { kind: 'error-frame', detail: error || messageOfBody(text) };
      return CARRIES_NOTHING;
    }
    const { model } = json;
    if (this.model === '' && typeof model === 'string') this.model = model;
    return this.read(json, isWhole);
  }
}

export interface DraftNames {
  readonly drafted: string;
  readonly accepted: string;
}

interface UsageCounts {
  readonly input: number;
  readonly output: number;
  /** Of both. */
  readonly total?: number;
}

/** '' for anything but text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** NO_FIGURE for anything but a number of tokens. */
export const tokenCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : NO_FIGURE;

/** NO_FIGURE for anything but a time. Figures are integers: every sum is exact. */
export const nanoseconds = (value: unknown, perUnit: number): number =>
  typeof value === 'number' && value >= 0 && Number.isSafeInteger(Math.round(value * perUnit))
    ? Math.round(value * perUnit)
    : NO_FIGURE;

/** From the details of a usage, by either name. */
export const reasoningOf = (details: JsonObject): number =>
  tokenCount(details['reasoning_tokens'] ?? details['thinking_tokens']);

/** "[DONE]", white space around it allowed. */
export const isDoneMark = (bytes: Buffer, start: number, end: number): boolean => {
  if (bytes[start] !== DONE[0] && bytes[start] !== 0x20) return false;
  return end - start < 32 && bytes.toString('latin1', start, end).trim() === '[DONE]';
};

/** tools/server/server-task.cpp: only in replies for which it has drafted. */
const LLAMA_DRAFTS: readonly DraftNames[] = [{ drafted: 'draft_n', accepted: 'draft_n_accepted' }];
const DONE = Buffer.from('[DONE]');
const FIRST_CHOICE: readonly number[] = [0];
const DETAIL_LENGTH_MAX = 200;
