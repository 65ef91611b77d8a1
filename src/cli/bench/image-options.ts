// `--images`, `--image-size` and `--image-folder`: pictures in each prompt, made up from the seed or a person's own.

import { resolve } from 'node:path';
import type { ImageDatasetOptions, ImageSize } from '../../bench/dataset/synthetic-images.ts';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, needs, nonEmpty, optionsIn, wholeText } from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';

const { value, valueOr } = optionsIn('Requests');

const parseSize = (text: string): Parsed<Omit<ImageSize, 'kind'>> => {
  const [, width = '', height = ''] = /^(\d{1,4})x(\d{1,4})$/i.exec(text.trim()) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return [size.width, size.height].every(side => side >= 1 && side <= IMAGE_SIDE_MAX)
    ? parsed(size)
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is not a size of at most ${IMAGE_SIDE_MAX}x${IMAGE_SIDE_MAX} pixels`,
        'Write: --image-size 512x512',
      );
};

/** Prompts with images are made on this machine, and are not part of a history. */
const NOT_WITH_IMAGES = ['turns', 'multi-turn', 'from', 'agents'] as const;

/** In the order of --help. */
export const IMAGES = {
  images: value({
    name: 'images',
    rules: [excludes(NOT_WITH_IMAGES)],
    valueName: 'N',
    meaning: 'Put this many synthetic images into each prompt, for the APIs chat, messages and ollama.',
    parse: wholeNumberFrom(1, 16),
  }),
  imageSize: valueOr({
    name: 'image-size',
    fallback: '512x512',
    rules: [
      excludes(['image-folder'], {
        advice: 'Images of a folder are sent as they are: leave out --image-size.',
      }),
      needs({ images: '1' }),
    ],
    valueName: 'WxH',
    meaning: 'The size of synthetic images in pixels.',
    parse: parseSize,
  }),
  imageFolder: value({
    name: 'image-folder',
    rules: [excludes(NOT_WITH_IMAGES)],
    valueName: 'DIR',
    meaning:
      'Use the images of this folder in turn (PNG, JPEG, WebP) instead of synthetic ones. Without --images: one per prompt.',
    reads: wholeText,
    parse: nonEmpty,
  }),
};

/** @throws CommandError `usage` for what has no effect, or cannot be asked. */
export const imageDatasetOptions = (
  invocation: Invocation,
  { api, cwd }: { readonly api: ServerApi; readonly cwd: string },
): { readonly images?: ImageDatasetOptions } => {
  const folder = invocation.option(IMAGES.imageFolder);
  const count = invocation.option(IMAGES.images) ?? (folder === undefined ? undefined : 1);
  const size = invocation.option(IMAGES.imageSize);
  if (count === undefined) return {};
  const given = folder === undefined ? '--images' : '--image-folder';
  if (!ILLUSTRATED.has(api.name))
    throw usage(`${given} is not available with the API ${api.name}`, 'Use --api chat, messages or ollama.');
  if (folder === undefined) return { images: { count, source: { kind: 'made-up', ...size } } };
  return { images: { count, source: { kind: 'folder', path: resolve(cwd, folder), shownPath: folder } } };
};

/** Their adapters accept pictures. */
const ILLUSTRATED: ReadonlySet<string> = new Set(['chat', 'messages', 'ollama']);
/** Bound in docs/limits.md. */
const IMAGE_SIDE_MAX = 4_096;
