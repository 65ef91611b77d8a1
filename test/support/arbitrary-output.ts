// Output as broken tools print it: arbitrary text, arbitrary JSON, and real output that was cut, spliced or damaged.

import * as fastCheck from 'fast-check';

const damaged = (sample: string): fastCheck.Arbitrary<string> =>
  fastCheck
    .record({
      from: fastCheck.nat(sample.length),
      length: fastCheck.nat(sample.length),
      insert: fastCheck.oneof(
        fastCheck.string({ unit: 'binary' }),
        fastCheck.constantFrom(
          'null',
          '-1',
          '1e999',
          '"',
          '{',
          '[]',
          '\t',
          '\0',
          ': ',
          '(',
          '99999999999999999999',
          'x'.repeat(3_000),
          '7'.repeat(14),
        ),
      ),
    })
    .map(({ from, length, insert }) => sample.slice(0, from) + insert + sample.slice(from + length));

/** Checks what must hold for any output at all: of a tool gone wrong, after samples of it gone right. */
export const forAnyOutput = (samples: readonly string[], check: (text: string) => void): void => {
  const output = fastCheck.oneof(
    fastCheck.string({ unit: 'binary', maxLength: 2_000 }),
    fastCheck.json(),
    ...samples.map(damaged),
  );
  // What a property that is not asynchronous gives is nothing; the overloads hide it from the linter.
  void fastCheck.assert(fastCheck.property(output, check));
};
