// What a report says of the server's own metrics: totals are exactly what the server served in the run, next to what the client counted.

import { expect, test } from 'vitest';
import { knownOr } from '../../../src/core/unknown.ts';
import { type EngineStubOptions, startEngineStub } from '../../support/engine-stub.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

const runOf = async (options: EngineStubOptions, args: readonly string[] = []) => {
  using folder = temporaryDirectory();
  await using engine = await startEngineStub(options);
  const run = await benchHere(folder.path, [
    engine.url,
    ...['--requests', '20', '--concurrency', '4', '--output-tokens', '8'],
    ...args,
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
    /by the server: mean time to first token 6\.0+ s \(client: [\d.]+ m?s\), of it 5\.75 s in the queue, 200 ms prefill/i,
  );
});

test('llama.cpp reports what it guessed ahead and accepted', async () => {
  const { server } = await runOf({ kind: 'llama.cpp', drafted: 6, accepted: 4 });
  expect(server.figures.draftedTokens?.rose).toBe(120);
  expect(server.figures.acceptedTokens?.rose).toBe(80);
});
