// What a source reports about a reading: a value, that it is unchanged, or that it could not be read.
// Payloads of events; reading.ts names the readings themselves.

/** Payload of "<reading>.gathered". */
export interface Gathered<T> {
  /** The tool or interface that reported it: "procfs", "macmon 0.8", "nvidia-smi". */
  readonly source: string;
  /** How often the source reports, ms. */
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
 * The source failed: the previous value remains, and ages. Or (`reading.absent`) this machine has nothing of
 * the kind and will not have it while it runs: the previous value is void.
 */
export interface ReadingFailed extends ReadingConfirmed {
  readonly reason: string;
  /** As in `Unknown`. */
  readonly code?: string;
}

/** The newest of these in State: whether the source confirms a reading, or why it does not. */
export type ReadingStatus =
  | (ReadingConfirmed & { readonly kind: 'confirmed' })
  | (ReadingFailed & { readonly kind: 'failed' | 'absent' });

/** Key of a reading within a node: "memory", "gpus nvidia". */
export const readingKey = ({
  reading,
  vendor,
}: {
  readonly reading: string;
  readonly vendor: string;
}): string => (vendor === 'none' ? reading : `${reading} ${vendor}`);
