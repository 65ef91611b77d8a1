// What of a run's lanes is on the screen, and the request under the pointer.

import { formatMeasuredNanoseconds } from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';
import { type LaneSpan, phaseLabel, type RequestLanes } from '../../../src/core/run/request-lanes.ts';

/** Around its middle, within the whole; 0.5 shows half of it. */
export const zoomedSpan = (span: LaneSpan, whole: LaneSpan, factor: number): LaneSpan => {
  const lengthMs = Math.max(SPAN_MS_MIN, (span.toMs - span.fromMs) * factor);
  return spanFrom((span.fromMs + span.toMs - lengthMs) / 2, lengthMs, whole);
};

/** By a share of its length, within the whole. */
export const movedSpan = (span: LaneSpan, whole: LaneSpan, share: number): LaneSpan => {
  const lengthMs = span.toMs - span.fromMs;
  return spanFrom(span.fromMs + lengthMs * share, lengthMs, whole);
};

/** Between two positions, as shares of the width in any order; undefined if they are too near to be meant as a selection. */
export const selectedSpan = (span: LaneSpan, one: number, other: number): LaneSpan | undefined => {
  const [from, to] = [Math.max(0, Math.min(one, other)), Math.min(1, Math.max(one, other))];
  if (to - from < SELECTED_SHARE_MIN) return undefined;
  const lengthMs = span.toMs - span.fromMs;
  return spanFrom(span.fromMs + from * lengthMs, Math.max(SPAN_MS_MIN, (to - from) * lengthMs), span);
};

/** The request in a lane at a moment, a line for each phase; undefined if there is none. */
export const requestTip = (
  { requests }: RequestLanes,
  at: { readonly lane: number; readonly ms: number },
  isStreaming: boolean,
): readonly string[] | undefined => {
  const found = requests.find(
    ({ lane, fromMs, toMs }) => lane === at.lane && fromMs <= at.ms && at.ms <= toMs,
  );
  return (
    found && [
      `from ${(found.fromMs / 1_000).toFixed(3)}\u00a0s`,
      ...found.parts.map(
        ({ phase, fromMs, toMs }) =>
          `${phaseLabel(phase, { isStreaming })} ${figureText(formatMeasuredNanoseconds(Math.round((toMs - fromMs) * 1e6)))}`,
      ),
    ]
  );
};

const spanFrom = (fromMs: number, lengthMs: number, whole: LaneSpan): LaneSpan => {
  const shownMs = Math.min(lengthMs, whole.toMs - whole.fromMs);
  const startMs = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - shownMs);
  return { fromMs: startMs, toMs: startMs + shownMs };
};

/** Stamps are exact to microseconds; less than a millisecond is not worth a look. */
const SPAN_MS_MIN = 1;
/** A click is not a selection. */
const SELECTED_SHARE_MIN = 0.01;
