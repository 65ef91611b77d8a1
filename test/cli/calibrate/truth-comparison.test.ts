import { expect, test } from 'vitest';
import { compareWithTruth } from '../../../src/cli/calibrate/truth-comparison.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { decodeTruthStamps, encodeTruthStream, sampleOfPrompt } from '../../../src/wire/truth-stamps.ts';
import { sampleOf } from '../../support/sample-of.ts';

test('errors are what a run measured less what the server wrote, request by request and gap by gap', () => {
  const lines = [0, 1].map(sampleId =>
    encodeSampleLine(
      sampleOf({
        sampleId,
        window: 0,
        outcome: 'completed',
        sentNs: 1_000,
        firstByteNs: 51_200,
        firstContentNs: 51_200,
        chunkGapsNs: [9_900],
        chunkCount: 2,
        endNs: 61_100,
      }),
    ),
  );
  const truth = decodeTruthStamps(
    Buffer.concat([
      encodeTruthStream(0, { readNs: 1_100n, writeNs: [51_000n, 61_000n] }),
      encodeTruthStream(7, { readNs: 0n, writeNs: [] }),
    ]),
  );
  expect(compareWithTruth({ lines: lines.join(''), truth, toRunNs: Number })).toEqual({
    requests: 1,
    chunks: 2,
    ttftErrorNs: { p50: 200, p99: 200 },
    gapErrorNs: { p50: 100, p99: 100 },
    load: { ttftMs: 0.05, gapMs: 0.01, chunks: 2 },
  });
  expect(compareWithTruth({ lines: lines[1] ?? '', truth, toRunNs: Number })).toBeUndefined();
});

test('a mock that stamps reports afterwards when it wrote each chunk of each numbered request, once', async () => {
  await using mock = await startMock({ stampsWrites: true, ttftMs: 1, gapMs: 1, outputTokens: 3 });
  const nonce = '0badcafe0000002a';
  expect(sampleOfPrompt(`[${nonce}] so`)).toBe(42);
  const request = await fetch(`${mock.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: `${nonce} hello` }] }),
  });
  await request.text();
  const fetched = async (path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${mock.url}${path}`)).arrayBuffer());
  const streams = decodeTruthStamps(await fetched('/mock/stamps'));
  expect([...streams.keys()]).toEqual([42]);
  const { readNs = 0n, writeNs = [] } = streams.get(42) ?? {};
  expect(writeNs).toHaveLength(3);
  expect(writeNs.toSorted((a, b) => Number(a - b))).toEqual(writeNs);
  expect(readNs < (writeNs[0] ?? 0n)).toBe(true);
  expect(BigInt((await fetched('/mock/clock')).toString())).toBeGreaterThan(writeNs[2] ?? 0n);
  expect(await fetched('/mock/stamps')).toHaveLength(0);
});
