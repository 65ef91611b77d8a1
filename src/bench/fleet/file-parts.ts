// Transfers files between coordinator and agent in parts, each compressed separately, so that neither end has more
// than one part in memory in addition to what it stores.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { AGENT_PART_BYTES_MAX } from '../../wire/agent-message.ts';
import { DecodeError } from '../../wire/decode-error.ts';

export interface FilePart {
  /** From 0. */
  readonly index: number;
  readonly isLast: boolean;
  /** Before compression. */
  readonly rawBytes: number;
  readonly bytes: Uint8Array;
}

/** Yields at least one part, which is empty for an empty file. */
export async function* deflatedParts(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<FilePart, void, void> {
  let index = 0;
  let raw = new Uint8Array(AGENT_PART_BYTES_MAX);
  let filled = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; ) {
      if (filled === raw.length) {
        yield await partOf(raw, index, false);
        index += 1;
        raw = new Uint8Array(AGENT_PART_BYTES_MAX);
        filled = 0;
      }
      const taken = chunk.subarray(from, from + raw.length - filled);
      raw.set(taken, filled);
      filled += taken.length;
      from += taken.length;
    }
  }
  yield await partOf(raw.subarray(0, filled), index, true);
}

/**
 * Reads the parts of one file in order: their sum after decompression is limited, independent of their size on the
 * network.
 */
export class PartReader {
  readonly #budget: ExpansionBudget;
  #next = 0;
  #isOver = false;

  constructor(kind: 'agentDataset' | 'agentSamples') {
    this.#budget = new ExpansionBudget(kind, ({ problem }) => new DecodeError(problem));
  }

  /**
   * @throws DecodeError for a part that is out of order, one too many, larger than it states, or not compressed
   * correctly.
   */
  async read(part: FilePart): Promise<Buffer> {
    if (this.#isOver || part.index !== this.#next)
      throw new DecodeError(`part ${part.index} came where part ${this.#next} was due`);
    this.#next += 1;
    this.#isOver = part.isLast;
    const raw = await inflated(part.bytes);
    if (raw.length !== part.rawBytes)
      throw new DecodeError(`a part of ${part.rawBytes} bytes came as ${raw.length}`);
    this.#budget.add(raw.length);
    return raw;
  }

  get isOver(): boolean {
    return this.#isOver;
  }
}

const partOf = async (raw: Uint8Array, index: number, isLast: boolean): Promise<FilePart> => ({
  index,
  isLast,
  rawBytes: raw.length,
  bytes: await deflate(raw, { level: LEVEL }),
});

const inflated = async (bytes: Uint8Array): Promise<Buffer> => {
  try {
    return await inflate(bytes, { maxOutputLength: AGENT_PART_BYTES_MAX });
  } catch (error) {
    throw new DecodeError('a part that cannot be decompressed, or is too large', { cause: error });
  }
};

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** The lowest level halves digits and base64; the highest saves a little more for five times the time. */
const LEVEL = 1;
