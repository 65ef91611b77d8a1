// Prompts for a requested share of cached tokens, against a mock that keeps what it has read.

import { expect, test } from 'vitest';
import { knownOr } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

test.each([
  ['60%', 0.6, []],
  ['25%', 0.25, ['--input-tokens', '300..500', '--prefixes', '2']],
] as const)('--hit-rate %s reaches it, and shows both', async (text, share, args) => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 0, gapMs: 0, outputTokens: 4, keepsPrefixes: true });
  const run = await benchHere(folder.path, [
    mock.url,
    ...['--requests', '200', '--concurrency', '4', '--hit-rate', text, ...args],
  ]);
  expect(run.exit, run.stderr).toBe('ok');
  const { prefixCache, run: made, contamination } = run.report();
  expect(knownOr(made.requests, undefined)?.hitRate).toBe(share);
  expect(prefixCache?.requestedShare).toBe(share);
  const reached = knownOr(prefixCache?.hitShare ?? 0, 0);
  expect(Math.abs(reached - share)).toBeLessThan(0.03);
  expect(run.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /% of the server's prompt tokens came from its cache; \S+ ?% was requested/,
  );
  expect(knownOr(contamination, []).map(({ code }) => code)).not.toContain('prefix-cache');
});
