// What has come of a chat completion while its events arrive: content, finish reasons, usage, and the first thing that is
// wrong with it, which decides how its sample ends.

import type { FinishReason } from '../../../core/run/outcome.ts';
import { isFinishReason } from '../../../core/run/outcome.ts';
import { isObject, readChatFacts, UNTOLD } from './chat-facts.ts';

export interface ReplyDefect {
  readonly kind: 'malformed' | 'error-frame';
  readonly detail: string;
}

export class ChatStream {
  isDone = false;
  eventCount = 0;
  finishReason: FinishReason = 'missing';
  inputTokens: number = UNTOLD;
  outputTokens: number = UNTOLD;
  defect: ReplyDefect | undefined;
  /** Choice to whether it has finished. */
  readonly #choices: Map<number, boolean> = new Map();

  reset(): void {
    this.isDone = false;
    this.eventCount = 0;
    this.finishReason = 'missing';
    this.inputTokens = UNTOLD;
    this.outputTokens = UNTOLD;
    this.defect = undefined;
    this.#choices.clear();
  }

  /** METRICS §1: [DONE], or a finish reason on every choice that was opened. */
  get hasEnded(): boolean {
    if (this.isDone) return true;
    if (this.#choices.size === 0) return false;
    for (const hasFinished of this.#choices.values()) if (!hasFinished) return false;
    return true;
  }

  /** Data of one event. @returns what it carries: CARRIES_… */
  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number {
    if (this.isDone || this.defect !== undefined || start === end) return CARRIES_NOTHING;
    this.eventCount += 1;
    if (isDoneMark(bytes, start, end)) {
      this.isDone = true;
      return CARRIES_NOTHING;
    }
    return this.json(bytes.toString('utf8', start, end), 'delta', isErrorEvent);
  }

  /** A chunk, or with `part` message a whole reply. */
  json(text: string, part: 'delta' | 'message', isErrorEvent: boolean): number {
    const json = parseJson(text);
    if (!isObject(json)) {
      this.defect = isErrorEvent
        ? { kind: 'error-frame', detail: text.slice(0, DETAIL_LENGTH_MAX) }
        : { kind: 'malformed', detail: `not a JSON object: ${text.slice(0, DETAIL_LENGTH_MAX)}` };
      return CARRIES_NOTHING;
    }
    const facts = readChatFacts(json, part);
    if (facts.error !== '' || isErrorEvent) {
      this.defect = { kind: 'error-frame', detail: facts.error || text.slice(0, DETAIL_LENGTH_MAX) };
      return CARRIES_NOTHING;
    }
    for (const { index, finishReason } of facts.choices) this.#choice(index, finishReason);
    if (facts.inputTokens !== UNTOLD) this.inputTokens = facts.inputTokens;
    if (facts.outputTokens !== UNTOLD) this.outputTokens = facts.outputTokens;
    return (facts.hasAnswer ? CARRIES_ANSWER : 0) | (facts.hasReasoning ? CARRIES_REASONING : 0);
  }

  #choice(index: number, finishReason: string): void {
    const hasFinished = finishReason !== '';
    // A chunk after the finish chunk does not open the choice again.
    if (!this.#choices.get(index)) this.#choices.set(index, hasFinished);
    if (!hasFinished || this.finishReason !== 'missing') return;
    this.finishReason = isFinishReason(finishReason) && finishReason !== 'missing' ? finishReason : 'other';
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** "[DONE]", white space around it allowed. */
const isDoneMark = (bytes: Buffer, start: number, end: number): boolean => {
  if (bytes[start] !== DONE[0] && bytes[start] !== 0x20) return false;
  return end - start < 32 && bytes.toString('latin1', start, end).trim() === '[DONE]';
};

export const CARRIES_NOTHING = 0;
export const CARRIES_ANSWER = 1;
export const CARRIES_REASONING = 2;
const DONE = Buffer.from('[DONE]');
const DETAIL_LENGTH_MAX = 200;
