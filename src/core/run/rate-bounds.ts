// How much the rates of a run may be off because of the client (docs/metrics.md "Error bounds"): counts are
// exact, and the window by which they are divided starts when the first request was stamped and ends when the
// last reply was read.

import * as v from 'valibot';
import { formatThreeDigits } from '../figure/figure.ts';
import { recordOf } from '../record-of.ts';
import { type Infer, openObject, orUnknown } from '../schema.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import {
  boundSchema,
  type ErrorBound,
  type RunBounds,
  type SeriesErrorBound,
  widestOf,
} from './event-record.ts';
import { RATE_KEYS, type RateKey, type ReportRates } from './run-rates.ts';

/** In the unit of each rate; for tokens of one user, that of the median. A rate that is not listed is unknown. */
export const rateBoundsSchema = openObject(
  recordOf(RATE_KEYS, () => v.exactOptional(orUnknown(boundSchema))),
);

export type RateBounds = Infer<typeof rateBoundsSchema>;

interface RateBoundSources {
  readonly rates: ReportRates;
  /** Unknown: no figure of the run has a bound. */
  readonly bounds: Reported<RunBounds>;
  readonly tpot:
    | { readonly percentiles: Readonly<Record<string, number>>; readonly errorBound?: SeriesErrorBound }
    | undefined;
}

export const rateBounds = (sources: RateBoundSources): Reported<RateBounds> => {
  const { bounds } = sources;
  return isUnknown(bounds) ? bounds : recordOf(RATE_KEYS, key => boundOf(key, sources, bounds));
};

/** "±0.021", in the unit of the rate; empty if unknown. */
export const rateBoundText = (bounds: Reported<RateBounds>, key: RateKey): string => {
  const bound = isUnknown(bounds) ? bounds : bounds[key];
  return bound === undefined || isUnknown(bound) ? '' : `±${formatThreeDigits(widestOf(bound))}`;
};

const boundOf = (
  key: RateKey,
  { rates, tpot }: RateBoundSources,
  { windowNs }: RunBounds,
): Reported<ErrorBound> => {
  switch (key) {
    case 'windowNs':
      return windowNs;
    case 'requestsPerSecond':
    case 'outputTokensPerSecond':
    case 'inputTokensPerSecond':
    case 'totalTokensPerSecond':
      return perSecondBound(rates[key], rates.windowNs, windowNs);
    case 'documentsPerSecond':
      return perSecondBound(rates[key] ?? unknown('it ranks nothing'), rates.windowNs, windowNs);
    case 'perUserTokensPerSecond':
      return perUserBound(tpot);
    case 'steadyStateWindowNs':
    case 'steadyStateRequestsPerSecond':
    case 'steadyStateOutputTokensPerSecond':
      return unknown('which requests belong to a plateau depends on when each was seen to end');
    case 'goodput':
    case 'goodOutputTokensPerSecond':
      return unknown('a request near a limit may have missed it by its error bound');
    default:
      return key satisfies never;
  }
};

/** The same count in a window that may be shorter by `above` and longer by `below`. */
const perSecondBound = (
  rate: number | Unknown,
  window: number | Unknown,
  { above, below }: ErrorBound,
): Reported<ErrorBound> => {
  if (isUnknown(rate)) return rate;
  if (isUnknown(window)) return window;
  if (above >= window) return unknown('the window may be shorter than its own error bound');
  return { above: (rate * below) / (window + below), below: (rate * above) / (window - above) };
};

const perUserBound = (tpot: RateBoundSources['tpot']): Reported<ErrorBound> => {
  const [tpotNs, bound] = [tpot?.percentiles['50'], tpot?.errorBound?.percentiles['50']];
  if (tpotNs === undefined) return unknown('no request has a time per output token');
  if (bound === undefined) return unknown('the time per output token has no bound');
  if (bound.above >= tpotNs) return unknown('the time per output token may be nothing but its error bound');
  const rate = 1e9 / tpotNs;
  return { above: rate - 1e9 / (tpotNs + bound.below), below: 1e9 / (tpotNs - bound.above) - rate };
};
