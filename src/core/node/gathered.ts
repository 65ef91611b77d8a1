// What a source reports about a reading: its value, that it still holds, or that it could not be read. Payloads of events;
// reading.ts names the readings themselves.

/** Payload of "<reading>.gathered". */
export interface Gathered<T> {
  /** The tool or interface that reported it: "procfs", "macmon 0.8", "nvidia-smi". */
  readonly source: string;
  /** How often the source reports, in ms. */
  readonly intervalMs: number;
  readonly value: T;
}

/** A durable reading was read again and has not changed: renews its age. */
export interface ReadingConfirmed {
  readonly reading: string;
  readonly vendor: string;
  readonly source: string;
  readonly intervalMs: number;
}

/**
 * The source failed: the previous value stays, and ages. Or (`reading.absent`) this machine has nothing of the kind and
 * never will while it runs: the previous value is void.
 */
export interface ReadingFailed extends ReadingConfirmed {
  readonly reason: string;
  /** As of `Unknown`. */
  readonly code?: string;
}

/** What is held of the newest of these: whether the source of a reading confirms it, or why it does not. */
export type ReadingStatus =
  | (ReadingConfirmed & { readonly kind: 'confirmed' })
  | (ReadingFailed & { readonly kind: 'failed' | 'absent' });

/** Names a reading of one node: "memory", "gpus nvidia". */
export const readingKey = ({
  reading,
  vendor,
}: {
  readonly reading: string;
  readonly vendor: string;
}): string => (vendor === 'none' ? reading : `${reading} ${vendor}`);
