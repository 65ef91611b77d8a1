// The time that a code to join is good, as the page counts it down.

import { expect, test } from 'vitest';
import { countdown } from '../../../dashboard/src/node/countdown.ts';

test.each([
  [600_000, '10:00'],
  [599_999, '10:00'],
  [545_000, '9:05'],
  [999, '0:01'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('%d ms are shown as %s', (leftMs, text) => {
  expect(countdown(leftMs)).toBe(text);
});
