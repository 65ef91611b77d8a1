// Why a placement is slower than the first one, in one line that a person can check.

import { formatNanoseconds } from '../figure/duration.ts';
import {
  counted,
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatBytesPerSecond,
} from '../figure/figure.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { PlacementHeadroom } from './placement-headroom.ts';
import { type CountedExchange, exchangeSeconds } from './placement-time.ts';
import type { PlacementTerm, PlacementTerms } from './step-time.ts';

export const whyBehind = (one: PlacementHeadroom, best: PlacementHeadroom): string => {
  const { fit, parts, decode } = one;
  if (fit.kind === 'does-not-fit' || (fit.kind === 'tight' && best.fit.kind === 'fits')) {
    const short = parts.find(part => part.fit === fit);
    const words = fit.kind === 'tight' ? 'may not fit: up to ' : 'does not fit: ';
    return `${words}${figureText(formatBytes(fit.missingBytes))} are missing on ${short?.place.name ?? 'a device'}`;
  }
  if (fit.kind === 'unknown' && best.fit.kind !== 'unknown')
    return `whether it fits is unknown: ${fit.reason}`;
  if (isUnknown(decode)) return `its speed is unknown: ${decode.reason}`;
  if (isUnknown(best.decode)) return '';
  const more = mostMore(decode.terms, best.decode.terms);
  if (more === undefined) return 'as fast, on more devices';
  switch (more.term) {
    case 'linkLatency':
    case 'linkBandwidth':
      return exchangeText(decode.exchanges[0], more.term);
    case 'overhead':
      return `${duration(more.seconds)} more overhead of the engine: ${decode.constants}`;
    case 'compute':
      return `${duration(more.seconds)} more of arithmetic`;
    default:
      return `${duration(more.seconds)} more for reading ${READ_WORDS[more.term]}: ${slowestText(one)}`;
  }
};

/** The term with the greatest additional cost; undefined if none costs more. */
const mostMore = (
  terms: PlacementTerms,
  best: PlacementTerms,
): { readonly term: PlacementTerm; readonly seconds: number } | undefined => {
  const found = TERMS.map(term => ({ term, seconds: terms[term] - best[term] })).reduce((a, b) =>
    b.seconds > a.seconds ? b : a,
  );
  return found.seconds > 0 ? found : undefined;
};

/** "160 exchanges per step × 210 µs over spark-1–spark-2 (Ethernet) = 34 ms" */
const exchangeText = (
  exchange: CountedExchange | undefined,
  term: 'linkLatency' | 'linkBandwidth',
): string => {
  if (exchange === undefined) return 'its devices wait for each other';
  const { count, each } = exchange;
  const seconds = exchangeSeconds(each).value;
  const where =
    each.way === undefined ? 'inside the machine' : `over ${each.way.name} (${each.way.typeName})`;
  const rate =
    term === 'linkBandwidth' && each.way !== undefined
      ? `, at ${figureText(formatBitsPerSecond(each.way.bytesPerSecond * 8))}`
      : '';
  return `${counted(count, 'exchange')} a step × ${duration(seconds)} ${where}${rate} = ${duration(count * seconds)}`;
};

const slowestText = ({ placement: { kind, stages }, parts }: PlacementHeadroom): string => {
  const rates = parts.map(({ place }) => ({
    name: place.name,
    rate: knownOr(place.ceiling, undefined)?.bytesPerSecond ?? 0,
  }));
  const slowest = rates.reduce((a, b) => (b.rate < a.rate ? b : a));
  const rate = figureText(formatBytesPerSecond(slowest.rate));
  if (kind === 'one') return `all of it passes one memory at ${rate}`;
  if (kind === 'tensor') return `${slowest.name} reads its part at ${rate}, and the others wait for it`;
  return `a token passes ${counted(stages.length, 'stage')} in turn, and ${slowest.name} reads at ${rate}`;
};

const duration = (seconds: number): string => figureText(formatNanoseconds(seconds * 1e9));

const TERMS: readonly PlacementTerm[] = [
  'weights',
  'experts',
  'cache',
  'compute',
  'overhead',
  'linkLatency',
  'linkBandwidth',
];
const READ_WORDS = { weights: 'weights', experts: 'experts', cache: 'the cache' } as const;
