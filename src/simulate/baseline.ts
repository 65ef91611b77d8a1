// The rates of a simulated connection or device last week: the same as now, unless something has become worse since.

import type { Fact } from '../core/event-kinds.ts';
import { BASELINE_WINDOW_MS } from '../core/probe/probe-baseline.ts';
import type { ProbeSubject } from '../core/probe/probe-status.ts';
import type { SimulatedConnection } from './connection.ts';
import { THROTTLED_SHARE } from './profile.ts';
import type { Site } from './site.ts';

/** None if nothing was ever measured. */
export const linkBaseline = (subject: ProbeSubject, connection: SimulatedConnection): readonly Fact[] => {
  const { failure, usualBitsPerSecond: usual = 0, upload, download, roundTripNs } = connection;
  if (failure !== undefined) return [];
  return [
    reported(subject, {
      uploadBitsPerSecond: Math.round(Math.max(usual, upload)),
      downloadBitsPerSecond: Math.round(Math.max(usual, download)),
      roundTripNsP50: roundTripNs,
    }),
  ];
};

/** `profile`: the newest; `at`: the machine's device that it belongs to. */
export const deviceBaseline = (
  subject: ProbeSubject,
  { machine }: Site,
  at: number,
  profile: Fact,
): readonly Fact[] => {
  if (profile.kind !== 'gpu.profiled' || machine.quirks?.isUnmeasured === true) return [];
  const { fp16FlopsPerSecond: flops, memoryReadBytesPerSecond: read } = profile.payload;
  const share = machine.quirks?.throttledGpu === at ? THROTTLED_SHARE : 1;
  return [
    reported(subject, {
      ...(typeof flops === 'number' ? { fp16FlopsPerSecond: Math.round(flops / share) } : {}),
      ...(typeof read === 'number' ? { memoryReadBytesPerSecond: read } : {}),
    }),
  ];
};

const reported = (subject: ProbeSubject, medians: Readonly<Record<string, number>>): Fact => ({
  kind: 'baseline.reported',
  payload: { subject, windowMs: BASELINE_WINDOW_MS, spanMs: BASELINE_WINDOW_MS, count: COUNT, medians },
});

/** Measurements that the medians are of. */
const COUNT = 96;
