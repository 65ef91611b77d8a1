// A reply as the connection sends it: pieces of bytes, each with its time, and what follows the last one. Healthy
// replies and failures differ in nothing else.

import type { Expected } from '../failure.ts';

export interface Reply {
  /** One write each. Shared between replies: never changed. */
  readonly pieces: readonly Buffer[];
  readonly timeline: Timeline;
  readonly ending: Ending;
  /** The least time between two writes, even late ones: writes in one turn of the loop would arrive as one. */
  readonly apartMs: number;
  readonly stamps: Stamps | undefined;
  /** What a correct client reports. */
  readonly expected: Expected;
  readonly promptTokens: number;
}

/** What happens at each piece; of equal length. Shared like the pieces. */
export interface Timeline {
  /** Ms after the reply started; ascending. */
  readonly atMs: Float64Array;
  /** Output tokens in the piece. */
  readonly tokens: Uint32Array;
  /** Chunks with content that end in the piece. */
  readonly chunks: Uint32Array;
}

export type Ending =
  | { readonly kind: 'keep-alive' }
  /** FIN after everything was sent. */
  | { readonly kind: 'close' }
  /** RST; later than the last bytes, so they arrive. */
  | { readonly kind: 'reset'; readonly afterMs: number }
  /** Nothing more, the connection stays open. */
  | { readonly kind: 'silence' }
  /** The last piece again and again. */
  | { readonly kind: 'repeat'; readonly everyMs: number };

/** Where the times are written: offsets of the 20 digits of `readNs`, with those of `writeNs` at a fixed distance. */
export type Stamps =
  /** Every piece with content has one, at this distance from its end. */
  | { readonly kind: 'each'; readonly fromEnd: number }
  /** The pieces are cut from `whole`, and the stamps are at `at` in it, ascending. `whole` belongs to this reply. */
  | { readonly kind: 'whole'; readonly whole: Buffer; readonly at: readonly number[] };

export const COMPLETED: Expected = { outcome: 'completed' };
