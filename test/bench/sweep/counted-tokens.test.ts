import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runStage } from '../../../src/bench/sweep/run-stage.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { rateOrder, stageParts } from './stage-setting.ts';

const TOKENIZER = resolve(import.meta.dirname, '../../fixtures/tokenizers/bpe');

test('a stage of a server that reports no usage has the tokens that a tokenizer counted after it', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 1, outputTokens: 5, usage: 'never' });
  const parts = stageParts({ url: mock.url, directory: folder.path });
  const { stage, report } = await runStage(rateOrder(50, { durationMs: 400 }), {
    ...parts,
    request: { ...parts.request, tokenizer: { kind: 'folder', path: TOKENIZER } },
  });
  if (isUnknown(stage.figures)) throw new Error(stage.figures.reason);
  expect(report.outputTokensPerSecond).toBeGreaterThan(0);
  expect(stage.figures.outputTokensPerSecond).toBe(report.outputTokensPerSecond);
  expect(stage.figures.perUserTokensPerSecond).toBe(report.perUserTokensPerSecond.p50);
});
