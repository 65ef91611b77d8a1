// Whether a profile is as good as it usually is: "40% below its median of the last week". What a cable should carry by its
// negotiated rate is told by link-shortfall.ts.

import type { NodeId } from '../ids.ts';
import type { GpuProfile } from '../node/gpu-profile.ts';
import type { ProbeBaseline } from '../probe/probe-baseline.ts';
import { BASELINE_COUNT_MIN, BASELINE_SPAN_MS_MIN } from '../probe/probe-baseline.ts';
import type { ProbeSubject } from '../probe/probe-status.ts';
import { probeKey } from '../probe/probe-status.ts';
import type { Entry, State } from '../state.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import type { LinkProfile } from './link-profile.ts';

/** A figure that is worse than usual by more than a measurement varies. */
export interface UnusualFigure<Name extends string> {
  readonly figure: Name;
  readonly value: number;
  readonly median: number;
  /** Of the median, how far the figure is on its worse side of it: 0.4 is 40% below, or above where less is better. */
  readonly share: number;
  readonly side: 'below' | 'above';
  /** Measurements that the median is of. */
  readonly count: number;
}

export type LinkFigure = 'uploadBitsPerSecond' | 'downloadBitsPerSecond' | 'roundTripNsP50';
export type DeviceFigure =
  | 'fp16FlopsPerSecond'
  | 'fp32FlopsPerSecond'
  | 'memoryReadBytesPerSecond'
  | 'memoryCopyBytesPerSecond';

/** Of the newest profile of a connection; none while it holds the figures of an older one. */
export const unusualLinkFigures = (
  state: State,
  source: NodeId,
  subject: Extract<ProbeSubject, { kind: 'link' }>,
): readonly UnusualFigure<LinkFigure>[] => {
  // Asked of every link of a large cluster: most nodes have told no baseline at all, and most baselines are too short.
  const baselines = state.probeBaselines[source];
  const baseline = baselines === undefined ? undefined : baselines[probeKey(subject)]?.value;
  if (baseline === undefined || !isLong(baseline)) return [];
  const profile: Entry<LinkProfile> | undefined =
    state.linkProfiles[source]?.[subject.sink]?.[subject.connectionKey];
  if (profile === undefined || isUnknown(profile.value.failure)) return [];
  return LINK_FIGURES.flatMap(figure => unusual(figure, profile.value[figure], baseline));
};

export const unusualDeviceFigures = (
  state: State,
  node: NodeId,
  deviceId: string,
): readonly UnusualFigure<DeviceFigure>[] => {
  const profile: Entry<GpuProfile> | undefined = state.nodeGpuProfiles[node]?.[deviceId];
  const baseline = state.probeBaselines[node]?.[probeKey({ kind: 'gpu', deviceId })]?.value;
  if (profile === undefined || isUnknown(profile.value.failure)) return [];
  return DEVICE_FIGURES.flatMap(figure => unusual(figure, profile.value[figure], baseline));
};

/** "40% below its median of the last week". */
export const unusualText = ({ share, side }: UnusualFigure<string>): string =>
  side === 'below'
    ? `${Math.round(share * 100)}% below its median of the last week`
    : `${(1 + share).toFixed(1)} times its median of the last week`;

const unusual = <Name extends LinkFigure | DeviceFigure>(
  figure: Name,
  value: LinkProfile[LinkFigure],
  baseline: ProbeBaseline | undefined,
): readonly UnusualFigure<Name>[] => {
  if (baseline === undefined || !isKnown(value) || !isLong(baseline)) return [];
  const median = Object.hasOwn(baseline.medians, figure) ? baseline.medians[figure] : undefined;
  if (median === undefined || !(median > 0)) return [];
  const isTime = figure === 'roundTripNsP50';
  const share = isTime ? value / median - 1 : 1 - value / median;
  if (share < (isTime ? LATER_SHARE_MIN : BELOW_SHARE_MIN)) return [];
  return [{ figure, value, median, share, side: isTime ? 'above' : 'below', count: baseline.count }];
};

const isLong = ({ count, spanMs }: ProbeBaseline): boolean =>
  count >= BASELINE_COUNT_MIN && spanMs >= BASELINE_SPAN_MS_MIN;

const LINK_FIGURES = ['uploadBitsPerSecond', 'downloadBitsPerSecond', 'roundTripNsP50'] as const;
const DEVICE_FIGURES = [
  'fp16FlopsPerSecond',
  'fp32FlopsPerSecond',
  'memoryReadBytesPerSecond',
  'memoryCopyBytesPerSecond',
] as const;
/** Bandwidth of a sound link varies by some per cent from probe to probe, on a busy one by more. */
const BELOW_SHARE_MIN = 0.25;
/** The p50 of round trips depends on idle states of processors: twice is common. */
const LATER_SHARE_MIN = 2;
