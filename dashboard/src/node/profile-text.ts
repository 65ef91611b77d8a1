// The measured figures of one device, for the foot of its card: figures, their limits, their age, what the probe does
// now, why it failed and when it retries.

import { ageMsOf } from '../../../src/core/entry-maps.ts';
import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText, formatBytesPerSecond, formatFlopsPerSecond } from '../../../src/core/figure/figure.ts';
import { FIGURE_UNITS } from '../../../src/core/figure/figure-row.ts';
import {
  BANDWIDTH,
  DEVICE_MEASURES,
  FP16_RATE,
  FP32_RATE,
  type GpuProfile,
} from '../../../src/core/node/gpu-profile.ts';
import type { MeasuredDevice } from '../../../src/core/node/node-view.ts';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';
import { stageText } from './measured-text.ts';

interface ProfileText {
  /** "165 TFLOPS", "41.2 TFLOPS FP32", "921 GB/s"; none where nothing was measured. */
  readonly figures: readonly string[];
  readonly isLowerBound: boolean;
  /** "mlx"; '' without figures. */
  readonly engine: string;
  readonly method: string;
  /** "26 min ago"; '' without figures. */
  readonly age: string;
  readonly isStale: boolean;
  /** What the probe does or waits for; '' where it rests. */
  readonly going: string;
  /** "failed: no CUDA driver, next try in 5 min"; '' where it did not. */
  readonly failure: string;
}

export const profileText = ({ profile, probe }: MeasuredDevice, nowMs: number): ProfileText => {
  const going = stageText(probe);
  if (profile === undefined) return { ...NOTHING, going };
  const { value } = profile;
  const { [FP16_RATE.figure]: half, [FP32_RATE.figure]: single, [BANDWIDTH.figure]: memory } = value;
  const figures = [
    isKnown(half)
      ? figureText(formatFlopsPerSecond(half))
      : isKnown(single)
        ? `${figureText(formatFlopsPerSecond(single))} FP32`
        : undefined,
    isKnown(memory) ? figureText(formatBytesPerSecond(memory)) : undefined,
  ].filter(text => text !== undefined);
  const ageMs = ageMsOf(profile, nowMs) + value.measuredAgeMs;
  const next =
    probe === undefined || probe.kind === 'running' || probe.nextInMs === undefined
      ? ''
      : `, next try in ${figureText(formatAge(probe.nextInMs))}`;
  return {
    figures,
    isLowerBound: figures.length > 0 && value.isLowerBound,
    engine: figures.length > 0 ? value.engine : '',
    method: [value.method, ...others(value)].join('\n'),
    age: figures.length > 0 && Number.isFinite(ageMs) ? `${figureText(formatAge(ageMs))} ago` : '',
    isStale:
      isUnknown(value.failure) || (isKnown(value.intervalMs) && ageMs > STALE_INTERVALS * value.intervalMs),
    going,
    failure: isUnknown(value.failure) ? `failed: ${value.failure.reason}${next}` : '',
  };
};

/** What else was measured, each kernel by itself. */
const others = (profile: GpuProfile): readonly string[] =>
  DEVICE_MEASURES.flatMap(({ shortLabel, unit, figure }) => {
    const value = profile[figure];
    return shortLabel === undefined || isUnknown(value)
      ? []
      : [`${shortLabel} ${figureText(FIGURE_UNITS[unit].format(value))}`];
  });

/** Older figures are of a device that should have been measured twice since. */
const STALE_INTERVALS = 2;
const NOTHING: ProfileText = {
  figures: [],
  isLowerBound: false,
  engine: '',
  method: '',
  age: '',
  isStale: false,
  going: '',
  failure: '',
};
