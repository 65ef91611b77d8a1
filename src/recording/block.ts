// A recording on disk is a series of blocks: a zstd frame of lines, and before it a skippable frame (RFC 8878 §3.1.2)
// with its length and checksum. So `zstd -dc FILE` reads it like any other, while we can find the last complete block
// of a truncated file and the first invalid one of a damaged file. Each block is independent.

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { INPUT_LIMITS } from '../core/input/input-limits.ts';

export const BLOCK_HEAD_BYTES = 16;

export const encodeBlock = (text: string): Uint8Array => {
  const frame = zstdCompressSync(Buffer.from(text, 'utf8'), {
    params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL },
  });
  const head = Buffer.alloc(BLOCK_HEAD_BYTES);
  head.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  head.writeUInt32LE(HEAD_CONTENT_BYTES, 4);
  head.writeUInt32LE(frame.length, 8);
  head.writeUInt32LE(crc32(frame), 12);
  return Buffer.concat([head, frame]);
};

type BlockHead =
  | { readonly kind: 'head'; readonly frameBytes: number; readonly checksum: number }
  | { readonly kind: 'wrong' };

export const decodeBlockHead = (bytes: Uint8Array): BlockHead => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (head.length < BLOCK_HEAD_BYTES || head.readUInt32LE(0) !== SKIPPABLE_MAGIC) return { kind: 'wrong' };
  const frameBytes = head.readUInt32LE(8);
  if (head.readUInt32LE(4) !== HEAD_CONTENT_BYTES || frameBytes > INPUT_LIMITS.recording.bytesMax)
    return { kind: 'wrong' };
  return { kind: 'head', frameBytes, checksum: head.readUInt32LE(12) };
};

/** Undefined if the checksum, the frame or its size is wrong. */
export const decodeBlockText = (frame: Uint8Array, checksum: number): string | undefined => {
  if (crc32(frame) !== checksum) return undefined;
  try {
    const bytes = zstdDecompressSync(frame, { maxOutputLength: INPUT_LIMITS.recording.expandedBytesMax });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const SKIPPABLE_MAGIC = 0x184d2a50;
const HEAD_CONTENT_BYTES = 8;
/** Half the size of level 3 on event streams, and still one millisecond per block. */
const COMPRESSION_LEVEL = 12;
