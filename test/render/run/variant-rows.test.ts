// The table by model or by URL.

import { expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { variantSection } from '../../../src/render/run/variant-rows.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('a URL that was sent nothing has a row too', () => {
  using folder = temporaryDirectory();
  const made = new MadeUpRun({ directory: folder.path }).report();
  const urls = ['http://one', 'http://two'].map(url => ({
    url,
    weight: 1,
    serverKind: unknown('not asked'),
  }));
  const one = { variant: 1, completed: 3, failed: 0, cancelled: 0, outputTokens: 9 };
  const report = {
    ...made,
    run: { ...made.run, urls },
    variants: [{ ...one, ttftNs: null, tpotNs: null, latencyNs: null }],
  };
  expect(variantSection(report)?.tables?.[0]?.rows.map(row => row.slice(0, 4))).toEqual([
    ['http://one', '0', '0', '0'],
    ['http://two', '3', '0', '0'],
  ]);
  expect(variantSection(made)).toBeUndefined();
});
