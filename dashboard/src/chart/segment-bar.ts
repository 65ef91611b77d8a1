// A total as a bar in the shape of a ship's side: one segment for each part, as wide as its share of the whole, filled to its load.

interface Fill {
  /** Any unit; only the ratio counts. */
  readonly share: number;
  /** 0..1; undefined if unknown. */
  readonly load: number | undefined;
}

export interface Segment extends Fill {
  /** Its owner, then its load, a line each; none if there is nothing to show. */
  readonly lines: readonly string[];
}

interface DrawnSegment {
  readonly x: number;
  readonly width: number;
  /** y of the water; undefined where the load is unknown. */
  readonly waterY: number | undefined;
  /** Every segment but the last has a bulkhead at its right. */
  readonly hasBulkhead: boolean;
}

export const SEGMENT_BAR = { width: 132, height: 34, deck: 4, keel: 30, bow: 12 } as const;

export const SEGMENT_BAR_PATH: string = (() => {
  const { width, deck, keel } = SEGMENT_BAR;
  return `M2 ${deck}H${width}L${width - 8} ${keel - 6}Q${width - 10} ${keel} ${width - 17} ${keel}H10Q4 ${keel} 3.5 ${keel - 6}Z`;
})();

export const drawnSegments = (segments: readonly Fill[]): readonly DrawnSegment[] => {
  const { width, deck, keel, bow } = SEGMENT_BAR;
  const whole = segments.reduce((sum, segment) => sum + Math.max(0, segment.share), 0);
  let x = 4;
  return segments.map((segment, index) => {
    const isLast = index === segments.length - 1;
    const share = whole > 0 ? Math.max(0, segment.share) / whole : 1 / segments.length;
    const segmentWidth = share * (width - bow - 4);
    const drawn = {
      x,
      width: segmentWidth + (isLast ? bow : 0),
      waterY:
        segment.load === undefined
          ? undefined
          : keel - (keel - deck) * Math.min(1, Math.max(0, segment.load)),
      hasBulkhead: !isLast,
    };
    x += segmentWidth;
    return drawn;
  });
};

/** Where the middle of each segment is, as a share of the picture's width. */
export const segmentMiddles = (segments: readonly Fill[]): readonly number[] =>
  drawnSegments(segments).map(({ x, width }) => (x + width / 2) / SEGMENT_BAR.width);

interface HullPaths {
  readonly water: string;
  readonly waterline: string;
  readonly unknown: string;
  /** '' where segments are so narrow that their bulkheads would be all that is seen. */
  readonly bulkheads: string;
}

/** All segments of a kind in one path: hundreds of parts that move every second would each be restyled and painted. */
export const hullPaths = (segments: readonly Fill[]): HullPaths => {
  const { deck, keel, width } = SEGMENT_BAR;
  const drawn = drawnSegments(segments);
  const parts = { water: '', waterline: '', unknown: '', bulkheads: '' };
  const hasRoom = drawn.length <= width / BULKHEAD_GAP_MIN;
  for (const segment of drawn) {
    const x = tenth(segment.x);
    const right = tenth(segment.x + segment.width);
    if (segment.waterY === undefined) parts.unknown += `M${x} ${deck}H${right}V${keel}H${x}Z`;
    else {
      const y = half(segment.waterY);
      parts.water += `M${x} ${y}H${right}V${keel}H${x}Z`;
      parts.waterline += `M${x} ${y}H${right}`;
    }
    if (hasRoom && segment.hasBulkhead) parts.bulkheads += `M${right} ${deck}V${keel}`;
  }
  return parts;
};

const tenth = (value: number): number => Math.round(value * 10) / 10;
/** Values that change every second are rounded to half a unit of the picture: each change repaints the whole bar. */
const half = (value: number): number => Math.round(value * 2) / 2;

/** In the units of the picture, between two bulkheads. */
const BULKHEAD_GAP_MIN = 4;
