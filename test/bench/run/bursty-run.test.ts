// A run whose arrivals come in bursts, against the mock: what every form of its report shows of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { FOREIGN_FORMS } from '../../../src/report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../../src/report/foreign/foreign-series.ts';
import { runPage } from '../../../src/report/html/run-page.ts';
import { runMarkdown } from '../../../src/report/markdown/run-markdown.ts';
import { runConfigFromJson } from '../../../src/wire/stored-json.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const LABEL = 'gamma 80.0 req/s, burstiness 0.5';
const plain = (text: string): string => text.replace(/\s+/gu, ' ');

test('a run with bursts reports them in its files and in every form of its report', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 });
  const pattern = { kind: 'gamma', requestsPerSecond: 80, burstiness: 0.5 } as const;
  const { report } = await runBench(
    requestHere(mock.url, { pattern, samplesMax: 40 }),
    partsHere(folder.path),
  );
  expect(report.counts).toMatchObject({ issued: 40, completed: 40 });
  expect(report.run.pattern).toEqual(pattern);
  const directory = join(folder.path, 'run');
  expect(runConfigFromJson(readFileSync(join(directory, 'config.json'), 'utf8')).run.pattern).toEqual(
    pattern,
  );
  for (const text of [
    renderReport(report, { isUnicode: true, isFull: true }).join('\n'),
    runMarkdown(report),
    runPage({ report, overTime: undefined, fonts: [] }),
  ])
    expect(plain(text)).toContain(LABEL);
  let vllm = '';
  for await (const part of FOREIGN_FORMS.vllm(report, () =>
    measuredSamples(join(directory, 'samples.jsonl')),
  ))
    vllm += part;
  expect(JSON.parse(vllm)).toMatchObject({ request_rate: 80, burstiness: 0.5 });
});
