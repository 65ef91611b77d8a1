import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../src/bench/bench-error.ts';
import { DatasetDigest } from '../../../../src/bench/dataset/dataset-chunks.ts';
import type { TraceFormat } from '../../../../src/bench/dataset/trace/trace.ts';
import { traceEntries } from '../../../../src/bench/dataset/trace/trace-file.ts';
import type { SeededRandom } from '../../../../src/core/random.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { longCount } from '../../../support/counts.ts';
import {
  agenticConversations,
  azureLines,
  burstGptLines,
  mooncakeLines,
} from '../../../support/made-up-trace.ts';
import { temporaryFile } from '../../../support/temporary-file.ts';

const WISH = { seed: 5, requests: 24 };

const FORMATS: readonly (readonly [name: string, format: TraceFormat, lines: readonly string[]])[] = [
  ['Mooncake', 'mooncake', mooncakeLines(WISH)],
  ['Azure', 'azure', azureLines(WISH)],
  ['BurstGPT', 'burstgpt', burstGptLines(WISH, 'first')],
  ['BurstGPT with sessions', 'burstgpt', burstGptLines(WISH, 'with sessions')],
  ['agents', 'agentic', agenticConversations(WISH)],
];

const read = async (bytes: Uint8Array, format: TraceFormat): Promise<number> => {
  using file = temporaryFile('trace', bytes);
  const place = { path: file.path, shownPath: 'a.trace', signal: new AbortController().signal };
  let requests = 0;
  const counts = { leftOut: 0 };
  for await (const entry of traceEntries(place, format, { digest: new DatasetDigest(), counts }))
    requests += entry.requests.length;
  return requests + counts.leftOut;
};

/** A flipped bit, an end that is missing, or a value of another type. */
const damaged = (good: Buffer, round: number, random: SeededRandom): Uint8Array => {
  const at = random.below(good.length);
  if (round % 3 === 0) return good.subarray(0, at);
  if (round % 3 === 1) {
    const bytes = Buffer.from(good);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  }
  const text = good.toString('utf8');
  const numbers = [...text.matchAll(/\d+/g)];
  const number = numbers[random.below(numbers.length)];
  const wrong = ['null', '"x"', '-1', '1e999', '[]', '{}', '', '1.5'][random.below(8)] ?? '';
  return Buffer.from(
    text.slice(0, number?.index) + wrong + text.slice((number?.index ?? 0) + (number?.[0].length ?? 0)),
  );
};

describe('a damaged trace', () => {
  test.each(FORMATS)('of %s is read or refused with its line', async (_, format, lines) => {
    const good = Buffer.from(`${lines.join('\n')}\n`);
    expect(await read(good, format)).toBe(WISH.requests);
    const random = seededRandom(17);
    let refused = 0;
    for (let round = 0; round < longCount(100, 2_000); round += 1) {
      const outcome = await read(damaged(good, round, random), format).catch((error: unknown) => error);
      if (typeof outcome === 'number') {
        expect(outcome).toBeLessThanOrEqual(WISH.requests);
        continue;
      }
      if (!(outcome instanceof BenchError)) throw outcome;
      refused += 1;
      expect(outcome.problem).toMatchObject({ code: 'input', advice: expect.stringMatching(/./) });
      expect(outcome.message).toMatch(/^a\.trace:\d+: /);
    }
    expect(refused).toBeGreaterThan(20);
  });
});
