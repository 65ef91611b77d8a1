// A total as a ship's side: one hold a part, as wide as its share of the whole, filled to its load.

interface Fill {
  /** Any unit; only the ratio counts. */
  readonly share: number;
  /** 0..1; undefined if unknown. */
  readonly load: number | undefined;
}

export interface Hold extends Fill {
  /** Its owner, then its load, a line each; none if there is nothing to show. */
  readonly lines: readonly string[];
}

interface DrawnHold {
  readonly x: number;
  readonly width: number;
  /** y of the water; undefined where the load is unknown. */
  readonly waterY: number | undefined;
  /** Every hold but the last has a bulkhead at its right. */
  readonly hasBulkhead: boolean;
}

export const HULL_BAR = { width: 132, height: 34, deck: 4, keel: 30, bow: 12 } as const;

export const HULL_BAR_PATH: string = (() => {
  const { width, deck, keel } = HULL_BAR;
  return `M2 ${deck}H${width}L${width - 8} ${keel - 6}Q${width - 10} ${keel} ${width - 17} ${keel}H10Q4 ${keel} 3.5 ${keel - 6}Z`;
})();

export const drawnHolds = (holds: readonly Fill[]): readonly DrawnHold[] => {
  const { width, deck, keel, bow } = HULL_BAR;
  const whole = holds.reduce((sum, hold) => sum + Math.max(0, hold.share), 0);
  let x = 4;
  return holds.map((hold, index) => {
    const isLast = index === holds.length - 1;
    const share = whole > 0 ? Math.max(0, hold.share) / whole : 1 / holds.length;
    const holdWidth = share * (width - bow - 4);
    const drawn = {
      x,
      width: holdWidth + (isLast ? bow : 0),
      waterY:
        hold.load === undefined ? undefined : keel - (keel - deck) * Math.min(1, Math.max(0, hold.load)),
      hasBulkhead: !isLast,
    };
    x += holdWidth;
    return drawn;
  });
};

/** Where the middle of each hold is, as a share of the picture's width. */
export const holdMiddles = (holds: readonly Fill[]): readonly number[] =>
  drawnHolds(holds).map(({ x, width }) => (x + width / 2) / HULL_BAR.width);

interface HullPaths {
  readonly water: string;
  readonly waterline: string;
  readonly unknown: string;
  /** '' where holds are so narrow that their bulkheads would be all that is seen. */
  readonly bulkheads: string;
}

/** All holds of a kind in one path: hundreds of parts that move every second would each be restyled and painted. */
export const hullPaths = (holds: readonly Fill[]): HullPaths => {
  const { deck, keel, width } = HULL_BAR;
  const drawn = drawnHolds(holds);
  const parts = { water: '', waterline: '', unknown: '', bulkheads: '' };
  const hasRoom = drawn.length <= width / BULKHEAD_GAP_MIN;
  for (const hold of drawn) {
    const x = tenth(hold.x);
    const right = tenth(hold.x + hold.width);
    if (hold.waterY === undefined) parts.unknown += `M${x} ${deck}H${right}V${keel}H${x}Z`;
    else {
      const y = half(hold.waterY);
      parts.water += `M${x} ${y}H${right}V${keel}H${x}Z`;
      parts.waterline += `M${x} ${y}H${right}`;
    }
    if (hasRoom && hold.hasBulkhead) parts.bulkheads += `M${right} ${deck}V${keel}`;
  }
  return parts;
};

const tenth = (value: number): number => Math.round(value * 10) / 10;
/** Values that change every second are rounded to half a unit of the picture: each change repaints the whole bar. */
const half = (value: number): number => Math.round(value * 2) / 2;

/** In the units of the picture, between two bulkheads. */
const BULKHEAD_GAP_MIN = 4;
