// How values of options are read that several groups of options of a benchmark have: numbers, rates, durations, words.

import { type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import { nearest } from '../text/nearest.ts';

export const wholeNumberFrom =
  (min: number, max: number) =>
  (text: string): Parsed<number> => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? parsed(number)
      : wrong(
          `${JSON.stringify(text.slice(0, 40))} is not a whole number from ${min} to ${max}`,
          'Write digits alone, such as 64.',
        );
  };

export const requestRate = (text: string): Parsed<number> => {
  const number = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  return number >= RATE_MIN && number <= RATE_MAX
    ? parsed(number)
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is not a number from ${RATE_MIN} to ${RATE_MAX}`,
        'Write requests a second, such as 12.5.',
      );
};

export const duration =
  (minMs: number, maxMs: number) =>
  (text: string): Parsed<number> => {
    const result = parseDurationMs(text);
    if (result.kind === 'wrong' || (result.value >= minMs && result.value <= maxMs)) return result;
    return wrong(`${text} is out of range`, `It may be from ${minMs}ms to ${maxMs / 3_600_000}h.`);
  };

export const oneOf =
  <const T extends string>(...choices: readonly T[]) =>
  (text: string): Parsed<T> => {
    const choice = choices.find(candidate => candidate === text);
    if (choice !== undefined) return parsed(choice);
    const meant = nearest(text, choices);
    const problem = `${JSON.stringify(text.slice(0, 40))} is not one of ${choices.join(', ')}`;
    return wrong(problem, meant === undefined ? `Write ${choices.join(' or ')}.` : `Did you mean ${meant}?`);
  };

const RATE_MIN = 0.001;
const RATE_MAX = 1_000_000;
