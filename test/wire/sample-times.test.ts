import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSampleLine, encodeSampleLine, encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { decodeSampleTimes } from '../../src/wire/sample-times.ts';
import { arbitrarySample } from '../support/arbitrary-sample.ts';

test('tells of any line what reading the whole line tells', () => {
  fc.assert(
    fc.property(arbitrarySample, sample => {
      const line = encodeSampleLine(sample).trimEnd();
      const decoded = decodeSampleLine(line);
      if (decoded.kind !== 'sample') throw new Error('not a sample');
      const { window, sentNs, firstContentNs, endNs, outcome, outputTokens, failure } = decoded.sample;
      expect(decodeSampleTimes(line)).toEqual({
        isTracked: window >= 0,
        sentNs,
        firstContentNs,
        endNs,
        outcome,
        outputTokens,
        failure,
      });
    }),
  );
});

test('takes nothing else for a sample', () => {
  const line = encodeSamplesEnd({ issued: 1, trackedIssued: 1, state: 'complete' }).trimEnd();
  for (const other of [line, '', '{}', '{"kind":"sample"}', 'sample', line.slice(0, 10)])
    expect(decodeSampleTimes(other)).toBeUndefined();
});
