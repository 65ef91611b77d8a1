// What a source reports about a reading: a value, that it is unchanged, or that it could not be read.
// Payloads of events; reading.ts names the readings themselves.

import * as v from 'valibot';
import { type Infer, interval, openObject, type Schema, text } from '../schema.ts';

/** Payload of "<reading>.gathered". */
export interface Gathered<T> {
  /** The tool or interface that reported it: "procfs", "macmon 0.8", "nvidia-smi". */
  readonly source: string;
  /** How often the source reports, ms. */
  readonly intervalMs: number;
  readonly value: T;
}

/** The schema of `Gathered`; that of the value is `entries.value`. */
type GatheredSchema<T> = v.ObjectSchema<
  { readonly source: Schema<string>; readonly intervalMs: Schema<number>; readonly value: Schema<T> },
  undefined
>;

// @__NO_SIDE_EFFECTS__
export const gathered = <T>(value: Schema<T>): GatheredSchema<T> =>
  openObject({ source: text, intervalMs: interval, value });

/** The lists are open: a newer version has readings and vendors that this one does not have. */
const readingName: Schema<string> = v.pipe(v.string(), v.regex(/^[a-z][A-Za-z0-9]{0,39}$/));

const confirmation = { reading: readingName, vendor: readingName, source: text, intervalMs: interval };

export const readingConfirmedSchema = openObject(confirmation);

/** A durable reading was read again and has not changed: renews its age. */
export type ReadingConfirmed = Infer<typeof readingConfirmedSchema>;

const failure = {
  ...confirmation,
  reason: text,
  /** As in `Unknown`. */
  code: v.exactOptional(text),
};

export const readingFailedSchema = openObject(failure);

/**
 * The source failed: the previous value remains, and ages. Or (`reading.absent`) this machine has nothing of
 * the kind and will not have it while it runs: the previous value is void.
 */
export type ReadingFailed = Infer<typeof readingFailedSchema>;

export const readingStatusSchema = v.variant('kind', [
  openObject({ kind: v.literal('confirmed'), ...confirmation }),
  openObject({ kind: v.picklist(['failed', 'absent']), ...failure }),
]);

/** The newest of these in State: whether the source confirms a reading, or why it does not. */
export type ReadingStatus = Infer<typeof readingStatusSchema>;

/** Key of a reading within a node: "memory", "gpus nvidia". */
export const readingKey = ({
  reading,
  vendor,
}: {
  readonly reading: string;
  readonly vendor: string;
}): string => (vendor === 'none' ? reading : `${reading} ${vendor}`);
