// The geometry of the picture of placements: a gauge is a placement, its height the time of one step, in layers from the bottom.
// All share one scale, so a slower one is higher. Pure; pixels.

import { maximumOf } from '../../../src/core/extremes.ts';
import { formatThreeDigits } from '../../../src/core/figure/figure.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { linearScale } from '../../../src/render/chart/linear-scale.ts';
import type { LayerTerm, ModelPlacement, PlacementTime } from './placement.ts';

interface GaugesPicture {
  readonly width: number;
  readonly height: number;
  readonly isPhone: boolean;
  readonly left: number;
  readonly top: number;
  readonly keel: number;
  readonly ticks: readonly { readonly y: number; readonly label: string }[];
  readonly gauges: readonly Gauge[];
  /** Undefined without one, or if it is beyond the scale. */
  readonly objectiveY: number | undefined;
  /** Of a time that is no part of a placement: an achieved one. Undefined beyond the scale. */
  readonly yOf: (seconds: number) => number | undefined;
}

interface Gauge {
  readonly placement: ModelPlacement;
  readonly x: number;
  readonly width: number;
  /** Open at its rim. */
  readonly wall: string;
  readonly layers: readonly GaugeLayer[];
  /** Undefined where nothing is known of its time. */
  readonly surfaceY: number | undefined;
  /** Its time is beyond the scale: it is drawn full, and only its figure shows how much. */
  readonly isOver: boolean;
  readonly interval: { readonly x: number; readonly low: number; readonly high: number } | undefined;
  readonly boundY: number | undefined;
}

interface GaugeLayer {
  readonly term: LayerTerm;
  readonly y: number;
  readonly height: number;
  /** Milliseconds. */
  readonly figure: string;
  /** Whether the figure has room inside. */
  readonly hasRoom: boolean;
  /** The height of its name next to the gauge, apart from its neighbours. */
  readonly nameY: number;
}

export const gaugesPicture = (
  placements: readonly ModelPlacement[],
  { width, objectiveSeconds }: { readonly width: number; readonly objectiveSeconds: number | undefined },
): GaugesPicture => {
  const isPhone = width < 600;
  const height = isPhone ? 360 : 420;
  const [left, top, keel] = [isPhone ? 28 : 48, 64, height - 58];
  const most = scaleEnd(placements.map(timeSeconds), objectiveSeconds);
  const scale = linearScale([0, most * 1_000], [keel, top], 5);
  const y = (seconds: number): number => Math.round(scale.at(seconds * 1_000) * 10) / 10;
  const room = rooms(placements.length, { left, width, isPhone });
  return {
    width,
    height,
    isPhone,
    left,
    top,
    keel,
    yOf: seconds => (seconds > most ? undefined : y(seconds)),
    ticks: scale.ticks.map(tick => ({ y: scale.at(tick), label: String(tick) })),
    objectiveY: objectiveSeconds === undefined || objectiveSeconds > most ? undefined : y(objectiveSeconds),
    gauges: placements.map((placement, index) => {
      const { x, wide } = room[index] ?? { x: left, wide: 0 };
      return gaugeOf(placement, { x, wide, top, keel, most, y, isPhone });
    }),
  };
};

interface Frame {
  readonly x: number;
  readonly wide: number;
  readonly top: number;
  readonly keel: number;
  readonly most: number;
  readonly y: (seconds: number) => number;
  readonly isPhone: boolean;
}

const gaugeOf = (placement: ModelPlacement, frame: Frame): Gauge => {
  const { x, wide, top, keel, most, y, isPhone } = frame;
  const radius = Math.min(18, wide / 5);
  const brim = top - 10;
  const wall = `M${x} ${brim}V${keel - radius}Q${x} ${keel} ${x + radius} ${keel}H${x + wide - radius}Q${x + wide} ${keel} ${x + wide} ${keel - radius}V${brim}`;
  const { time, fit } = placement;
  if (isUnknown(time) || fit.kind === 'does-not-fit')
    return {
      placement,
      x,
      width: wide,
      wall,
      layers: [],
      surfaceY: undefined,
      isOver: false,
      interval: undefined,
      boundY: undefined,
    };
  const isOver = time.seconds.value > most;
  return {
    placement,
    x,
    width: wide,
    wall,
    layers: layersOf(time, { y, brim, isOver }),
    surfaceY: isOver ? brim : y(time.seconds.value),
    isOver,
    interval: isOver
      ? undefined
      : { x: x + wide - (isPhone ? 9 : 14), low: y(time.seconds.low), high: y(time.seconds.high) },
    boundY: time.boundSeconds > most ? undefined : y(time.boundSeconds),
  };
};

const layersOf = (
  { layers }: PlacementTime,
  { y, brim, isOver }: { readonly y: Frame['y']; readonly brim: number; readonly isOver: boolean },
): readonly GaugeLayer[] => {
  let under = 0;
  let lastName = Number.POSITIVE_INFINITY;
  return layers.map(({ term, seconds }, index) => {
    const floor = y(under);
    under += seconds;
    // A value above the scale fills the gauge to the brim.
    const surface = isOver && index === layers.length - 1 ? brim : y(under);
    const middle = (floor + surface) / 2;
    lastName = Math.min(middle, lastName - NAME_STEP);
    return {
      term,
      y: surface,
      height: Math.max(0, floor - surface),
      figure: formatThreeDigits(seconds * 1_000),
      hasRoom: floor - surface > FIGURE_HEIGHT,
      nameY: lastName,
    };
  });
};

/** The first is wider: it has room on both sides for the labels next to it. */
const rooms = (
  count: number,
  { left, width, isPhone }: { readonly left: number; readonly width: number; readonly isPhone: boolean },
): readonly { readonly x: number; readonly wide: number }[] => {
  if (isPhone) {
    const gap = 8;
    const wide = Math.min(72, (width - left - 6 - gap * (count - 1)) / Math.max(1, count));
    return Array.from({ length: count }, (_, index) => ({ x: left + 6 + index * (wide + gap), wide }));
  }
  const first = 130;
  const start = left + NEXT_TO_BOUND;
  const others = Math.max(0, count - 1);
  const after = start + first + NEXT_TO_NAMES;
  const gap = 18;
  const wide = others === 0 ? 0 : Math.min(130, (width - after - gap * (others - 1) - 8) / others);
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? { x: start, wide: first } : { x: after + (index - 1) * (wide + gap), wide },
  );
};

/**
 * Seconds up to which the scale goes. The slowest would press the best to its keel: what takes longer than three times as long as
 * the best is cut at the brim.
 */
const scaleEnd = (times: readonly (number | undefined)[], objectiveSeconds: number | undefined): number => {
  const known = times.filter(time => time !== undefined);
  const best = known[0] ?? objectiveSeconds ?? 0.05;
  const most = Math.min(maximumOf([best, ...known]), best * OVER_FACTOR);
  const wanted =
    objectiveSeconds !== undefined && objectiveSeconds <= best * OVER_FACTOR ? objectiveSeconds : 0;
  return Math.max(most, wanted) * 1.1;
};

const timeSeconds = ({ time, fit }: ModelPlacement): number | undefined =>
  isUnknown(time) || fit.kind === 'does-not-fit' ? undefined : time.seconds.high;

const NAME_STEP = 17;
const FIGURE_HEIGHT = 15;
const NEXT_TO_BOUND = 78;
const NEXT_TO_NAMES = 128;
const OVER_FACTOR = 3;
