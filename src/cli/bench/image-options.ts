// `--images` and `--image-size`: pictures in each prompt, made up from the seed.

import type { ImageWish } from '../../bench/dataset/made-up-images.ts';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import type { Parsed } from '../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import type { Invocation, Option } from '../command.ts';
import { value } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { wholeNumberFrom } from './option-values.ts';

export interface ImageOptions {
  readonly images: Option<number | undefined>;
  readonly imageSize: Option<Omit<ImageWish, 'count'> | undefined>;
}

const parseSize = (text: string): Parsed<Omit<ImageWish, 'count'>> => {
  const [, width = '', height = ''] = /^(\d{1,4})x(\d{1,4})$/i.exec(text.trim()) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return [size.width, size.height].every(side => side >= 1 && side <= IMAGE_SIDE_MAX)
    ? parsed(size)
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is no size up to ${IMAGE_SIDE_MAX}x${IMAGE_SIDE_MAX} pixels`,
        'Write: --image-size 512x512',
      );
};

/** In the order of --help. */
export const IMAGES: ImageOptions = {
  images: value({
    name: 'images',
    valueName: 'N',
    meaning: 'Put so many made-up pictures into each prompt, for the APIs chat, messages and ollama.',
    parse: wholeNumberFrom(1, 16),
  }),
  imageSize: value({
    name: 'image-size',
    valueName: 'WxH',
    meaning: 'Their size in pixels. Default: 512x512.',
    parse: parseSize,
  }),
};

/** @throws CommandError `usage` for what has no effect, or cannot be asked. */
export const imageWish = (
  invocation: Invocation,
  { api, others }: { readonly api: ServerApi; readonly others: readonly string[] },
): { readonly images?: ImageWish } => {
  const count = invocation.option(IMAGES.images);
  const size = invocation.option(IMAGES.imageSize);
  if (count === undefined) {
    if (size === undefined) return {};
    throw usage('--image-size has no effect without --images', 'Write: --images 1 --image-size 512x512');
  }
  const [other] = others;
  if (other !== undefined) throw usage(`--images and ${other} cannot be combined`, 'Leave one of them out.');
  if (!ILLUSTRATED.has(api.name))
    throw usage(`--images is not for the API ${api.name}`, 'Use --api chat, messages or ollama.');
  return { images: { count, ...(size ?? SIZE) } };
};

const usage = (problem: string, advice: string): CommandError => new CommandError('usage', problem, advice);

/** Their adapters have a place for pictures. */
const ILLUSTRATED: ReadonlySet<string> = new Set(['chat', 'messages', 'ollama']);
const SIZE = { width: 512, height: 512 };
/** Bound in docs/limits.md. */
const IMAGE_SIDE_MAX = 4_096;
