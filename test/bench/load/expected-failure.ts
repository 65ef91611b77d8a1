// What a correct client reports for a failure of the mock's table, checked on a sample.

import { expect } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { Failure } from '../../../src/mock/failure.ts';

export const expectFailure = (sample: EndedSample, failure: Failure, isStreaming: boolean): void => {
  const expected = isStreaming ? failure.streaming : failure.plain;
  expect(`${sample.outcome} ${sample.failure?.kind} ${sample.failure?.detail}`).toMatch(
    expected.outcome === 'completed' ? /^completed/ : new RegExp(`^failed ${expected.kind} `),
  );
  if (expected.outcome !== 'failed') return;
  if (expected.statusCode !== undefined) expect(sample.failure?.statusCode).toBe(expected.statusCode);
  if (expected.phase !== undefined) expect(sample.failure?.detail).toContain(`${expected.phase}:`);
  // A server may send a status and nothing else.
  if (expected.kind !== 'http-status') expect(sample.failure?.detail).not.toBe('');
};
