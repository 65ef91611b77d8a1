// How bufferbloat is told.

import { expect, test } from 'vitest';
import { longerQueueNs, queueWords } from '../../../src/core/link/link-queue.ts';
import { unknown } from '../../../src/core/unknown.ts';

const told = (words: string): string => words.replaceAll('\u00a0', ' ');

test('both directions are told, and the longer one counts', () => {
  const queues = { uploadQueueNs: 180e6, downloadQueueNs: 2e6 };
  expect(told(queueWords(queues))).toBe('queue adds 180 ms up, 2.0 ms down under load');
  expect(longerQueueNs(queues)).toBe(180e6);
});

test('a direction that is not known says why, and leaves the other', () => {
  const queues = { uploadQueueNs: unknown('not measured'), downloadQueueNs: 2e6 };
  expect(told(queueWords(queues))).toContain('– up (not measured)');
  expect(longerQueueNs(queues)).toBe(2e6);
  const older = unknown("the other end's version does not measure it");
  expect(queueWords({ uploadQueueNs: older, downloadQueueNs: older })).toContain('version');
  expect(longerQueueNs({ uploadQueueNs: older, downloadQueueNs: older })).toBeUndefined();
});
