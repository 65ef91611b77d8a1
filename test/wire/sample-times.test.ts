import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { decodeSampleLine, encodeSampleLine, encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { decodeSampleTimes, gapsOf } from '../../src/wire/sample-times.ts';
import { arbitrarySample } from '../support/arbitrary-sample.ts';

test('gives the same for any line as reading the whole line', () => {
  fc.assert(
    fc.property(arbitrarySample, made => {
      const line = encodeSampleLine(made).trimEnd();
      const decoded = decodeSampleLine(line);
      if (decoded.kind !== 'sample') throw new Error('not a sample');
      const { window, chunkGapsNs, ...sample } = decoded.sample;
      const read = decodeSampleTimes(line);
      if (read === undefined) throw new Error('not a sample');
      const { isTracked, promptNs, chunkGapsNs: _packed, ...times } = read;
      expect(isTracked).toBe(window >= 0);
      expect(promptNs).toBe(sample.served?.promptNs ?? NO_FIGURE);
      expect(sample).toMatchObject(times);
      expect(gapsOf(read)).toEqual(chunkGapsNs);
    }),
  );
});

test('takes nothing else for a sample', () => {
  const line = encodeSamplesEnd({ issued: 1, trackedIssued: 1, state: 'complete' }).trimEnd();
  for (const other of [line, '', '{}', '{"kind":"sample"}', 'sample', line.slice(0, 10)])
    expect(decodeSampleTimes(other)).toBeUndefined();
});
