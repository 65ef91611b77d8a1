// Requests of one token next to a load, against the mock: apart from the load's figures, in every form of its report.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { runPage } from '../../../src/report/html/run-page.ts';
import { runMarkdown } from '../../../src/report/markdown/run-markdown.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

test('probes are sent next to the load, are in none of its figures, and have a section in every form', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 20, gapMs: 0, outputTokens: 3 });
  const { report } = await runBench(
    requestHere(mock.url, { samplesMax: 100, probeRate: 20 }),
    partsHere(folder.path),
  );
  expect(report.counts).toMatchObject({ issued: 100, completed: 100, failed: 0 });
  const { probes } = report;
  if (probes === undefined || !isKnown(probes.latencyNs)) throw new Error('there are no probes');
  expect(probes.sent).toBeGreaterThan(0);
  expect(probes.answered).toBe(probes.sent);
  expect(probes.latencyNs.p50).toBeGreaterThan(19e6);
  expect(probes.latencyNs.max).toBeGreaterThanOrEqual(probes.latencyNs.p95);
  // The server has counted them, and they are not another client's.
  if (isKnown(report.contamination))
    expect(report.contamination.map(({ code }) => code)).not.toContain('other-clients');
  const lines = readFileSync(join(folder.path, 'run', 'samples.jsonl'), 'utf8').split('\n');
  expect(lines.filter(line => line.startsWith('{"kind":"sample"'))).toHaveLength(100);
  for (const text of [
    renderReport(report, { isUnicode: true, isFull: true }).join('\n'),
    runMarkdown(report),
    runPage({ report, overTime: undefined, fonts: [] }),
  ])
    expect(text).toContain('Others waited ');
  expect((await rebuildReport(join(folder.path, 'run'))).probes).toEqual(probes);
});

test('a run that does not request them has none', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 });
  const { report } = await runBench(requestHere(mock.url), partsHere(folder.path));
  expect(report.probes).toBeUndefined();
});
