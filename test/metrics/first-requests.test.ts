import { expect, test } from 'vitest';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { LANED_REQUESTS_MAX } from '../../src/core/run/request-lanes.ts';
import { FirstRequests } from '../../src/metrics/first-requests.ts';

const sampleDue = (dueMs: number) => ({
  intendedNs: dueMs * 1e6,
  sentNs: dueMs * 1e6 + 1_234_567,
  firstContentNs: NO_FIGURE,
  promptNs: NO_FIGURE,
  endNs: (dueMs + 50) * 1e6,
  outcome: 'completed' as const,
});

test('keeps the first requests of a run by when they were due, however they end, and counts the others', () => {
  const requests = new FirstRequests();
  const count = 3 * LANED_REQUESTS_MAX;
  // The latest of them end first.
  for (let at = count - 1; at >= 0; at -= 1) requests.add(sampleDue(at));
  const columns = requests.columns();
  expect(columns?.dueMs).toEqual(Array.from({ length: LANED_REQUESTS_MAX }, (_, at) => at));
  expect(columns?.more).toBe(count - LANED_REQUESTS_MAX);
});

test('has a microsecond at most, and null for what did not arrive', () => {
  const requests = new FirstRequests();
  requests.add({ ...sampleDue(2), promptNs: 7e6 });
  requests.add({ ...sampleDue(3), sentNs: 2.5e6, firstContentNs: 4e6, outcome: 'cancelled' });
  expect(requests.columns()).toEqual({
    dueMs: [2, 2.5],
    sentMs: [3.235, 2.5],
    firstContentMs: [null, 4],
    promptMs: [7, null],
    endMs: [52, 53],
    outcome: ['completed', 'cancelled'],
    more: 0,
  });
});

test('a run without requests has none to show', () => {
  expect(new FirstRequests().columns()).toBeUndefined();
});
