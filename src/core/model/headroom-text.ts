// Headroom in words and columns, for terminals.

import { formatNanoseconds } from '../figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatBytesPerSecond,
  formatCount,
  formatThreeDigits,
} from '../figure/figure.ts';
import { inColumns } from '../text/columns.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import { CACHE_TYPES, cacheBytesPerToken } from './cache-bytes.ts';
import type { Headroom, PlaceHeadroom } from './headroom.ts';
import type { Fit } from './memory-need.ts';
import type { Interval, ModelFacts } from './model-facts.ts';
import type { StepTerm } from './step-time.ts';

export const headroomLines = ({ model, question, need, places }: Headroom): readonly string[] => [
  model.name,
  ...modelLines(model, question.cacheType),
  '',
  `With ${count(question.batch, 'sequence')} of ${formatCount(question.contextTokens)} tokens, cache in ${question.cacheType}, ${question.engine === 'other' ? 'any engine' : question.engine}:`,
  ...(isUnknown(need)
    ? [`  What it needs is unknown: ${need.reason}`]
    : [
        `  needs ${bytesText(need.totalBytes)}: weights ${bytesText(need.weightBytes)}, cache ${bytesText(need.cacheBytes)}, reserve ${bytesText(need.reserveBytes)}`,
      ]),
  ...places.flatMap(place => ['', ...placeLines(place, question.batch)]),
];

const modelLines = (model: ModelFacts, cacheType: Headroom['question']['cacheType']): readonly string[] => {
  const { architecture, layers, quantisation, weights, cache, experts, contextMax, notes } = model;
  const rows: (readonly [string, string])[] = [
    ['architecture', told(architecture, String)],
    ['layers', told(layers, formatCount)],
    ['weights', told(quantisation, String)],
    ['in memory', told(weights, ({ totalBytes }) => bytesText(totalBytes))],
    ['read a token', told(weights, ({ denseBytes }) => bytesText(denseBytes))],
  ];
  if (experts !== undefined)
    rows.push([
      'experts',
      told(
        experts,
        ({ used, count: all }) =>
          `${used} of ${all} a token, ${told(weights, ({ expertBytes }) => bytesText(expertBytes))} in all`,
      ),
    ]);
  rows.push(
    [
      'cache',
      told(
        cache,
        facts => `${formatCount(cacheBytesPerToken(facts, CACHE_TYPES[cacheType]))} bytes a token of context`,
      ),
    ],
    ['context', told(contextMax, tokens => `${formatCount(tokens)} tokens at most`)],
  );
  return [...inColumns(rows), ...notes.map(note => `  note: ${note}`)];
};

const placeLines = (
  { place, fit, contextThatFits, decode, prefill }: PlaceHeadroom,
  batch: number,
): readonly string[] => {
  const ceiling = isUnknown(place.ceiling)
    ? ''
    : `, ${figureText(formatBytesPerSecond(place.ceiling.bytesPerSecond))}${place.ceiling.isMeasured ? ' measured' : ' by its data sheet'}`;
  const lines = [`${place.name} (${place.deviceName}${ceiling})`, `  ${fitWords(fit, contextThatFits)}`];
  if (isUnknown(decode)) lines.push(`  decode unknown: ${decode.reason}`);
  else {
    const { expectedTokensPerSecond: expected, boundTokensPerSecond, terms, limit, constants } = decode;
    lines.push(
      `  decode   bound ${rate(boundTokensPerSecond)} tok/s, expected ${rate(expected.value)} (${rate(expected.low)} to ${rate(expected.high)})${batch > 1 ? ' in all' : ''}; limited by ${LIMIT_WORDS[limit]}`,
      `           ${Object.entries(TERM_WORDS)
        .map(([term, words]) => [words, terms[isTerm(term) ? term : 'weights']] as const)
        .filter(([, seconds]) => seconds > 0)
        .map(([words, seconds]) => `${words} ${duration(seconds)}`)
        .join(' + ')}`,
      `           constants of ${constants}${decode.errorShare === undefined ? ', not fitted' : `, off by ${rate(decode.errorShare * 100)} % where they were fitted`}`,
    );
  }
  if (isUnknown(prefill)) lines.push(`  prefill  unknown: ${prefill.reason}`);
  else
    lines.push(
      `  prefill  bound ${duration(prefill.boundSeconds)} (16-bit ceiling), expected ${duration(prefill.expectedSeconds.value)} (${duration(prefill.expectedSeconds.low)} to ${duration(prefill.expectedSeconds.high)})`,
    );
  return lines;
};

const fitWords = (fit: Fit | Unknown, context: number | undefined): string => {
  const room =
    context === undefined || context === 0 ? '' : `; up to ${formatCount(context)} tokens of context fit`;
  switch (fit.kind) {
    case 'unknown':
      return `whether it fits is unknown: ${fit.reason}`;
    case 'fits':
      return `fits, ${figureText(formatBytes(fit.freeBytes))} stay free${room}`;
    case 'tight':
      return `may not fit: up to ${figureText(formatBytes(fit.missingBytes))} are missing${room}`;
    case 'does-not-fit':
      return context === 0
        ? `does not fit: ${figureText(formatBytes(fit.missingBytes))} are missing, and less context does not help`
        : `does not fit: ${figureText(formatBytes(fit.missingBytes))} are missing${room}`;
    default:
      return fit satisfies never;
  }
};

const told = <T>(value: T | Unknown, words: (known: T) => string): string =>
  isUnknown(value) ? `unknown: ${value.reason}` : words(value);

const bytesText = ({ low, high }: Interval): string =>
  low === high
    ? figureText(formatBytes(low))
    : `${figureText(formatBytes(low))} to ${figureText(formatBytes(high))}`;

const rate = (perSecond: number): string => formatThreeDigits(perSecond);
const duration = (seconds: number): string => figureText(formatNanoseconds(seconds * 1e9));
const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const isTerm = (text: string): text is StepTerm => text in TERM_WORDS;

const TERM_WORDS: Readonly<Record<StepTerm, string>> = {
  weights: 'weights',
  experts: 'experts',
  cache: 'cache',
  compute: 'compute',
  overhead: 'overhead',
};
const LIMIT_WORDS: Readonly<Record<StepTerm, string>> = {
  weights: 'reading weights',
  experts: 'reading experts',
  cache: 'reading the cache',
  compute: 'compute',
  overhead: "the engine's overhead, not the device",
};
