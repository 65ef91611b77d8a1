// Speculative decoding as a result: what was accepted, by position in a draft from the server's counters, and how the time per output
// token goes with what each request accepted. That is a correlation: text that is easy to guess may be easy in other ways too.

import * as v from 'valibot';
import { count, figure, type Infer, openObject, reported } from '../schema.ts';
import { BoundedSpread, spreadFiguresSchema } from '../statistics/bounded-spread.ts';
import { rankCorrelation } from '../statistics/rank-correlation.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { ACCEPTED_AT } from './server-reading.ts';
import type { ServerEvidence } from './server-tally.ts';

export const speculationSchema = openObject({
  /** Of the tokens that were drafted for all clients of the server during the run. */
  acceptedShare: reported(figure),
  /** Tokens of a step that verified a draft: those that it accepted, and one of its own. */
  acceptanceLength: reported(figure),
  /** Empty if the server does not count by position. */
  byPosition: v.pipe(
    v.array(
      openObject({
        /** In a draft, from 1. */
        position: count,
        /** Of all drafts, also those that were shorter: the share whose token here was accepted. */
        ofDrafts: figure,
        /** Of the drafts of which every token before was accepted. */
        ofReached: reported(figure),
      }),
    ),
    v.maxLength(ACCEPTED_AT.length),
  ),
  /** Completed requests in three parts of about equal size by their tokens per step, with equal ones together. */
  byTercile: reported(
    v.pipe(
      v.array(openObject({ from: figure, to: figure, count, tpotNs: spreadFiguresSchema })),
      v.maxLength(3),
    ),
  ),
  /** Spearman's rank correlation of tokens per step and time per output token: −1 to 1. */
  tpotCorrelation: reported(figure),
});

export type Speculation = Infer<typeof speculationSchema>;

/** Completed requests whose replies report draft tokens: every one, or evenly every nth of many. */
export class SpeculationTally {
  #pairs: SpeculationPair[] = [];
  #seen = 0;
  /** Every how many are stored. */
  #stride = 1;
  readonly #pairsMax: number;

  constructor(pairsMax: number = PAIRS_STORED_MAX) {
    this.#pairsMax = pairsMax;
  }

  get pairs(): readonly SpeculationPair[] {
    return this.#pairs;
  }

  ended(pair: SpeculationPair): void {
    if (this.#seen % this.#stride === 0) this.#pairs.push(pair);
    this.#seen += 1;
    if (this.#pairs.length <= this.#pairsMax) return;
    this.#pairs = this.#pairs.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }
}

interface SpeculationPair {
  readonly tokensPerStep: number;
  readonly tpotNs: number;
}

/**
 * undefined: neither the server nor a reply reports a draft.
 * @param pairs undefined: no reply does
 */
export const speculationOf = (
  server: Reported<ServerEvidence>,
  pairs: readonly SpeculationPair[] | undefined,
): Speculation | undefined => {
  const byServer = isUnknown(server)
    ? { acceptedShare: server, acceptanceLength: server, byPosition: [] }
    : ofServer(server);
  if (pairs === undefined && isUnknown(byServer.acceptedShare) && isUnknown(byServer.acceptanceLength))
    return undefined;
  return { ...byServer, ...ofPairs(pairs) };
};

const ofServer = ({
  figures,
}: ServerEvidence): Pick<Speculation, 'acceptedShare' | 'acceptanceLength' | 'byPosition'> => {
  const steps = figures.drafts?.rose ?? 0;
  const drafted = figures.draftedTokens?.rose ?? 0;
  const accepted = figures.acceptedTokens?.rose;
  return {
    acceptedShare: accepted === undefined || drafted <= 0 ? gauge(figures.acceptedShare) : accepted / drafted,
    acceptanceLength:
      accepted === undefined || steps <= 0 ? gauge(figures.acceptanceLength) : 1 + accepted / steps,
    byPosition: steps <= 0 ? [] : byPosition(figures, steps),
  };
};

/** SGLang publishes 0 without speculative decoding, and before its first draft. */
const gauge = (summary: ServerEvidence['figures']['acceptedShare']): Reported<number> =>
  summary === undefined || summary.max <= 0 ? UNREPORTED : summary.mean;

const byPosition = (figures: ServerEvidence['figures'], steps: number): Speculation['byPosition'] =>
  ACCEPTED_AT.flatMap((key, index) => {
    const accepted = figures[key]?.rose;
    if (accepted === undefined) return [];
    const before = ACCEPTED_AT[index - 1];
    const reached = before === undefined ? steps : (figures[before]?.rose ?? 0);
    return [
      {
        position: index + 1,
        ofDrafts: accepted / steps,
        ofReached: reached > 0 ? accepted / reached : unknown('no draft was accepted up to it'),
      },
    ];
  });

const ofPairs = (
  pairs: readonly SpeculationPair[] | undefined,
): Pick<Speculation, 'byTercile' | 'tpotCorrelation'> => {
  if (pairs === undefined || pairs.length < PAIRS_NEEDED) {
    const why = pairs === undefined ? UNREPORTED_BY_REPLIES : TOO_FEW;
    return { byTercile: why, tpotCorrelation: why };
  }
  const [steps, times] = [pairs.map(pair => pair.tokensPerStep), pairs.map(pair => pair.tpotNs)];
  return {
    byTercile: terciles(pairs),
    tpotCorrelation: rankCorrelation(steps, times, pairs.length) ?? unknown('they do not vary'),
  };
};

const terciles = (pairs: readonly SpeculationPair[]): Speculation['byTercile'] => {
  const sorted = pairs.toSorted((one, other) => one.tokensPerStep - other.tokensPerStep);
  const edge = (third: number): number => sorted[Math.floor((third * sorted.length) / 3)]?.tokensPerStep ?? 0;
  const [low, high] = [edge(1), edge(2)];
  const parts = [
    sorted.filter(({ tokensPerStep }) => tokensPerStep < low),
    sorted.filter(({ tokensPerStep }) => tokensPerStep >= low && tokensPerStep < high),
    sorted.filter(({ tokensPerStep }) => tokensPerStep >= high),
  ];
  const rows = parts.flatMap(part => {
    const spread = new BoundedSpread();
    for (const { tpotNs } of part) spread.add(tpotNs);
    const tpotNs = spread.figures();
    const [first, last] = [part[0], part.at(-1)];
    return tpotNs === undefined || first === undefined || last === undefined
      ? []
      : [{ from: first.tokensPerStep, to: last.tokensPerStep, count: part.length, tpotNs }];
  });
  return rows.length < parts.length ? unknown('too many requests have equal tokens per step') : rows;
};

const UNREPORTED = unknown('not reported by the server');
const UNREPORTED_BY_REPLIES = unknown('replies do not report draft tokens');
/** Ten in each part. */
const PAIRS_NEEDED = 30;
const TOO_FEW = unknown(`fewer than ${PAIRS_NEEDED} requests have a time per output token and draft tokens`);
/** Two figures each. Limit in docs/limits.md. */
const PAIRS_STORED_MAX = 65_536;
