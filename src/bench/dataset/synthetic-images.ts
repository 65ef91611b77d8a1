// Synthetic images for prompts, drawn by a seed: PNG (RFC 2083) of coloured squares, so that no two are equal and an
// image takes some kilobytes, because squares compress well.

import { crc32, deflateSync } from 'node:zlib';
import { type SeededRandom, seededRandom } from '../../core/random.ts';
import type { Message } from './message.ts';
import type { Prompt } from './prompt.ts';

export interface ImageDatasetOptions {
  /** Number of images in each prompt. */
  readonly count: number;
  readonly source: ImageSize | { readonly kind: 'folder'; readonly path: string; readonly shownPath: string };
}

export interface ImageSize {
  readonly kind: 'made-up';
  readonly width: number;
  readonly height: number;
}

/** Returns one image after another, as data URLs. */
type NextImage = () => string;

export const madeUpImages = (size: ImageSize, seed: number): NextImage => {
  const random = seededRandom((seed ^ IMAGE_STREAM) >>> 0);
  return () => `data:image/png;base64,${madeUpPng(size, random).toString('base64')}`;
};

/** Cycles through all of them. */
export const imagesInTurn = (dataUrls: readonly string[]): NextImage => {
  let at = 0;
  return () => dataUrls[at++ % dataUrls.length] ?? '';
};

/** Adds images to each prompt, after the text of its last message that has one. */
export const withImages = (prompts: readonly Prompt[], count: number, next: NextImage): readonly Prompt[] =>
  prompts.map(prompt => {
    const at = prompt.messages.findLastIndex(
      ({ content }) => typeof content === 'string' || Array.isArray(content),
    );
    const messages = prompt.messages.map((message, index) =>
      index === at ? illustrated(message, count, next) : message,
    );
    return { ...prompt, messages };
  });

const illustrated = (message: Message, count: number, next: NextImage): Message => {
  const { content } = message;
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const images = Array.from({ length: count }, () => ({
    type: 'image_url',
    image_url: { url: next() },
  }));
  return { ...message, content: [...texts, ...images] };
};

export const madeUpPng = ({ width, height }: Omit<ImageSize, 'kind'>, random: SeededRandom): Buffer => {
  const rowBytes = 1 + width * 3;
  const pixels = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += SQUARE) {
    const row = Buffer.alloc(rowBytes);
    for (let x = 0; x < width; x += SQUARE) {
      const colour = random.below(2 ** 24);
      for (let at = x; at < Math.min(width, x + SQUARE); at += 1) row.writeUIntBE(colour, 1 + at * 3, 3);
    }
    for (let line = y; line < Math.min(height, y + SQUARE); line += 1) row.copy(pixels, line * rowBytes);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a channel, true colour.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', NOTHING),
  ]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const NOTHING = Buffer.alloc(0);
/** Side of a square, in pixels. */
const SQUARE = 8;
/** Separates these draws from others of the seed. */
const IMAGE_STREAM = 0x1a6e5eed;
