// Sentences of ours about names from others. A person reads one text; a language model gets the sentence and
// the values separately, so that no name can pass as a part of the sentence.

import { pushAll } from '../push-all.ts';

/** `parts` are ours, one more than `values`, which are between them. */
export interface Sentence {
  readonly parts: readonly string[];
  readonly values: readonly string[];
}

/**
 * For templates: sentence`${name} is silent`. A string is a foreign value, a number and another sentence are
 * part of this one.
 */
export const sentence = (
  template: TemplateStringsArray,
  ...given: readonly (string | number | Sentence)[]
): Sentence => {
  const parts = [template[0] ?? ''];
  const values: string[] = [];
  const goOn = (text: string): void => void parts.push(`${parts.pop() ?? ''}${text}`);
  for (const [index, one] of given.entries()) {
    if (typeof one === 'number') goOn(String(one));
    else if (typeof one === 'string') {
      values.push(one);
      parts.push('');
    } else {
      goOn(one.parts[0] ?? '');
      pushAll(parts, one.parts.slice(1));
      pushAll(values, one.values);
    }
    goOn(template[index + 1] ?? '');
  }
  return { parts, values };
};

/** Text that no other machine, tool or person has chosen. */
export const plainSentence = (text: string): Sentence => ({ parts: [text], values: [] });

/** As a person reads it. */
export const sentenceText = ({ parts, values }: Sentence): string =>
  parts.reduce((text, part, index) => `${text}${values[index - 1] ?? ''}${part}`);

/** "{0} is silent", with our own braces doubled. */
export const sentenceTemplate = ({ parts }: Sentence): string =>
  parts
    .map(part => part.replace(/[{}]/g, '$&$&'))
    .reduce((text, part, index) => `${text}{${index - 1}}${part}`);

/**
 * Splits a finished text: occurrences of these names become values. Names of fewer than three characters are
 * too short to detect.
 */
export const partedSentence = (text: string, names: Iterable<string>): Sentence => {
  const known = [...new Set(names)]
    .filter(name => name.length >= NAME_LENGTH_MIN)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, NAMES_MAX);
  if (known.length === 0) return plainSentence(text);
  const pattern = new RegExp(known.map(name => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'gu');
  const values = [...text.matchAll(pattern)].map(([name]) => name);
  return { parts: text.split(pattern), values };
};

/**
 * Every text somewhere in a data value: what a sentence about it may contain from others. Without single
 * short words: many are ours ("chat", "complete"), and none can pass as a sentence.
 */
export const textsIn = (value: unknown): readonly string[] => {
  const found: string[] = [];
  const open: unknown[] = [value];
  for (let visits = 0; visits < VISITS_MAX && open.length > 0; visits += 1) {
    const one = open.pop();
    if (typeof one === 'string') {
      if (!SHORT_WORD.test(one)) found.push(one);
    } else if (typeof one === 'object' && one !== null)
      pushAll(open, Object.values(one).slice(0, VISITS_MAX));
  }
  return found;
};

const SHORT_WORD = /^[a-z]{0,12}$/;
const NAME_LENGTH_MIN = 3;
/** More than any sentence refers to. */
const NAMES_MAX = 512;
const VISITS_MAX = 4_096;
