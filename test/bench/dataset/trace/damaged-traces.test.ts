import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../src/bench/bench-error.ts';
import { DatasetDigest } from '../../../../src/bench/dataset/dataset-chunks.ts';
import type { TraceFormat } from '../../../../src/bench/dataset/trace/trace.ts';
import { traceEntries } from '../../../../src/bench/dataset/trace/trace-file.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { longCount } from '../../../support/counts.ts';
import { damagedBytes } from '../../../support/damaged-bytes.ts';
import {
  agenticConversations,
  azureLines,
  burstGptLines,
  captureLines,
  mooncakeLines,
} from '../../../support/made-up-trace.ts';
import { temporaryFile } from '../../../support/temporary-file.ts';

const REQUEST = { seed: 5, requests: 24 };

const FORMATS: readonly (readonly [name: string, format: TraceFormat, lines: readonly string[]])[] = [
  ['Mooncake', 'mooncake', mooncakeLines(REQUEST)],
  ['Azure', 'azure', azureLines(REQUEST)],
  ['BurstGPT', 'burstgpt', burstGptLines(REQUEST, 'first')],
  ['BurstGPT with sessions', 'burstgpt', burstGptLines(REQUEST, 'with sessions')],
  ['agents', 'agentic', agenticConversations(REQUEST)],
  ['captures', 'capture', captureLines(REQUEST)],
];

const read = async (bytes: Uint8Array, format: TraceFormat): Promise<number> => {
  using file = temporaryFile('trace', bytes);
  const location = { path: file.path, shownPath: 'a.trace', signal: new AbortController().signal };
  let requests = 0;
  const counts = { leftOut: 0 };
  for await (const entry of traceEntries(location, format, { digest: new DatasetDigest(), counts }))
    requests += entry.requests.length;
  return requests + counts.leftOut;
};

describe('a damaged trace', () => {
  test.each(FORMATS)(
    'of %s is read or refused with its line',
    async (_, format, lines) => {
      const good = Buffer.from(`${lines.join('\n')}\n`);
      expect(await read(good, format)).toBe(REQUEST.requests);
      const random = seededRandom(17);
      let refused = 0;
      for (let round = 0; round < longCount(100, 2_000); round += 1) {
        const outcome = await read(damagedBytes(good, round, random), format).catch(
          (error: unknown) => error,
        );
        if (typeof outcome === 'number') {
          expect(outcome).toBeLessThanOrEqual(REQUEST.requests);
          continue;
        }
        if (!(outcome instanceof BenchError)) throw outcome;
        refused += 1;
        expect(outcome.problem).toMatchObject({ code: 'input', advice: expect.stringMatching(/./) });
        expect(outcome.message).toMatch(/^a\.trace:\d+: /);
      }
      expect(refused).toBeGreaterThan(20);
    },
    longCount(30_000, 300_000),
  );
});
