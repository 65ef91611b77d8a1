// How often and how much is measured: settings of config.toml, and constants.

import type { Connection } from '../../core/link/connection.ts';
import type { ProbeBudget } from '../link-engine.ts';

export interface ProbeSettings {
  /** False: nothing starts here, and no lease is given to others. */
  readonly isEnabled: boolean;
  readonly gpuTtlMs: number;
  readonly socketTtlMs: number;
  readonly rdmaTtlMs: number;
  /** Share of an interface's time, 0..0.5. */
  readonly bandwidthShare: number;
  /** Payload of bandwidth probes on one interface. */
  readonly bytesPerHourMax: number;
}

type ProbeKind = 'gpu' | 'socket' | 'rdma';

export const ttlMsOf = (kind: ProbeKind, settings: ProbeSettings): number => {
  switch (kind) {
    case 'gpu':
      return settings.gpuTtlMs;
    case 'socket':
      return settings.socketTtlMs;
    case 'rdma':
      return settings.rdmaTtlMs;
    default:
      return kind satisfies never;
  }
};

/** Payload of both directions of one probe. */
export const BUDGET_BYTES_MAX = 24_000_000_000;

/** How often state is compared with what is desired. */
export const RECONCILE_TICK_MS = 15_000;

/** A probe that has not ended by then is stopped. Device: first runs compile kernels for seconds. */
export const DEADLINE_MS: Readonly<Record<ProbeKind, number>> = {
  gpu: 120_000,
  socket: 30_000,
  rdma: 90_000,
};

/** A lease ends this long after the deadline of its probe, regardless of what the source reports. */
export const LEASE_SLACK_MS = 5_000;

/** How long the figures last that a probe measures only then: an all-reduce and a queue under load. */
export const EXTRAS_TTL_MS = 3_600_000;

/** For one probe; the measurement itself ends sooner, once its figure is stable. */
export const budgetOf = ({ kind, type }: Connection): Omit<ProbeBudget, 'measuresExtras'> => {
  if (kind === 'rdma') return { bytesMax: BUDGET_BYTES_MAX, durationMsMax: 60_000 };
  // Traffic over an overlay may be metered, or carried by a third party's relay.
  const bytesMax = type === 'overlay' ? 128 * 1024 * 1024 : BUDGET_BYTES_MAX;
  return { bytesMax, durationMsMax: 20_000 };
};

/** Concurrent link probes that involve this node, on any interface: each costs a core at both ends. */
export const LINK_PROBES_MAX = 4;
