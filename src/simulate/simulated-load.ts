// What a simulated device or connection reaches while it is kept busy: the figures of its profile, in runs as a real one reports them.

import { DEVICE_MEASURES } from '../core/node/gpu-profile.ts';
import { type Load, SENT_RATE } from '../core/probe/load.ts';
import type { ProbeSubject } from '../core/probe/probe-status.ts';
import { isKnown, unknown } from '../core/unknown.ts';
import type { Probed } from './probing.ts';

interface LoadOptions {
  readonly subject: ProbeSubject;
  /** Why it is not loaded. */
  readonly idle: string | undefined;
  readonly durationMs: number;
  readonly nowMs: number;
}

export const simulatedLoad = (
  probed: Probed | undefined,
  { subject, idle, durationMs, nowMs }: LoadOptions,
): Load => {
  if (probed === undefined || idle !== undefined) return { kind: 'idle', subject, reason: idle ?? '' };
  // Each load has figures of its own.
  const profile = probed.profile(FIRST_LOAD + Math.floor(nowMs), nowMs);
  const runMs = durationMs / RUNS;
  const starts = Array.from({ length: RUNS }, (_, run) => run * runMs);
  const common = { kind: 'loaded', subject, fromMs: 0, toMs: durationMs } as const;
  if (profile.kind === 'link.profiled') {
    const { uploadBitsPerSecond: value } = profile.payload;
    if (!isKnown(value)) return { kind: 'idle', subject, reason: value.reason };
    return {
      ...common,
      figures: starts.map(fromMs => ({ figure: SENT_RATE, fromMs, toMs: fromMs + runMs, value })),
      bytes: Math.round((value / 8) * (durationMs / 1_000)),
      retransmits: 0,
    };
  }
  if (profile.kind !== 'gpu.profiled') return { kind: 'idle', subject, reason: 'it was never measured' };
  const { payload } = profile;
  return {
    ...common,
    figures: DEVICE_MEASURES.flatMap(({ figure }) => {
      const value = payload[figure];
      return isKnown(value) ? [{ figure, fromMs: 0, toMs: durationMs, value }] : [];
    }),
    bytes: 0,
    retransmits: unknown('a device'),
  };
};

const RUNS = 4;
/** Beyond the attempts of requested probes. */
const FIRST_LOAD = 1_000_000;
