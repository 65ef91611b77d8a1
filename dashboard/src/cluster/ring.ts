// Where nodes stand on the map: a ring, first node on top, clockwise, stretched to the full frame. One node stands in the
// middle. CSS pixels; text is never scaled. Runs when the topology or the size changes, never when a figure does.

export interface Placement {
  /** Centre of the node's box. */
  readonly x: number;
  readonly y: number;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Words stand at both sides of the drawing rather than under it. */
  readonly isBeside: boolean;
  readonly isUpper: boolean;
}

export interface Arrangement {
  /** Names with all their figures, or names with the memory only. */
  readonly detail: 'full' | 'compact' | 'phone';
  readonly scale: number;
  readonly drawing: { readonly width: number; readonly height: number };
  readonly lineHeight: number;
  readonly places: readonly Placement[];
}

export interface Frame {
  readonly width: number;
  readonly height: number;
}

const PHONE_WIDTH = 720;
const FULL_NODES_MAX = 4;
const PAD = 4;
/** Room for the words at either side of a drawing. */
const BESIDE_WIDTH = 142 + 16;

export const arrange = (count: number, { width, height }: Frame): Arrangement => {
  const detail = width < PHONE_WIDTH ? 'phone' : count <= FULL_NODES_MAX ? 'full' : 'compact';
  const scale = scaleOf(count, detail, { width, height });
  const drawing = { width: 112 * scale, height: 84 * scale };
  const lineHeight = detail === 'full' ? 18 : 15;
  const lines = detail === 'full' ? 5 : detail === 'phone' ? 2 : 3;
  const wordsWidth = detail === 'full' ? 176 : detail === 'phone' ? 72 : 112;
  const below = {
    width: Math.max(drawing.width + 18, wordsWidth),
    height: drawing.height + 6 + lines * lineHeight,
  };
  const angles = Array.from({ length: count }, (_, index) =>
    count === 2 ? Math.PI * (1 + index) : -Math.PI / 2 + (index * 2 * Math.PI) / count,
  );
  const across = stretched(angles.map(Math.cos));
  const down = stretched(angles.map(Math.sin));
  const places = angles.map((angle, index): Placement => {
    const isBeside = detail === 'full' && count >= 3 && Math.abs(Math.cos(angle)) < 0.5;
    const box = isBeside ? { width: drawing.width + 2 * BESIDE_WIDTH, height: drawing.height } : below;
    const reach = count === 2 && detail === 'full' ? 0.74 : 1;
    const x = width / 2 + (across[index] ?? 0) * ((width - below.width) / 2 - PAD) * reach;
    const y = height / 2 + (down[index] ?? 0) * ((height - box.height) / 2 - PAD);
    return {
      x,
      y,
      isBeside,
      isUpper: y < height / 2,
      box: { x: x - box.width / 2, y: y - box.height / 2, width: box.width, height: box.height },
    };
  });
  return { detail, scale, drawing, lineHeight, places };
};

const scaleOf = (count: number, detail: Arrangement['detail'], { width, height }: Frame): number => {
  if (detail === 'phone') return count === 1 ? 0.9 : count <= FULL_NODES_MAX ? 0.62 : 0.44;
  if (detail === 'compact') return clamp(height / 800, 0.58, 0.9);
  return count <= 2
    ? clamp(Math.min(width / 560, height / 330), 0.9, 1.7)
    : clamp(Math.min(width / 880, height / 470), 0.9, 1.5);
};

/** Values moved and stretched to −1..1, so that the ring fills its frame also for odd counts; 0 where all are alike. */
const stretched = (values: readonly number[]): readonly number[] => {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return values.map(value => (high - low < 1e-6 ? 0 : ((value - low) / (high - low)) * 2 - 1));
};

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
