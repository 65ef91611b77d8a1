// A screenshot with a palette of 256 colours: a third of its size, and of a page of flat surfaces and text nobody sees the
// difference. Reads what Chromium writes: 8 bits a channel, RGB or RGBA, not interlaced (PNG, W3C 2003).

import { constants, crc32, deflateSync, inflateSync } from 'node:zlib';

export const paletted = (png: Uint8Array): Uint8Array => {
  const { width, height, colours } = pixelsOf(Buffer.from(png));
  const palette = paletteOf(colours);
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const colour = colours[y * width + x] ?? 0;
      let index = nearest.get(colour);
      if (index === undefined) {
        index = nearestOf(palette, colour);
        nearest.set(colour, index);
      }
      rows[y * (width + 1) + 1 + x] = index;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE_TYPE, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(colour => [...channelsOf(colour)]))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9, strategy: constants.Z_DEFAULT_STRATEGY })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Row by row, 0xRRGGBB. */
  readonly colours: Uint32Array;
}

const pixelsOf = (png: Buffer): Pixels => {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('no PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, , , interlace] = png.subarray(24, 29);
  const step = type === RGBA_TYPE ? 4 : 3;
  if (depth !== 8 || interlace !== 0 || (type !== RGBA_TYPE && type !== RGB_TYPE))
    throw new Error(`a PNG of another kind: depth ${depth}, type ${type}`);
  const raw = inflateSync(Buffer.concat([...dataOf(png)]));
  const stride = width * step;
  const colours = new Uint32Array(width * height);
  let above: Buffer = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const from = y * (stride + 1);
    const row = unfiltered(raw[from] ?? 0, raw.subarray(from + 1, from + 1 + stride), { above, step });
    for (let x = 0; x < width; x += 1) colours[y * width + x] = row.readUIntBE(x * step, 3);
    above = row;
  }
  return { width, height, colours };
};

function* dataOf(png: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') yield png.subarray(at + 8, at + 8 + length);
    at += length + 12;
  }
}

const unfiltered = (
  filter: number,
  row: Buffer,
  { above, step }: { readonly above: Buffer; readonly step: number },
): Buffer => {
  const whole = Buffer.alloc(row.length);
  for (let at = 0; at < row.length; at += 1) {
    const left = at < step ? 0 : (whole[at - step] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < step ? 0 : (above[at - step] ?? 0);
    whole[at] = ((row[at] ?? 0) + foretold(filter, left, up, corner)) & 255;
  }
  return whole;
};

const foretold = (filter: number, ...[left, up, corner]: readonly [number, number, number]): number => {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default:
      return 0;
  }
};

/** The commonest colours as they are, for surfaces and lines; of the rest the commonest mixtures, for the edges of letters. */
const paletteOf = (colours: Uint32Array): readonly number[] => {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  const palette = byCount.slice(0, EXACT_COLOURS).map(([colour]) => colour);
  const mixtures = new Map<number, { colour: number; count: number }>();
  for (const [colour, count] of byCount.slice(EXACT_COLOURS)) {
    const existing = mixtures.get(colour & MIXTURE_MASK);
    if (existing === undefined) mixtures.set(colour & MIXTURE_MASK, { colour, count });
    else existing.count += count;
  }
  const rest = [...mixtures.values()].sort((a, b) => b.count - a.count);
  return [...palette, ...rest.map(({ colour }) => colour)].slice(0, COLOURS_MAX);
};

const nearestOf = (palette: readonly number[], colour: number): number => {
  const [red, green, blue] = channelsOf(colour);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, candidate] of palette.entries()) {
    const [r, g, b] = channelsOf(candidate);
    const distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
};

const channelsOf = (colour: number): readonly [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
];

const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [RGB_TYPE, PALETTE_TYPE, RGBA_TYPE] = [2, 3, 6];
const COLOURS_MAX = 256;
const EXACT_COLOURS = 112;
/** The upper four bits of each channel. */
const MIXTURE_MASK = 0xf0f0f0;
