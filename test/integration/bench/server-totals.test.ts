// The server's own metrics in a report: totals are exactly what the server served in the run, next to the client's
// counts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import { type EngineStubOptions, startEngineStub } from '../../support/engine-stub.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

const runOf = async (options: EngineStubOptions, args: readonly string[] = []) => {
  using folder = temporaryDirectory();
  await using engine = await startEngineStub(options);
  const run = await benchHere(folder.path, [
    engine.url,
    ...['--requests', '20', '--output-tokens', '8'],
    ...(args.length === 0 ? ['--concurrency', '4'] : args),
  ]);
  const report = run.report();
  const server = knownOr(report.server, undefined);
  if (server === undefined) throw new Error('nothing is known of the server');
  return { ...run, report, server };
};

const totalOf = (series: { readonly total: string } | undefined): number => Number(series?.total);

test.each(['vLLM', 'llama.cpp'] as const)(
  'totals of %s are what the run used, not one token less',
  async kind => {
    const { report, server } = await runOf({ kind });
    expect(report.counts.completed).toBe(20);
    expect(server.countedOver).toBe('whole');
    expect(server.figures.generatedTokens?.rose).toBe(160);
    expect(server.figures.generatedTokens?.rose).toBe(totalOf(report.series.outputTokens));
    expect(server.figures.promptTokens?.rose).toBe(totalOf(report.series.inputTokens));
  },
);

test('a server that counts a reply after its end is waited for', async () => {
  const { report, server } = await runOf({ countsAfterMs: 250 });
  expect(server.figures.generatedTokens?.rose).toBe(totalOf(report.series.outputTokens));
});

test('the queue of the server is named next to the time to first token', async () => {
  const { stdout } = await runOf({ queueSeconds: 5.75, prefillSeconds: 0.2, firstTokenSeconds: 6 });
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /by the server: mean time to first token 6\.0+ s \(client: [\d.]+ [mµ]?s\), of it 5\.75 s in the queue, 200 ms prefill/i,
  );
});

test('llama.cpp reports what it guessed ahead and accepted, and each reply its own times', async () => {
  const { report, server } = await runOf({ kind: 'llama.cpp', drafted: 6, accepted: 4 });
  expect(server.figures.draftedTokens?.rose).toBe(120);
  expect(server.figures.acceptedTokens?.rose).toBe(80);
  // 8 tokens: that of the prompt, then three steps, in which 4 of 6 guesses were accepted.
  expect(server.figures.drafts?.rose).toBe(60);
  expect(report.series.tokensPerStep).toMatchObject({ count: 20, min: expect.closeTo(7 / 3, 5) });
  expect(report.series.acceptedShare).toMatchObject({ count: 20, min: expect.closeTo(4 / 6, 5) });
  expect(report.speculation).toMatchObject({
    acceptedShare: 4 / 6,
    acceptanceLength: 1 + 4 / 3,
    byPosition: [
      { position: 1, ofDrafts: 1, ofReached: 1 },
      { position: 2, ofDrafts: 1 / 3, ofReached: 1 / 3 },
    ],
    byTercile: { kind: 'unknown' },
  });
  expect(report.series.serverPromptNs).toMatchObject({ count: 20, mean: 4_500_000 });
  expect(report.series.serverDecodeNs).toMatchObject({ count: 20, mean: 8_250_000 });
  expect(report.series.serverLoadNs?.count).toBe(0);
  expect(knownOr(report.contamination, []).map(({ code }) => code)).toEqual(['speculative-decoding']);
});

const factsOf = (report: Report): Readonly<Record<string, string>> => {
  const reported = isKnown(report.provenance) ? knownOr(report.provenance.server, []) : [];
  return Object.fromEntries(reported.flatMap(({ facts }) => facts.map(({ name, value }) => [name, value])));
};

test('vLLM reports its build, its cache and the fingerprint of its replies', async () => {
  const { report } = await runOf({ fingerprint: 'vllm-0.32.0-tp1-1a2b3c4d' });
  expect(factsOf(report)).toMatchObject({
    system_fingerprint: 'vllm-0.32.0-tp1-1a2b3c4d',
    version: '0.32.0',
    num_gpu_blocks: '2048',
    cache_dtype: 'auto',
  });
});

test('more requests at a time than a llama.cpp has slots are named, next to its build, slots and context', async () => {
  const { report, stdout } = await runOf({ kind: 'llama.cpp', slots: 4 }, ['--concurrency', '8']);
  expect(report.notices).toContain(
    '8 in flight on 4 slots of the server: the others wait in its queue, and that wait is part of their time to first token (llama.cpp: --parallel N)',
  );
  expect(stdout).toContain('8 in flight on 4 slots');
  expect(factsOf(report)).toMatchObject({ build_info: 'b11434-0a1b2c3d', total_slots: '4' });
});

test('the template of a llama.cpp that reports its cached tokens spoils nothing', async () => {
  const { report } = await runOf({ kind: 'llama.cpp', templateTokens: 21 });
  expect(report.contamination).toEqual([]);
});

test('a llama.cpp without --metrics shows what its slots show', async () => {
  const { report, server } = await runOf({ kind: 'llama.cpp', outputTokens: 200, missing: ['/metrics'] });
  expect(server.figures.running?.max).toBeGreaterThanOrEqual(1);
  expect(server.figures.kvUsage?.max).toBeCloseTo(((server.figures.running?.max ?? 0) * 512) / (4 * 4_096));
  expect(server.figures.generatedTokens).toBeUndefined();
  expect(report.counts.completed).toBe(20);
});

test('a server that begins again in the middle of a run has lower bounds as totals, and the report reports it', async () => {
  using folder = temporaryDirectory();
  // The warm-up and the look before the run are among its replies.
  await using engine = await startEngineStub({ restartsAfter: 45, outputTokens: 8 });
  const run = await benchHere(folder.path, [
    engine.url,
    '--warmup',
    '8',
    '--requests',
    '40',
    '--concurrency',
    '1',
  ]);
  const server = knownOr(run.report().server, undefined);
  expect(server?.restarts).toBe(1);
  const generated = server?.figures.generatedTokens?.rose ?? 0;
  expect(generated).toBeGreaterThan(0);
  expect(generated).toBeLessThanOrEqual(320);
  expect(readFileSync(join(run.directory, 'report.txt'), 'utf8')).toContain(
    'The counters of the server were reset 1 time, as after a restart: its totals are lower bounds',
  );
});
