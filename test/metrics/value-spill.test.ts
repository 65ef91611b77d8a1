import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RawValues } from '../../src/core/statistics/raw-values.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { ValueSpill, type ValueSpillOptions } from '../../src/metrics/value-spill.ts';
import { sampleOf } from '../support/sample-of.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const COUNT = 200_000;
const numberAt = (at: number): number => (at * 7_919) % COUNT;
const BLOCK_BYTES = 65_536 * 8;

const filled = (store: ValueSpill): RawValues => {
  const raw = new RawValues(undefined, store);
  for (let at = 0; at < COUNT; at += 1) raw.add(numberAt(at));
  return raw;
};

describe('raw values past what stays in memory', () => {
  const inFolder = (folder: string, options: ValueSpillOptions): ValueSpill =>
    new ValueSpill(folder, { spareBytes: 0, ...options });

  test('lie in a file without a name, and come back as they came', () => {
    using folder = temporaryDirectory();
    using store = inFolder(folder.path, { keptBytesMax: BLOCK_BYTES });
    const raw = filled(store);
    expect(store.writtenBytes).toBe(BLOCK_BYTES);
    expect(readdirSync(folder.path)).toEqual([]);
    expect(raw.inOrder()).toEqual(Float64Array.from({ length: COUNT }, (_, at) => numberAt(at)));
    expect(raw.sorted()).toEqual(Float64Array.from({ length: COUNT }, (_, at) => at));
  });

  test.each([
    ['the disk has too little room', { spareBytes: 2 ** 60 }, ''],
    ['the folder is not there', {}, 'gone'],
  ])('stay in memory where %s', (_, options, below) => {
    using folder = temporaryDirectory();
    using store = inFolder(join(folder.path, below), { keptBytesMax: 0, ...options });
    expect(filled(store).sorted()).toEqual(Float64Array.from({ length: COUNT }, (__, at) => at));
    expect(store.writtenBytes).toBe(0);
  });

  test('give a run the same account', () => {
    using folder = temporaryDirectory();
    using store = inFolder(folder.path, { keptBytesMax: 0 });
    const finalOf = (more: { readonly store?: ValueSpill }) => {
      const pattern = { kind: 'max-throughput' } as const;
      const metrics = new RunMetrics({ pattern, isStreaming: false, objectives: [], ...more });
      for (let sampleId = 0; sampleId < 131_000; sampleId += 1) {
        const sample = sampleOf({
          sampleId,
          endNs: 1 + numberAt(sampleId),
          outputTokens: 1 + (sampleId % 9),
        });
        metrics.issued(sample);
        metrics.ended(sample);
      }
      return metrics.final();
    };
    expect(finalOf({ store })).toEqual(finalOf({}));
    expect(store.writtenBytes).toBeGreaterThan(0);
  });
});
