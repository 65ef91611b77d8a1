// Whole runs over servers' own APIs, against their mocks: the report contains what the server did.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { SERVER_APIS, serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

/** The strangest by default: a run starts processes. */
const TRIED = SERVER_APIS.filter(({ name }) => isLongRun || /^(embeddings|rerank|ollama)$/.test(name));

test.each(TRIED.map(api => ({ name: api.name, api })))(
  'a run over $name has exact figures',
  async ({ api }) => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 2, gapMs: 0, outputTokens: 7, cachedShare: 0.5 });
    const { report } = await runBench(
      requestHere(mock.url, { api, isStreaming: api.canStream, samplesMax: 12 }),
      partsHere(folder.path),
    );
    expect(report).toMatchObject({
      complete: true,
      counts: { issued: 12, completed: 12, failed: 0 },
      run: { api: api.name },
    });
    const isRanking = api.name === 'rerank';
    // 128 words and the nonce; of a ranking 12 words, the nonce, and ten documents of 128.
    const words = isRanking ? 1_293 : 129;
    expect(report.series.inputTokens).toMatchObject({ count: 12, min: words, max: words });
    const { outputTokens, ttftNs, rankedDocuments } = report.series;
    expect(rankedDocuments?.total ?? '0').toBe(isRanking ? '120' : '0');
    expect(report.documentsPerSecond).toEqual(
      isRanking && isKnown(report.requestsPerSecond)
        ? expect.closeTo(10 * report.requestsPerSecond, 6)
        : undefined,
    );
    expect(outputTokens?.total ?? '0').toBe(api.writesAnswers ? '84' : '0');
    expect(ttftNs?.count ?? 0).toBe(api.canStream ? 12 : 0);
    expect(mock.log()).toMatchObject({ outputTokens: api.writesAnswers ? 84 : 0 });
  },
);

test('a run of rankings from a file counts the documents of each reply', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'rankings.jsonl');
  const rows = [
    { query: 'red fruit', documents: ['an apple', 'a leek', 'a cherry'] },
    { query: 'green', documents: [{ text: 'a leek' }] },
  ];
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  await using mock = await startMock({ ttftMs: 2 });
  const { report } = await runBench(
    requestHere(mock.url, {
      api: serverApi('rerank'),
      isStreaming: false,
      samplesMax: 6,
      dataset: { kind: 'file', path, shownPath: 'rankings.jsonl', column: undefined },
      requests: { ...requestHere(mock.url).requests, fields: { top_n: 2 } },
    }),
    partsHere(folder.path),
  );
  expect(report).toMatchObject({ complete: true, counts: { completed: 6 } });
  expect(report.series.rankedDocuments).toMatchObject({ count: 6, min: 1, max: 2, total: '9' });
  const lines = readFileSync(join(folder.path, 'run', 'samples.jsonl'), 'utf8').split('\n');
  const counts = lines.flatMap(line => /"counts":(\{[^}]*\})/.exec(line)?.slice(1) ?? []);
  expect(counts.map(text => JSON.parse(text).rankedDocuments).toSorted()).toEqual([1, 1, 1, 2, 2, 2]);
});
