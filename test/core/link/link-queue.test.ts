// How bufferbloat is reported.

import { expect, test } from 'vitest';
import { loadedText, longerQueueNs, queueText, queueWays } from '../../../src/core/link/link-queue.ts';
import { unknown } from '../../../src/core/unknown.ts';

const reported = (text: string): string => text.replaceAll('\u00a0', ' ');

test('both directions are shown, and the longer one counts', () => {
  const queues = { uploadQueueNs: 180e6, downloadQueueNs: 2e6 };
  expect(reported(queueText(queues))).toBe('queue adds 180 ms up, 2.0 ms down under load');
  expect(reported(queueWays(queues))).toBe('180 ms up, 2.0 ms down');
  expect(longerQueueNs(queues)).toBe(180e6);
});

test('a direction that is not known reports why, and leaves the other', () => {
  const queues = { uploadQueueNs: unknown('not measured'), downloadQueueNs: 2e6 };
  expect(reported(queueText(queues))).toContain('– up (not measured)');
  expect(longerQueueNs(queues)).toBe(2e6);
  const older = unknown("the other end's version does not measure it");
  const neither = { uploadQueueNs: older, downloadQueueNs: older };
  expect(queueText(neither)).toBe(`queue under load unknown: ${older.reason}`);
  expect(queueWays(neither)).toBe(`unknown: ${older.reason}`);
  expect(longerQueueNs(neither)).toBeUndefined();
});

test('a round trip is shown idle and under load, for one direction; nothing where either is not known', () => {
  const known = { roundTripNsP50: 20.3e6, uploadQueueNs: 180e6, downloadQueueNs: unknown('not measured') };
  expect(reported(loadedText(known, 'upload'))).toBe('RTT 20 ms idle, 200 ms under load');
  expect(loadedText(known, 'download')).toBe('');
  expect(loadedText({ ...known, roundTripNsP50: unknown('none answered') }, 'upload')).toBe('');
});
