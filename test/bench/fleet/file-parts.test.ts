import { describe, expect, test } from 'vitest';
import { deflatedParts, PartReader } from '../../../src/bench/fleet/file-parts.ts';
import { AGENT_PART_BYTES_MAX } from '../../../src/wire/agent-message.ts';

const partsOf = async (...chunks: readonly Uint8Array[]) => {
  const parts = [];
  for await (const part of deflatedParts(chunks)) parts.push(part);
  return parts;
};

describe('a file that is sent in parts', () => {
  test('arrives as it was, however it was read', async () => {
    const file = Buffer.alloc(2.5 * AGENT_PART_BYTES_MAX);
    for (let at = 0; at < file.length; at += 1) file[at] = (at * 7_919) >> 5;
    const parts = await partsOf(file.subarray(0, 10), file.subarray(10, 2_000_000), file.subarray(2_000_000));
    expect(parts.map(({ index, isLast, rawBytes }) => [index, isLast, rawBytes])).toEqual([
      [0, false, AGENT_PART_BYTES_MAX],
      [1, false, AGENT_PART_BYTES_MAX],
      [2, true, AGENT_PART_BYTES_MAX / 2],
    ]);
    const reader = new PartReader('agentSamples');
    const arrived = [];
    for (const part of parts) arrived.push(await reader.read(part));
    expect(Buffer.concat(arrived).equals(file)).toBe(true);
    expect(reader.isOver).toBe(true);
  });

  test('that is empty is one empty part', async () => {
    expect(await partsOf()).toMatchObject([{ index: 0, isLast: true, rawBytes: 0 }]);
  });

  test('is refused out of order, behind its end, inflated past its bound, and where it is no such thing', async () => {
    const [first] = await partsOf(Buffer.from('hello'));
    if (first === undefined) throw new Error('no part');
    await expect(new PartReader('agentSamples').read({ ...first, index: 1 })).rejects.toThrow(
      'part 1 came where part 0',
    );
    const read = new PartReader('agentSamples');
    await read.read(first);
    await expect(read.read({ ...first, index: 1 })).rejects.toThrow('part 1 came');
    await expect(new PartReader('agentSamples').read({ ...first, rawBytes: 9 })).rejects.toThrow(
      '9 bytes came as 5',
    );
    const noise = { ...first, bytes: Buffer.from('not deflated at all') };
    await expect(new PartReader('agentSamples').read(noise)).rejects.toThrow('cannot be decompressed');
    const { deflateRawSync } = await import('node:zlib');
    const bomb = { ...first, bytes: deflateRawSync(Buffer.alloc(AGENT_PART_BYTES_MAX + 1)) };
    await expect(new PartReader('agentSamples').read(bomb)).rejects.toThrow(
      'cannot be decompressed, or is too large',
    );
  });
});
