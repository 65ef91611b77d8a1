// Whole runs over servers' own APIs, against their mocks: the report contains what the server did.

import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

/** The strangest two by default: a run starts processes. */
const TRIED = SERVER_APIS.filter(({ name }) => isLongRun || /^(embeddings|ollama)$/.test(name));

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
    // 128 words and the nonce.
    expect(report.series.inputTokens).toMatchObject({ count: 12, min: 129, max: 129 });
    const { outputTokens, ttftNs } = report.series;
    expect(outputTokens?.total ?? '0').toBe(api.writesAnswers ? '84' : '0');
    expect(ttftNs?.count ?? 0).toBe(api.canStream ? 12 : 0);
    expect(mock.log()).toMatchObject({ outputTokens: api.writesAnswers ? 84 : 0 });
  },
);
