import { expect, test } from 'vitest';
import { figureVerdicts, figureVerdictText } from '../../../src/core/run/figure-verdict.ts';

const series = (p50: number, above: number, below = 0) => ({
  count: 50,
  percentiles: { '50': p50, '90': 2 * p50 },
  errorBound: {
    mean: { above, below },
    percentiles: { '50': { above, below }, '90': { above: 1e9, below } },
  },
});

test('a figure is good, has a part of the client in it, or cannot be used, by its bound over its value', () => {
  const verdicts = figureVerdicts({
    ttftNs: series(84e6, 35e6),
    latencyNs: series(1_000e6, 35e6),
    chunkGapNs: series(10e6, 1e6, 7e6),
  });
  expect(verdicts.map(each => figureVerdictText(each).replaceAll(/\s/g, ' '))).toEqual([
    'chunk gap p50 10.0 ms: not usable, the client may be off by 7.00 ms',
    'TTFT p50 84.0 ms: the client adds up to 35.0 ms',
    'latency p50 1.00 s: good to ±35.0 ms',
  ]);
});

test('there is no verdict on a percentile with too few samples, nor on one without a bound', () => {
  expect(figureVerdicts({ ttftNs: { count: 1_000, percentiles: { '50': 1 } } })).toEqual([]);
  expect(figureVerdicts({ ttftNs: { ...series(84e6, 1), count: 64 } })[0]?.percentile).toBe('90');
  expect(figureVerdicts({ ttftNs: series(84e6, 1) }).map(({ percentile }) => percentile)).toEqual(['50']);
});
