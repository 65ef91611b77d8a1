// Several models in one run: which request goes to which, and that figures are separate.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { parseMix } from '../../../src/cli/bench/parse-bench-options.ts';
import { mixedOrder, mixText } from '../../../src/core/run/model-mix.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const MIX = [
  { model: 'base', weight: 0.7 },
  { model: 'one', weight: 0.2 },
  { model: 'two', weight: 0.1 },
];

describe('a mix of models', () => {
  test('has of any number of requests the shares that its weights report, to within a few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer(), (count, seed) => {
        const order = mixedOrder(MIX, 3_000, seed).slice(0, count);
        for (const [variant, { weight }] of MIX.entries()) {
          const drawn = order.filter(each => each === variant).length;
          expect(Math.abs(drawn - count * weight)).toBeLessThanOrEqual(20);
        }
      }),
      { numRuns: 50 },
    );
    expect(mixedOrder(MIX, 100, 1)).toEqual(mixedOrder(MIX, 100, 1));
    expect(mixedOrder(MIX, 100, 1)).not.toEqual(mixedOrder(MIX, 100, 2));
  });

  test.each([
    ['base=0.7,one=0.2,two=0.1', MIX],
    ['org/model-7b', undefined],
    ['a=b', undefined],
    ['a,b', undefined],
  ])('is %s as it is written, or one model', (text, mix) => {
    expect(parseMix(text)).toEqual({ kind: 'ok', value: mix });
    if (mix !== undefined) expect(mixText(mix)).toBe(text);
  });

  test.each(['a=0,b=1', 'a=1,a=2', 'a=1000,b=1'])('%s is refused', text => {
    expect(parseMix(text)).toMatchObject({ kind: 'wrong' });
  });

  test('is asked by weight, and each model has figures of its own', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({
      models: ['base', 'one'],
      ttftMs: 1,
      gapMs: 0,
      outputTokens: 3,
    });
    const models = [
      { model: 'base', weight: 3 },
      { model: 'mock-fail-http-500', weight: 1 },
    ];
    const { report } = await runBench(
      requestHere(mock.url, { model: 'base', models, samplesMax: 40 }),
      partsHere(folder.path),
    );
    expect(report.counts).toMatchObject({ issued: 40, completed: 30, failed: 10 });
    expect(report.run).toMatchObject({ model: 'base=3,mock-fail-http-500=1', models });
    expect(report.variants).toMatchObject([
      { variant: 0, completed: 30, failed: 0, outputTokens: 90 },
      { variant: 1, completed: 0, failed: 10, ttftNs: null },
    ]);
    // No reply named another model than was asked for.
    expect(JSON.stringify(report.contamination)).not.toContain('other-model');
  });
});
