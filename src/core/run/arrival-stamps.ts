// Who takes the timestamps of a run's replies, and why. It is chosen before the first request.

import * as v from 'valibot';
import { type Infer, longText, openObject } from '../schema.ts';
import { isUnknown, type Reported } from '../unknown.ts';

export const arrivalStampsSchema = v.variant('by', [
  openObject({ by: v.literal('kernel') }),
  /** Node's sockets: as late as the load thread reads. */
  openObject({ by: v.literal('read'), reason: longText }),
]);

export type ArrivalStamps = Infer<typeof arrivalStampsSchema>;

/** Then no lateness of this client is part of a latency: only its sends can be late. */
export const isByKernel = (stamps: Reported<ArrivalStamps>): boolean =>
  !isUnknown(stamps) && stamps.by === 'kernel';

export const stampsText = (stamps: Reported<ArrivalStamps>): string => {
  if (isUnknown(stamps)) return `unknown: ${stamps.reason}`;
  return stamps.by === 'kernel' ? 'by the kernel' : `by the read, not by the kernel: ${stamps.reason}`;
};
