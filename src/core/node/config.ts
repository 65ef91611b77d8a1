// The part of a node's config.toml that other nodes may see: an allow-list, never the file.

import * as v from 'valibot';
import { pricesSchema } from '../run/run-cost.ts';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';

/** As allowed in config.toml: a node with an infinite limit would never be reported as missing. */
const silence = v.pipe(v.number(), v.minValue(1_000), v.maxValue(3_600_000));

export const nodeConfigSchema = openObject({
  /** Words, or "key=value". */
  tags: list(text),
  /** Location and kind of the machine, as a person wrote them; groups are made of them (core/group). */
  site: reported(text),
  rack: reported(text),
  machineKind: reported(text),
  ignoredInterfaces: list(text),
  staticPeerCount: count,
  /**
   * How long this node may be silent before others show it as stale, then offline. Missing: PRESENCE_LIMITS.
   */
  presence: v.exactOptional(openObject({ staleMs: silence, offlineMs: silence })),
  probes: openObject({
    isEnabled: v.boolean(),
    gpuTtlSeconds: figure,
    socketTtlSeconds: figure,
    rdmaTtlSeconds: figure,
  }),
  /** Whether it makes load for coordinators of the cluster, on targets that are listed there. */
  makesLoad: reported(v.boolean()),
  /** Names of the webhooks that it can send warnings to; never their URLs. */
  webhooks: reported(list(text)),
  /** Scheme, host and port of endpoints served on this node; never credentials or paths. */
  servedEndpoints: list(text),
  /** Of an hour of the machine, and of its electricity; missing if there are none. */
  prices: v.exactOptional(pricesSchema),
});

export type NodeConfig = Infer<typeof nodeConfigSchema>;
