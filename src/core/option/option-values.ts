// How values of options are read that several groups of options of a benchmark have: numbers, rates, durations, words.

import * as v from 'valibot';
import { type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import { nearest } from '../text/nearest.ts';

/** A reader of texts, and what they are as JSON. */
interface ValueReader<T> {
  (text: string): Parsed<T>;
  readonly schema: v.GenericSchema;
}

const asJson = <T>(schema: v.GenericSchema, read: (text: string) => Parsed<T>): ValueReader<T> =>
  Object.assign(read, { schema });

export const wholeNumberFrom = (min: number, max: number): ValueReader<number> =>
  asJson(v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)), text => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? parsed(number)
      : wrong(
          `${JSON.stringify(text.slice(0, 40))} is not a whole number from ${min} to ${max}`,
          'Write digits alone, such as 64.',
        );
  });

/** With a decimal point or without. @param what it is called: "number" */
export const decimalFrom = (
  min: number,
  max: number,
  { advice, what = 'number' }: { readonly advice: string; readonly what?: string },
): ValueReader<number> =>
  asJson(v.pipe(v.number(), v.minValue(min), v.maxValue(max)), text => {
    const number = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max
      ? parsed(number)
      : wrong(`${JSON.stringify(text.slice(0, 40))} is not a ${what} from ${min} to ${max}`, advice);
  });

export const requestRate: ValueReader<number> = decimalFrom(0.001, 1_000_000, {
  advice: 'Write requests a second, such as 12.5.',
});

export const duration = (minMs: number, maxMs: number): ValueReader<number> => {
  const range = `It may be from ${minMs}ms to ${maxMs / 3_600_000}h.`;
  return asJson(v.pipe(v.string(), v.title(`A duration, such as 500ms, 30s or 2m. ${range}`)), text => {
    const result = parseDurationMs(text);
    if (result.kind === 'wrong' || (result.value >= minMs && result.value <= maxMs)) return result;
    return wrong(`${text} is out of range`, range);
  });
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
