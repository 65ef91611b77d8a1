// The order that the supervisor of a server receives, and the messages that it returns.

import * as v from 'valibot';
import type { Infer } from '../../core/schema.ts';

/** The order, as JSON: not an argument, which every user of this machine can read. */
export const SUPERVISOR_VARIABLE = 'PLIMSOLL_KEPT_SERVER';

export const supervisorOrderSchema = v.object({
  command: v.string(),
  cwd: v.string(),
  log: v.string(),
});

export type SupervisorOrder = Infer<typeof supervisorOrderSchema>;

export const supervisorMessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('started'), pid: v.number() }),
  v.object({ kind: v.literal('exited'), reason: v.string() }),
]);
