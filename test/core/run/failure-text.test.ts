import { expect, test } from 'vitest';
import type { RunFailures } from '../../../src/core/run/failure-groups.ts';
import { failureHeadline, failureHeadlineText, outageLines } from '../../../src/core/run/failure-text.ts';
import type { Outage } from '../../../src/core/run/outage.ts';

const S = 1e9;
const SILENT: Outage = { fromNs: 3 * S, toNs: 6 * S, isOver: true, failed: 60, isSilent: true };
const DOWN: Outage = { fromNs: 8 * S, toNs: 9 * S, isOver: true, failed: 4 };

const headlineOf = (failures: Omit<RunFailures, 'groups'>): string => {
  const found = failureHeadline({
    counts: { issued: 200, completed: 140, failed: 60, cancelled: 0, unresolved: 0 },
    failures: { groups: [], ...failures },
  });
  return found === undefined ? '' : failureHeadlineText(found).replace(/\s/gu, ' ');
};

test('a server that took requests and did not answer is not called down', () => {
  expect(headlineOf({ outages: [SILENT] })).toBe(
    'The server did not answer from 0:03 to 0:06; 30 % of 200 requests failed',
  );
  expect(outageLines([SILENT]).map(line => line.replace(/\s/gu, ' '))).toEqual([
    '0:03 to 0:06, 3 s without an answer: 60 requests failed',
  ]);
  expect(headlineOf({ outages: [SILENT, DOWN] })).toMatch(/^The server was down 2 times, 4 s in total/);
});

test('the end in which nothing succeeded comes before an outage that is over, and after one that is not', () => {
  const unsuccessfulEnd = { fromNs: 12 * S, toNs: 20 * S };
  expect(headlineOf({ outages: [DOWN], unsuccessfulEnd })).toMatch(/^Nothing succeeded after 0:12; 30 %/);
  const open = { ...DOWN, fromNs: 12 * S, toNs: 20 * S, isOver: false };
  expect(headlineOf({ outages: [open], unsuccessfulEnd })).toMatch(
    /^The server was down from 0:12 to the end/,
  );
});
