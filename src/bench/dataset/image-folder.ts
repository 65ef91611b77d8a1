// The user's own images: the PNG, JPEG and WebP files of a folder, in the order of their names, recognized by their
// first bytes.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputFile } from '../../process/input-file.ts';
import { BenchError } from '../bench-error.ts';

export interface FolderImages {
  readonly shownPath: string;
  /** "data:image/png;base64,…", at least one. */
  readonly dataUrls: readonly string[];
  /** Digest of all of them, concatenated. */
  readonly sha256: string;
}

/** @throws BenchError `input` with the file and the problem; the signal's reason. */
export const readImageFolder = async (
  path: string,
  shownPath: string,
  signal: AbortSignal,
): Promise<FolderImages> => {
  const names = await imageNames(path, shownPath);
  const digest = createHash('sha256').update(DIGEST_VERSION);
  const dataUrls: string[] = [];
  let bytesLeft = IMAGES_BYTES_MAX;
  for (const name of names) {
    signal.throwIfAborted();
    const bytes = await imageBytes(path, name, bytesLeft);
    bytesLeft -= bytes.length;
    // With lengths: the end of one file must not be able to be the start of the next.
    digest.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes);
    dataUrls.push(`data:${typeOf(bytes, name)};base64,${bytes.toString('base64')}`);
  }
  return { shownPath, dataUrls, sha256: digest.digest('hex') };
};

const imageNames = async (path: string, shownPath: string): Promise<readonly string[]> => {
  const names = await readdir(path).catch((error: unknown): never => {
    throw wrongImages(`the folder ${shownPath} cannot be read: ${fileReason(error)}`);
  });
  const images = names.filter(name => EXTENSIONS.has(extname(name).toLowerCase())).toSorted();
  if (images.length === 0)
    throw wrongImages(`${shownPath} has no file that ends in .png, .jpg, .jpeg or .webp`);
  if (images.length > IMAGE_FILES_MAX)
    throw wrongImages(`${shownPath} has ${images.length} pictures, more than ${IMAGE_FILES_MAX}`);
  return images;
};

const imageBytes = async (path: string, name: string, bytesLeft: number): Promise<Buffer> => {
  try {
    const bytes = await readInputFile(join(path, name), 'image');
    if (bytes.length <= bytesLeft) return bytes;
  } catch (error) {
    throw wrongImages(`${name} cannot be read: ${fileReason(error)}`);
  }
  throw wrongImages(`up to ${name} the pictures are larger than ${IMAGES_BYTES_MAX / MEBIBYTE} MiB`);
};

/** The file's extension may be wrong, and a server would refuse each request. */
const typeOf = (bytes: Buffer, name: string): string => {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  throw wrongImages(`${name} begins as no PNG, JPEG or WebP`);
};

const wrongImages = (problem: string): BenchError =>
  new BenchError({
    code: 'input',
    problem: `--image-folder: ${problem}`,
    advice: 'Give a folder of PNG, JPEG or WebP files.',
  });

/** Version 1 covered the bytes alone, concatenated; digests of two versions cannot be compared. */
const DIGEST_VERSION = 'plimsoll images 2\n';
const EXTENSIONS: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.webp']);
const MEBIBYTE = 1_048_576;
/** Half of the limit for all bodies of a run. */
const IMAGES_BYTES_MAX: number = 268_435_456;
const IMAGE_FILES_MAX = 4_096;
