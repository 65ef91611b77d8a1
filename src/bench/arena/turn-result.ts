// What a parse thread reports to a load thread about a turn whose request has ended, through their own port: only the
// thread that reads a reply can determine whether it was valid, when its stream ended, and what it contained.

export interface TurnResult {
  readonly sampleId: number;
  readonly sentNs: number;
  readonly endNs: number;
  readonly isCompleted: boolean;
  readonly answer: KeptAnswer;
}

export type KeptAnswer =
  /** No later turn continues it. */
  | { readonly kind: 'not-kept' }
  /** Fields of the answer's message in JSON, or the inside of the text that is its id; UTF-8. */
  | { readonly kind: 'kept'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The server stores it, but returned no id with which the next turn could continue it. */
  | { readonly kind: 'no-id' }
  /** Longer than ANSWER_CHARACTERS_MAX. */
  | { readonly kind: 'too-long' };

/**
 * The other direction: records that may end a turn were written, so the reader need not wait for its next look at the
 * ring.
 */
export const LOOK = 0;
