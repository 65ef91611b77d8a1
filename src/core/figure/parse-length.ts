// Token counts as people write them on a command line: a number, a range, a distribution, a weighted list, or
// a histogram's file, which code with access to files reads.

import { LENGTH_MAX, type LengthBin, type LengthDistribution } from '../statistics/length-distribution.ts';
import { nearest } from '../text/nearest.ts';
import { type Parsed, parsed, wrong } from './parse-figure.ts';

/** As it was written; a file is not read yet. */
export type LengthRequest = LengthDistribution | { readonly kind: 'file'; readonly path: string };

/** "256", "50..200", "normal(1024,200)", "lognormal(1024,500)", "zipf(1.1,4096)", "128:60,512:30", "file:HIST.json". */
export const parseLength = (text: string): Parsed<LengthRequest> => {
  const given = text.trim();
  if (given.startsWith(FILE_MARK)) {
    const path = given.slice(FILE_MARK.length);
    return path === ''
      ? wrong('file: names no file', 'Write file:HIST.json.')
      : parsed({ kind: 'file', path });
  }
  const call = /^([a-z]+)\s*\(([^()]*)\)$/i.exec(given);
  if (call !== null) return parseCall(call[1] ?? '', call[2] ?? '');
  if (given.includes(':')) return parseWeights(given);
  const bin = parseRange(given);
  if (bin.kind === 'wrong') return bin;
  const { min, max } = bin.value;
  return parsed(min === max ? { kind: 'fixed', value: min } : { kind: 'uniform', min, max });
};

const parseCall = (given: string, list: string): Parsed<LengthDistribution> => {
  const name = given.toLowerCase();
  const [first = Number.NaN, second = Number.NaN, ...more] = list.split(',').map(numberOf);
  switch (name) {
    case 'normal':
    case 'lognormal':
      if (more.length > 0 || !(first >= 1 && first <= LENGTH_MAX && second >= 0 && second <= LENGTH_MAX)) {
        return wrong(
          `${name}(${list.slice(0, SHOWN)}) is not a mean from 1 to ${LENGTH_MAX} and a standard deviation`,
          `Write both in tokens: ${name}(1024,200).`,
        );
      }
      return parsed({ kind: name, mean: first, deviation: second });
    case 'zipf':
      if (more.length > 0 || !(first > 0 && first <= EXPONENT_MAX && isLength(second))) {
        return wrong(
          `zipf(${list.slice(0, SHOWN)}) is not an exponent up to ${EXPONENT_MAX} and a greatest length`,
          'Write them in this order: zipf(1.1,4096).',
        );
      }
      return parsed({ kind: 'zipf', exponent: first, max: second });
    default: {
      const meant = nearest(name, CALLS);
      return wrong(
        `there is no distribution ${JSON.stringify(given.slice(0, SHOWN))}`,
        meant === undefined ? `Use one of ${CALLS.join(', ')}.` : `Did you mean ${meant}(${list})?`,
      );
    }
  }
};

const parseWeights = (text: string): Parsed<LengthDistribution> => {
  const bins: LengthBin[] = [];
  for (const item of text.split(',')) {
    const [length = '', share = '', ...more] = item.split(':');
    const range = parseRange(length.trim());
    if (range.kind === 'wrong') return range;
    const weight = numberOf(share);
    if (more.length > 0 || !(weight >= 0 && weight <= WEIGHT_MAX)) {
      return wrong(
        `${JSON.stringify(item.slice(0, SHOWN))} is not a length and its weight`,
        'Write lengths with their weights: 128:60,512:30,2048:10.',
      );
    }
    bins.push({ ...range.value, weight });
  }
  return weighted(bins);
};

/** Checks bins from any source. */
export const weighted = (bins: readonly LengthBin[]): Parsed<LengthDistribution> => {
  if (bins.length > LENGTH_BINS_MAX)
    return wrong(`there are more than ${LENGTH_BINS_MAX} weights`, 'Put neighbouring lengths together.');
  return bins.some(({ weight }) => weight > 0)
    ? parsed({ kind: 'weighted', bins })
    : wrong('no length has a weight above 0', 'Give one of them a weight: 128:1.');
};

const parseRange = (text: string): Parsed<Pick<LengthBin, 'min' | 'max'>> => {
  const [, from, to] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  const min = Number(from);
  const max = Number(to ?? from);
  if (from === undefined) {
    return wrong(
      `${JSON.stringify(text.slice(0, SHOWN))} is not a number of tokens`,
      'Write a number such as 256, a range such as 50..200, or a distribution such as normal(1024,200).',
    );
  }
  if (!isLength(min) || !isLength(max))
    return wrong(`${text} is out of range`, `It may be from 1 to ${LENGTH_MAX} tokens.`);
  return min <= max
    ? parsed({ min, max })
    : wrong(`${text} ends before it begins`, `Did you mean ${max}..${min}?`);
};

export const isLength = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= LENGTH_MAX;

/** NaN if the text is not a number. */
const numberOf = (text: string): number =>
  /^\d{1,9}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : Number.NaN;

const FILE_MARK = 'file:';
const CALLS = ['normal', 'lognormal', 'zipf'] as const;
const EXPONENT_MAX = 10;
export const WEIGHT_MAX = 1e9;
export const LENGTH_BINS_MAX = 4_096;
const SHOWN = 40;
