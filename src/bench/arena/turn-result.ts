// What a parse thread tells a load thread of a turn whose request has ended, through a port of their own: only who reads a reply
// knows whether it was right, when its stream had ended, and what it said.

export interface TurnResult {
  readonly sampleId: number;
  readonly sentNs: number;
  readonly endNs: number;
  readonly isCompleted: boolean;
  readonly answer: KeptAnswer;
}

export type KeptAnswer =
  /** Nobody goes on with it. */
  | { readonly kind: 'not-kept' }
  /** Fields of the answer's message in JSON, or the inside of the text that is its id; UTF-8. */
  | { readonly kind: 'kept'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The server keeps it, and told no id by which the next turn could go on with it. */
  | { readonly kind: 'no-id' }
  /** Longer than ANSWER_CHARACTERS_MAX. */
  | { readonly kind: 'too-long' };

/** The other way: records that may end a turn were written, so that nobody waits for the next look at the ring. */
export const LOOK = 0;
