// Simulated connections and devices in the month before the simulation started: as now, with usual traffic on the
// cables, and at their best before something broke.

import type { SimulatedConnection } from './connection.ts';
import { seedOf, smoothNoise } from './noise.ts';
import type { Site } from './site.ts';

/** How far back a demo's past goes. */
export const PAST_DAYS = 30;
/** When degraded subjects became worse: late enough that the week's median is that of the good days. */
export const FALL_AGO_MS: number = (2 * 24 + 7) * 3_600_000;

export const connectionBefore = (
  connection: SimulatedConnection,
  { agoMs, seed }: { readonly agoMs: number; readonly seed: number },
): SimulatedConnection => {
  const { source, key, usualBitsPerSecond: usual = 0, retransmits } = connection;
  const isSound = agoMs > FALL_AGO_MS && usual > 0;
  const share = 1 - traffic(seedOf(seed, `${source.machine.name} ${key} traffic`), agoMs);
  const rate = (bitsPerSecond: number): number =>
    share * (isSound ? Math.max(usual, bitsPerSecond) : bitsPerSecond);
  return {
    ...connection,
    upload: rate(connection.upload),
    download: rate(connection.download),
    retransmits: isSound ? 0 : retransmits,
  };
};

export const siteBefore = (site: Site, agoMs: number): Site => {
  const { throttledGpu, ...quirks } = site.machine.quirks ?? {};
  if (throttledGpu === undefined || agoMs <= FALL_AGO_MS) return site;
  return { ...site, machine: { ...site.machine, quirks } };
};

/** The share of other traffic: mostly none, a few per cent in some hours, a tenth in a few. */
const traffic = (seed: number, agoMs: number): number => {
  const hours = agoMs / HOUR_MS;
  const swell = smoothNoise(seed, hours / 5);
  const busy = smoothNoise(seed + 1, hours);
  return 0.01 * Math.max(0, swell) + (busy > BUSY_MIN ? 0.5 * (busy - BUSY_MIN) : 0);
};

const HOUR_MS = 3_600_000;
/** Of a noise from -1 to 1: a fortieth of the hours is above it. */
const BUSY_MIN = 0.95;
