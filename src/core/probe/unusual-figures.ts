// Figures of a device or connection that are worse than usual by more than measurements vary: "40% below its
// median of the last week". A comparison with the negotiated rate is in link/link-shortfall.ts.

import type { NodeId } from '../ids.ts';
import type { LinkProfile } from '../link/link-profile.ts';
import { DEVICE_MEASURES, type GpuProfile, type MeasureRow } from '../node/gpu-profile.ts';
import type { Entry, State } from '../state.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import { type ProbeBaseline, type ProbeSubject, probeKey } from './probe-status.ts';

/** A figure that is worse than usual by more than a measurement varies. */
export interface UnusualFigure<Name extends string> {
  readonly figure: Name;
  readonly value: number;
  readonly median: number;
  /**
   * How far the figure is on the worse side of the median, as a share of it: 0.4 is 40% below, or above if
   * less is better.
   */
  readonly share: number;
  readonly side: 'below' | 'above';
  /** Number of measurements in the median. */
  readonly count: number;
}

export type LinkFigure = (typeof LINK_FIGURES)[number];
export type DeviceFigure = MeasureRow['figure'];

/** The median of the last week of a connection's figure; undefined if there are too few measurements. */
export const usualLinkFigure = (
  state: State,
  source: NodeId,
  subject: LinkSubject,
  figure: LinkFigure,
): number | undefined => medianOf(state.probeBaselines[source]?.[probeKey(subject)]?.value, figure);

/** The same for a device. */
export const usualDeviceFigure = (
  state: State,
  node: NodeId,
  deviceId: string,
  figure: DeviceFigure,
): number | undefined =>
  medianOf(state.probeBaselines[node]?.[probeKey({ kind: 'gpu', deviceId })]?.value, figure);

/** For the newest profile of a connection; none while it contains the figures of an older one. */
export const unusualLinkFigures = (
  state: State,
  source: NodeId,
  subject: LinkSubject,
): readonly UnusualFigure<LinkFigure>[] => {
  // Called for every link of a large cluster: most nodes have published no baseline at all, and most
  // baselines are too short.
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
  const median = medianOf(baseline, figure);
  if (baseline === undefined || median === undefined || !isKnown(value)) return [];
  const isTime = figure === ROUND_TRIP;
  const share = isTime ? value / median - 1 : 1 - value / median;
  if (share < (isTime ? LATER_SHARE_MIN : VARIATION_SHARE)) return [];
  const side = isTime ? 'above' : 'below';
  return [{ figure, value, median, share, side, count: baseline.count }];
};

const medianOf = (
  baseline: ProbeBaseline | undefined,
  figure: LinkFigure | DeviceFigure,
): number | undefined => {
  if (baseline === undefined || !isLong(baseline) || !Object.hasOwn(baseline.medians, figure))
    return undefined;
  const median = baseline.medians[figure];
  return median !== undefined && median > 0 ? median : undefined;
};

const isLong = ({ count, spanMs }: ProbeBaseline): boolean =>
  count >= HABIT_COUNT_MIN && spanMs >= HABIT_SPAN_MS_MIN;

type LinkSubject = Extract<ProbeSubject, { kind: 'link' }>;

/** Figures of a connection that are compared with their median. */
export const LINK_FIGURES = ['uploadBitsPerSecond', 'downloadBitsPerSecond', 'roundTripNsP50'] as const;
export const [UPLOAD, DOWNLOAD, ROUND_TRIP] = LINK_FIGURES;
export const DEVICE_FIGURES: readonly DeviceFigure[] = DEVICE_MEASURES.flatMap(({ figure, title }) =>
  title === undefined ? [] : [figure],
);
/** Fewer measurements are not enough for a usual value, and neither are those of one busy afternoon. */
export const HABIT_COUNT_MIN = 5;
const HABIT_SPAN_MS_MIN: number = 24 * 3_600_000;
/**
 * Bandwidth of a sound link or device varies by several per cent from probe to probe, on a busy one by more.
 */
export const VARIATION_SHARE = 0.25;
/** The p50 of round trips depends on idle states of processors: twice is common. */
export const LATER_SHARE_MIN = 2;
