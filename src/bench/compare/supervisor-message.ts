// The order that the supervisor of a server receives, and the messages that it returns.

import * as v from 'valibot';

/** The order, as JSON: not an argument, which every user of this machine can read. */
export const SUPERVISOR_VARIABLE = 'PLIMSOLL_KEPT_SERVER';

export interface SupervisorOrder {
  readonly command: string;
  readonly cwd: string;
  readonly log: string;
}

type SupervisorMessage =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'exited'; readonly reason: string };

export const supervisorOrderSchema: v.GenericSchema<unknown, SupervisorOrder> = v.object({
  command: v.string(),
  cwd: v.string(),
  log: v.string(),
});

export const supervisorMessageSchema: v.GenericSchema<unknown, SupervisorMessage> = v.variant('kind', [
  v.object({ kind: v.literal('started'), pid: v.number() }),
  v.object({ kind: v.literal('exited'), reason: v.string() }),
]);
