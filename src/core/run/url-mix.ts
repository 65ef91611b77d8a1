// Several base URLs loaded in one run, each for a share of its requests or sessions. What came of each is told apart; the client
// that loads them is one.

import type { Unknown } from '../unknown.ts';

interface MixedUrl {
  /** Without credentials. */
  readonly url: string;
  /** Above 0, of the sum of all. */
  readonly weight: number;
  readonly serverKind: string | Unknown;
}

export type UrlMix = readonly MixedUrl[];

/** The target of a run, where there is room for a line. */
export const urlsText = (urls: readonly Pick<MixedUrl, 'url'>[]): string =>
  urls.map(({ url }) => url).join(', ');

/** Bound in docs/limits.md. */
export const MIXED_URLS_MAX = 16;
