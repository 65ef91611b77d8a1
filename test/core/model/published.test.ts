// What people published of single devices (test/fixtures/models/published.csv, each row with its source), against the formulas.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deviceClass, type Engine, engineConstants } from '../../../src/core/model/engine-constants.ts';
import { exactly } from '../../../src/core/model/model-facts.ts';
import { type StepTime, stepTime } from '../../../src/core/model/step-time.ts';

describe('single streams as they were published', () => {
  // Mean absolute error of each family where its constants were fitted, and two points; for the two that were
  // not fitted, the predictions of their constants.
  test.each([
    ['llama.cpp on Apple silicon', 0.053],
    ['llama.cpp on Apple silicon, K-quants', 0.137],
    ['MLX on Apple silicon', 0.077],
    ['llama.cpp on GB10', 0.042],
    ['llama.cpp on GeForce and RTX', 0.048],
    ['llama.cpp on GeForce and RTX, K-quants', 0.066],
    ['llama.cpp on GeForce and RTX, experts', 0.09],
    ['llama.cpp on Radeon and Strix Halo', 0.078],
    ['llama.cpp on T4, L40S, A100, H100', 0.169],
  ])('of %s are expected with a mean error of at most %f', (label, most) => {
    const errors = singles()
      .filter(row => row.constants.label === label)
      .map(({ time, tokensPerSecond }) => Math.abs(1 / time.expectedSeconds.value / tokensPerSecond - 1));
    expect(errors.length).toBeGreaterThanOrEqual(2);
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(mean).toBeLessThanOrEqual(most);
  });

  test('are never above the bound', () => {
    const above = singles().filter(({ time, tokensPerSecond }) => tokensPerSecond * time.boundSeconds > 1);
    expect(singles().length).toBeGreaterThan(50);
    expect(above.map(({ name }) => name)).toEqual([]);
  });

  test('that cannot be as they are labelled are', () => {
    const rejected = rows().filter(row => row['use'] === 'reject');
    expect(rejected).toHaveLength(1);
    for (const row of rejected) {
      // 16-bit weights, as the row claims.
      const bytes = Number(row['params_multiplied_per_token_b']) * 2e9;
      const bound = (Number(row['bandwidth_spec_gb_s']) * 1e9) / bytes;
      expect(Number(row['decode_tok_s'])).toBeGreaterThan(bound);
    }
  });
});

const singles = (): readonly {
  readonly name: string;
  readonly tokensPerSecond: number;
  readonly time: StepTime;
  readonly constants: ReturnType<typeof engineConstants>;
}[] =>
  rows()
    .filter(row => row['use'] === 'fit' && row['bandwidth_spec_gb_s'] !== '' && row['layers'] !== '')
    .map(row => {
      const constants = engineConstants(engineOf(row['engine'] ?? ''), deviceClass(row['hardware'] ?? ''), {
        quantisation: (row['quant'] ?? '').replace('_K_M', '_K'),
        hasExperts: /a3b|gpt-oss/.test(row['model'] ?? ''),
      });
      const weightBytes = exactly(Number(row['weight_gb_read_per_token']) * 1e9);
      const cacheBytes = exactly(Number(row['kv_bytes_per_token']) * Number(row['context_tokens']));
      const step = {
        weightBytes,
        expertBytes: exactly(0),
        cacheBytes,
        bytes: exactly(weightBytes.low + cacheBytes.low),
        operations: exactly(Number(row['params_multiplied_per_token_b']) * 2e9),
      };
      const time = stepTime(step, {
        layers: Number(row['layers']),
        constants,
        ceiling: {
          bytesPerSecond: Number(row['bandwidth_spec_gb_s']) * 1e9,
          operationsPerSecond: undefined,
          isMeasured: false,
        },
      });
      return {
        name: `${row['model']} ${row['quant']} on ${row['hardware']}`,
        tokensPerSecond: Number(row['decode_tok_s']),
        time,
        constants,
      };
    });

const engineOf = (text: string): Engine => {
  if (text.includes('llama.cpp')) return 'llama.cpp';
  return text === 'MLX' ? 'mlx' : 'other';
};

const rows = (): readonly Readonly<Record<string, string>>[] => {
  const text = readFileSync(new URL('../../fixtures/models/published.csv', import.meta.url), 'utf8');
  const [head = [], ...lines] = text.trim().split('\n').map(cells);
  return lines.map(line => Object.fromEntries(head.map((name, column) => [name, line[column] ?? ''])));
};

/** Of one line, where a cell with a comma is quoted. */
const cells = (line: string): readonly string[] =>
  [...line.matchAll(/("([^"]*)"|[^,]*)(,|$)/g)].map(([, plain = '', quoted]) => quoted ?? plain);
