// For a system without a kind of reading: reported once, with the reason.

import type { GatheredKind, Gatherer } from './gatherer.ts';

export const absentGatherer = (reading: GatheredKind['reading'], reason: string): Gatherer => {
  const kind: GatheredKind = { reading, vendor: 'none' };
  return {
    name: `no-${reading}`,
    reports: [kind],
    intervalMs: INTERVAL_MS,
    gather: session => Promise.resolve(session.absent(kind, 'operating system', reason)),
  };
};

const INTERVAL_MS = 30_000;
