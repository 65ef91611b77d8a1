// What a model needs against what each device has, as shares of what it has.

import { figureText, formatBytes, formatBytesOf } from '../../../src/core/figure/figure.ts';
import type { HeadroomDevice } from '../../../src/core/model/headroom-devices.ts';
import { type Fit, fitOf } from '../../../src/core/model/memory-need.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import type { ModelPlacements } from './placement.ts';

interface FitRow {
  readonly name: string;
  /** Next to one another, cut at the end of the memory. */
  readonly parts: readonly {
    readonly what: 'weights' | 'cache' | 'reserve';
    readonly from: number;
    readonly share: number;
  }[];
  readonly tone: 'good' | 'caution' | 'bad' | 'unknown';
  /** "71 of 384 GB", or why it is not known. */
  readonly text: string;
  /** The same of what no program holds now: "11 GB free now: fits". */
  readonly now: { readonly text: string; readonly tone: FitRow['tone'] };
}

/** @param live the same devices with what of them is free now. */
export const fitRows = (
  { need, devices }: Pick<ModelPlacements, 'need' | 'devices'>,
  live: readonly HeadroomDevice[],
): {
  readonly shown: readonly FitRow[];
  readonly hidden: number;
} => ({
  hidden: Math.max(0, devices.length - ROWS_MAX),
  shown: devices.slice(0, ROWS_MAX).map(({ memoryBytes, name, nodeId, deviceId }): FitRow => {
    const now = nowOf(
      need,
      live.find(device => device.nodeId === nodeId && device.deviceId === deviceId)?.memoryFreeBytes,
    );
    if (isUnknown(memoryBytes)) return { name, parts: [], tone: 'unknown', text: memoryBytes.reason, now };
    if (isUnknown(need))
      return { name, parts: [], tone: 'unknown', text: `has ${figureText(formatBytes(memoryBytes))}`, now };
    let from = 0;
    const parts = PARTS.map(({ what, of }) => {
      const share = Math.min(need[of].high / memoryBytes, 1 - from);
      const part = { what, from, share };
      from += share;
      return part;
    });
    return {
      name,
      parts,
      tone: FIT_TONES[fitOf(need, memoryBytes).kind],
      text: figureText(formatBytesOf(need.totalBytes.high, memoryBytes)),
      now,
    };
  }),
});

const nowOf = (
  need: ModelPlacements['need'],
  freeBytes: HeadroomDevice['memoryFreeBytes'],
): FitRow['now'] => {
  if (freeBytes === undefined) return { text: 'what is free now is not reported', tone: 'unknown' };
  if (isUnknown(freeBytes)) return { text: `free now: ${freeBytes.reason}`, tone: 'unknown' };
  const free = `${figureText(formatBytes(freeBytes))} free now`;
  if (isUnknown(need)) return { text: free, tone: 'unknown' };
  const fit = fitOf(need, freeBytes);
  const tone = FIT_TONES[fit.kind];
  if (fit.kind === 'fits') return { text: `${free}: fits`, tone };
  const missing = `${figureText(formatBytes(fit.missingBytes))} missing`;
  return { text: `${free}: ${fit.kind === 'tight' ? 'up to ' : ''}${missing}`, tone };
};

const PARTS = [
  { what: 'weights', of: 'weightBytes' },
  { what: 'cache', of: 'cacheBytes' },
  { what: 'reserve', of: 'reserveBytes' },
] as const;

const FIT_TONES: Readonly<Record<Fit['kind'], FitRow['tone']>> = {
  fits: 'good',
  tight: 'caution',
  'does-not-fit': 'bad',
};
const ROWS_MAX = 8;
