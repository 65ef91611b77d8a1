// When a server with exact knowledge read each request and wrote each chunk of its answer: a client's own
// stamps are compared with it. Little-endian, one stream after another: u32 sample · u32 count · i64 read ·
// count × i64 written, ns of CLOCK_MONOTONIC. The sample number comes from the nonce in its prompt: the last
// 8 of the first 16 consecutive hexadecimal digits.

export interface TruthStream {
  readonly readNs: bigint;
  /** For each chunk with content. */
  readonly writeNs: readonly bigint[];
}

export const NO_SAMPLE = 0xff_ff_ff_ff;

export const sampleOfPrompt = (text: string): number => {
  const [nonce] = /[0-9a-f]{16}/.exec(text) ?? [];
  return nonce === undefined ? NO_SAMPLE : Number.parseInt(nonce.slice(8), 16);
};

export const encodeTruthStream = (sample: number, { readNs, writeNs }: TruthStream): Buffer => {
  const bytes = Buffer.alloc(HEAD_BYTES + 8 * writeNs.length);
  bytes.writeUInt32LE(sample, 0);
  bytes.writeUInt32LE(writeNs.length, 4);
  bytes.writeBigInt64LE(readNs, 8);
  for (const [index, ns] of writeNs.entries()) bytes.writeBigInt64LE(ns, HEAD_BYTES + 8 * index);
  return bytes;
};

/** Each sample by its number; a truncated one at the end is left out. */
export const decodeTruthStamps = (bytes: Buffer): ReadonlyMap<number, TruthStream> => {
  const streams = new Map<number, TruthStream>();
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const [sample, count] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const from = at + HEAD_BYTES;
    if (from + 8 * count > bytes.length) break;
    streams.set(sample, {
      readNs: bytes.readBigInt64LE(at + 8),
      writeNs: Array.from({ length: count }, (_, index) => bytes.readBigInt64LE(from + 8 * index)),
    });
    at = from + 8 * count;
  }
  return streams;
};

const HEAD_BYTES = 16;
