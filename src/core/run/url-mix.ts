// Several base URLs loaded in one run, each with a share of its requests or sessions. Their results are
// reported separately; the client that loads them is one.

import type { Unknown } from '../unknown.ts';

interface MixedUrl {
  /** Without credentials. */
  readonly url: string;
  /** Above 0, of the sum of all. */
  readonly weight: number;
  readonly serverKind: string | Unknown;
}

export type UrlMix = readonly MixedUrl[];

/** The target of a run on one line. */
export const urlsText = (urls: readonly Pick<MixedUrl, 'url'>[]): string =>
  urls.map(({ url }) => url).join(', ');

/** Listed in docs/limits.md. */
export const MIXED_URLS_MAX = 16;
