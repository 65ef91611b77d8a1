// Conversations against a server with a prefix cache and a known prefill speed: the cached tokens in its replies, on
// its metrics page and in the times to first token agree.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const TOKENS_PER_SECOND = 4_000;

test('times to first token follow what was not cached, and hits on the page of metrics are those of the replies', async () => {
  await using mock = await startMock({
    ttftMs: 0,
    gapMs: 0,
    outputTokens: 7,
    keepsPrefixes: true,
    prefillTokensPerSecond: TOKENS_PER_SECOND,
  });
  using folder = temporaryDirectory();
  const request = requestHere(mock.url, {
    pattern: { kind: 'concurrency', concurrency: 2 },
    shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
    sessions: { turns: { kind: 'fixed', value: 4 }, thinkTime: undefined, answers: 'live' },
    samplesMax: 4,
  });
  const { report } = await runBench(request, partsHere(folder.path));
  const samples = readFileSync(join(folder.path, 'run', 'samples.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(decodeSampleLine)
    .flatMap(line => (line.kind === 'sample' ? [line.sample] : []));
  expect(samples).toHaveLength(16);
  let cached = 0;
  for (const { turn, inputTokens, remark, firstContentNs, sentNs } of samples) {
    const cachedTokens = Math.max(0, remark?.cachedTokens ?? 0);
    cached += cachedTokens;
    // The whole earlier text but the last word, which is cut.
    if (turn?.turn === 0) expect(cachedTokens).toBe(0);
    else expect(cachedTokens).toBeGreaterThan(100);
    const readNs = ((inputTokens - cachedTokens) / TOKENS_PER_SECOND) * 1e9;
    // What it has to read it reads first, and that alone: a microsecond for the rounding of its clock.
    expect(firstContentNs - sentNs).toBeGreaterThanOrEqual(readNs - 1_000);
  }
  const requested = samples.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  expect(report.sessions?.cachedShare).toBe(cached / requested);
  const reported = report.sessions?.byUncached ?? [];
  expect(isUnknown(reported) ? 0 : reported.reduce((sum, { count }) => sum + count, 0)).toBe(16);
  expect(mock.log()).toMatchObject({ promptTokens: requested, cachedTokens: cached });
  const page = await (await fetch(`${mock.url}/metrics`)).text();
  expect(page).toMatch(new RegExp(`^vllm:prefix_cache_queries_total\\S* ${requested}$`, 'm'));
  expect(page).toMatch(new RegExp(`^vllm:prefix_cache_hits_total\\S* ${cached}$`, 'm'));
});
