import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseHistogram, readHistogramFile } from '../../../src/bench/dataset/length-choice.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test.each([
  ['an object of lengths', '{"128": 60, "512": 0.5}'],
  ['pairs', '[[128, 60], [512, 0.5]]'],
])('%s is a histogram', (_, text) => {
  expect(parseHistogram(text)).toEqual({
    kind: 'ok',
    value: {
      kind: 'weighted',
      bins: [
        { min: 128, max: 128, weight: 60 },
        { min: 512, max: 512, weight: 0.5 },
      ],
    },
  });
});

test('bins of a report hold the whole numbers from their lower edge to below the upper one', () => {
  expect(parseHistogram('[[0, 10, 1], [99.5, 200, 2], [200, 200, 3]]')).toMatchObject({
    value: {
      bins: [
        { min: 1, max: 9, weight: 1 },
        { min: 100, max: 199, weight: 2 },
        { min: 200, max: 200, weight: 3 },
      ],
    },
  });
});

test.each([
  ['"128"', 'neither a JSON object nor a JSON list'],
  ['{oops', 'neither a JSON object nor a JSON list'],
  ['{"many": 1}', 'entry 1 is not a length and its weight'],
  ['[[128, 60], [512]]', 'entry 2 is not a length and its weight: [512]'],
  ['[[128, -1]]', 'entry 1'],
  ['[[200, 100, 1]]', 'entry 1'],
  ['[]', 'no length has a weight above 0'],
])('%s is refused', (text, problem) => {
  const result = parseHistogram(text);
  expect(result).toMatchObject({ kind: 'wrong' });
  expect(result.kind === 'wrong' && result.problem).toContain(problem);
});

test('a file is read as it was named, and what is wrong is reported with that name', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'hist.json');
  writeFileSync(path, '{"7": 1}');
  expect(await readHistogramFile({ path, shownPath: 'hist.json' })).toMatchObject({ kind: 'weighted' });
  writeFileSync(path, '{"7": "often"}');
  await expect(readHistogramFile({ path, shownPath: 'hist.json' })).rejects.toThrow(/^hist\.json: entry 1/);
  await expect(readHistogramFile({ path: `${path}x`, shownPath: 'hist.jsonx' })).rejects.toThrow(
    'hist.jsonx cannot be read: there is no such file',
  );
});
