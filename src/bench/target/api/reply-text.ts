// The text of one choice of an answer as it arrives: added to the answer's hash, and divided into reasoning and
// answer. Servers without a parser for a model leave its tags in the text.

import { maximumOf } from '../../../core/extremes.ts';
import type { AnswerHash } from './answer-hash.ts';
import {
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  CARRIES_REASONING,
  CARRIES_TEXT,
  THOUGHT_UNTIL_NOW,
} from './server-api.ts';

export class ReplyText {
  readonly #hash: AnswerHash;
  /**
   * start: an opening tag may still come; after: the tag is closed, and the white space that follows is not part of
   * the answer.
   */
  #state: 'start' | 'thinking' | 'after' | 'answer' = 'start';
  #closing = '';
  /** Text at the start, or the end of it that may be the beginning of a tag. */
  #open = '';

  constructor(hash: AnswerHash) {
    this.#hash = hash;
  }

  reset(): void {
    this.#state = 'start';
    this.#closing = '';
    this.#open = '';
  }

  /** Text from the field for answers. @returns CARRIES_… */
  text(text: string): number {
    return this.#hash.add(text) ? CARRIES_TEXT | this.#parted(text) : CARRIES_NOTHING;
  }

  /** Text from a field for reasoning. */
  thought(text: string): number {
    return this.#hash.add(text) ? CARRIES_REASONING | CARRIES_TEXT : CARRIES_NOTHING;
  }

  /** A refusal, or a piece of a call: text without tags. */
  other(text: string): number {
    return this.#hash.add(text) ? CARRIES_ANSWER : CARRIES_NOTHING;
  }

  #parted(text: string): number {
    switch (this.#state) {
      case 'start':
        return this.#started(text);
      case 'thinking':
        return this.#thinking(text);
      case 'after':
        return this.#after(text);
      default:
        return this.#answering(text);
    }
  }

  #started(text: string): number {
    const isFirst = this.#open === '';
    const all = this.#open + text;
    const begun = all.trimStart();
    const tag = THOUGHT_TAGS.find(({ opening }) => begun.startsWith(opening));
    if (tag !== undefined) {
      this.#state = 'thinking';
      this.#closing = tag.closing;
      this.#open = '';
      const rest = this.#thinking(begun.slice(tag.opening.length));
      return rest | CARRIES_REASONING | (isFirst ? 0 : THOUGHT_UNTIL_NOW);
    }
    if (begun === '' || THOUGHT_TAGS.some(({ opening }) => opening.startsWith(begun))) {
      // Otherwise endless white space would be buffered without a limit.
      this.#open = all.slice(-LONGEST_TAG);
      return CARRIES_ANSWER;
    }
    this.#state = 'answer';
    this.#open = '';
    return this.#answering(all);
  }

  #thinking(text: string): number {
    const all = this.#open + text;
    const at = all.indexOf(this.#closing);
    if (at === -1) {
      this.#open = beginningOf(all, [this.#closing]);
      return CARRIES_REASONING;
    }
    this.#state = 'after';
    this.#open = '';
    return CARRIES_REASONING | this.#after(all.slice(at + this.#closing.length));
  }

  #after(text: string): number {
    if (text.trim() === '') return CARRIES_REASONING;
    this.#state = 'answer';
    // Only the first block is taken out: a second closing tag is text.
    this.#closing = ANSWERED;
    return CARRIES_ANSWER;
  }

  /** Templates that put the opening tag into the prompt leave the answer with a closing one only. */
  #answering(text: string): number {
    if (this.#closing === ANSWERED || (this.#open === '' && !MAY_CLOSE.test(text))) return CARRIES_ANSWER;
    const all = this.#open + text;
    for (const { closing } of THOUGHT_TAGS) {
      const at = all.indexOf(closing);
      if (at === -1) continue;
      this.#state = 'after';
      this.#open = '';
      return CARRIES_REASONING | THOUGHT_UNTIL_NOW | this.#after(all.slice(at + closing.length));
    }
    this.#open = beginningOf(all, CLOSINGS);
    return CARRIES_ANSWER;
  }
}

/** The end of a text that may be the beginning of one of these tags; '' if there is none. */
const beginningOf = (text: string, tags: readonly string[]): string => {
  for (let at = Math.max(0, text.length - LONGEST_TAG + 1); at < text.length; at += 1) {
    if (tags.some(tag => tag.startsWith(text.slice(at)))) return text.slice(at);
  }
  return '';
};

interface ThoughtTag {
  readonly opening: string;
  readonly closing: string;
}

/** DeepSeek, Qwen and most others; Mistral; Cohere; Kimi; Seed; gpt-oss if nothing parses its channels. */
const THOUGHT_TAGS: readonly ThoughtTag[] = [
  { opening: '<think>', closing: '</think>' },
  { opening: '<thinking>', closing: '</thinking>' },
  { opening: '<thought>', closing: '</thought>' },
  { opening: '<reasoning>', closing: '</reasoning>' },
  { opening: '[THINK]', closing: '[/THINK]' },
  { opening: '<|START_THINKING|>', closing: '<|END_THINKING|>' },
  { opening: '◁think▷', closing: '◁/think▷' },
  { opening: '<seed:think>', closing: '</seed:think>' },
  { opening: '<|channel|>analysis<|message|>', closing: '<|channel|>final<|message|>' },
];
const CLOSINGS: readonly string[] = THOUGHT_TAGS.map(({ closing }) => closing);
const MAY_CLOSE = /[<[◁]/;
const LONGEST_TAG: number = maximumOf(
  THOUGHT_TAGS.flatMap(({ opening, closing }) => [opening.length, closing.length]),
);
/** Not a tag. */
const ANSWERED = ' ';
