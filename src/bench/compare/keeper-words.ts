// What the keeper of a server is told, and what it tells.

import * as v from 'valibot';

/** The order, as JSON: not an argument, which every user of this machine can read. */
export const KEEPER_VARIABLE = 'PLIMSOLL_KEPT_SERVER';

export interface KeeperOrder {
  readonly command: string;
  readonly cwd: string;
  readonly log: string;
}

type KeeperWord =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'exited'; readonly reason: string };

export const keeperOrderSchema: v.GenericSchema<unknown, KeeperOrder> = v.object({
  command: v.string(),
  cwd: v.string(),
  log: v.string(),
});

export const keeperWordSchema: v.GenericSchema<unknown, KeeperWord> = v.variant('kind', [
  v.object({ kind: v.literal('started'), pid: v.number() }),
  v.object({ kind: v.literal('exited'), reason: v.string() }),
]);
