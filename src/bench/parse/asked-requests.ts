// What a parse thread must know of the requests to see that a reply is not quite one to them.

import type { RequestBodies } from '../target/request-bodies.ts';

export interface AskedRequests {
  /** That is asked for; '': none in particular. */
  readonly model: string;
  /** The first sample of the measured phase. */
  readonly measuredFrom: number;
  /** Bodies that the measured phase goes through, again and again. */
  readonly bodies: number;
  /** Uint8, one a body: 1 where an earlier one is the same. Undefined: each request is made unique. */
  readonly repeats: SharedArrayBuffer | undefined;
}

export const askedRequests = ({
  model,
  bodies,
  warmupRequests,
}: {
  readonly model: string;
  readonly bodies: RequestBodies;
  readonly warmupRequests: number;
}): AskedRequests => ({
  model,
  measuredFrom: warmupRequests,
  bodies: bodies.measured,
  repeats: bodies.repeats,
});

/** Whether the very same bytes were sent before in the measured phase. */
export const isRepeatedRequest = (
  { measuredFrom, bodies }: AskedRequests,
  repeats: Uint8Array | undefined,
  sampleId: number,
): boolean => {
  const number = sampleId - measuredFrom;
  return repeats !== undefined && number >= 0 && (number >= bodies || repeats[number] === 1);
};
