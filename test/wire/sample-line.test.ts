import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordOf } from '../../src/core/record-of.ts';
import { NO_FIGURE, REPLY_COUNT_KEYS, SERVED_KEYS } from '../../src/core/run/event-record.ts';
import { ANSWER_CHECKS, type SampleNote, type SampleRemark } from '../../src/core/run/sample-remark.ts';
import { SKIP_REASONS } from '../../src/core/run/session-outcome.ts';
import { TOKEN_DOUBT_KEYS } from '../../src/core/run/token-doubts.ts';
import {
  decodeSampleLine,
  encodeSampleLine,
  encodeSamplesEnd,
  encodeSkippedLine,
} from '../../src/wire/sample-line.ts';
import { decodeVarints, encodeVarints } from '../../src/wire/varints.ts';
import { arbitrarySample } from '../support/arbitrary-sample.ts';

describe('a line of samples.jsonl', () => {
  test('gives back every sample that it was made of', () => {
    fc.assert(
      fc.property(arbitrarySample, sample => {
        const line = encodeSampleLine(sample);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(decodeSampleLine(line)).toEqual({ kind: 'sample', sample });
      }),
    );
  });

  test('gives back the turn that a sample is, and each turn that was skipped', () => {
    const position = { session: fc.maxSafeNat(), turn: fc.nat(), turns: fc.nat() };
    fc.assert(
      fc.property(
        arbitrarySample,
        fc.record(position),
        fc.record({
          ...position,
          sampleId: fc.maxSafeNat(),
          window: fc.constantFrom(-1, 0),
          reason: fc.constantFrom(...SKIP_REASONS),
        }),
        (sample, turn, skipped) => {
          const played = { ...sample, turn };
          expect(decodeSampleLine(encodeSampleLine(played))).toEqual({ kind: 'sample', sample: played });
          expect(decodeSampleLine(encodeSkippedLine(skipped))).toEqual({ kind: 'skipped', turn: skipped });
        },
      ),
    );
  });

  test('gives back what the reply reported of itself and what its client noted, with any of it left out', () => {
    const orNone = fc.oneof(fc.nat(), fc.constant(NO_FIGURE));
    const remark: fc.Arbitrary<SampleRemark> = fc.record({
      cachedTokens: orNone,
      predictedTokens: orNone,
      reasoningTokens: orNone,
      isRepeat: fc.boolean(),
      hasRetryAfter: fc.boolean(),
      isWithoutText: fc.boolean(),
      doubts: fc.subarray([...TOKEN_DOUBT_KEYS]),
      finishName: fc.constantFrom('', 'eos_token'),
      otherModel: fc.constantFrom('', 'another'),
    });
    const note: fc.Arbitrary<SampleNote> = fc.record({
      isCancelledAsPlanned: fc.boolean(),
      isCutAfterGrace: fc.boolean(),
      variant: orNone,
      check: fc.constantFrom(...ANSWER_CHECKS),
    });
    const served = fc.record(recordOf(SERVED_KEYS, () => orNone));
    const counts = fc.record(recordOf(REPLY_COUNT_KEYS, () => orNone));
    const reply = fc.record({ remark, note, served, counts }, { requiredKeys: [] });
    fc.assert(
      fc.property(arbitrarySample, reply, (sample, reported) => {
        const whole = { ...sample, ...reported };
        expect(decodeSampleLine(encodeSampleLine(whole))).toEqual({ kind: 'sample', sample: whole });
      }),
    );
  });

  test('gives back the end that it was made of', () => {
    const end = { issued: 3, trackedIssued: 2, state: 'complete' } as const;
    expect(decodeSampleLine(encodeSamplesEnd(end))).toEqual({ kind: 'end', end });
  });

  test('that is torn anywhere is unreadable, never another sample', () => {
    fc.assert(
      fc.property(arbitrarySample, fc.double({ min: 0, max: 0.999, noNaN: true }), (sample, part) => {
        const line = encodeSampleLine(sample).trimEnd();
        expect(decodeSampleLine(line.slice(0, Math.floor(line.length * part))).kind).toBe('unreadable');
      }),
    );
  });

  test('of any text at all is decoded or unreadable', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(['sample', 'skipped', 'end', 'unreadable']).toContain(decodeSampleLine(text).kind);
      }),
    );
  });
});

describe('varints', () => {
  test('give back whole numbers of any size that a double holds', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.maxSafeNat())), values => {
        expect(decodeVarints(encodeVarints(values))).toEqual(values);
      }),
    );
  });

  test('refuse what is not a whole number, and bytes that break off or grow too large', () => {
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53])
      expect(() => encodeVarints([value])).toThrow(RangeError);
    expect(decodeVarints(Uint8Array.of(0x80))).toBeUndefined();
    expect(decodeVarints(new Uint8Array(12).fill(0xff))).toBeUndefined();
  });
});
