// The kinds of values that the mock is set to: how one is checked, and how `plimsoll mock` reads and names it.

import * as v from 'valibot';
import { type Parsed, parseBytes, parseDurationMs, parsed, wrong } from '../core/figure/parse-figure.ts';
import { isFailureName } from './failures.ts';

export type MockKind = keyof typeof SCHEMAS;

export type MockValueOf<K extends MockKind> = v.InferOutput<ReturnType<(typeof SCHEMAS)[K]>>;

/** Of the kinds that have them. */
interface Limits {
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
}

interface TokenRange {
  readonly min: number;
  readonly max: number;
}

export const schemaOf = (kind: MockKind, limits: Limits): v.GenericSchema => SCHEMAS[kind](limits);

const SCHEMAS = {
  text: (): v.GenericSchema<unknown, string> => v.string(),
  name: (): v.GenericSchema<unknown, string> => name,
  nameOrNone: (): v.GenericSchema<unknown, string> => v.union([v.literal(''), name], 'must be printable'),
  names: (): v.GenericSchema<unknown, readonly string[]> =>
    v.pipe(v.array(modelName), v.minLength(1, 'needs one'), v.maxLength(100, 'too many')),
  failure: (): v.GenericSchema<unknown, string> => failure,
  choice: ({ choices = [] }: Limits): v.GenericSchema<unknown, string> => oneOf(choices),
  statuses: (): v.GenericSchema<unknown, readonly (100 | 102 | 103)[]> =>
    v.pipe(v.array(oneOf([100, 102, 103])), v.maxLength(10, 'too many')),
  flag: (): v.GenericSchema<unknown, boolean> => v.boolean(),
  whole: ({ min = 0, max = 0 }: Limits): v.GenericSchema<unknown, number> => whole(min, max),
  size: ({ max = 0 }: Limits): v.GenericSchema<unknown, number> => whole(0, max),
  duration: (): v.GenericSchema<unknown, number> => milliseconds,
  share: (): v.GenericSchema<unknown, number> => share,
  tokens: (): v.GenericSchema<unknown, number | TokenRange> =>
    v.lazy(input => (typeof input === 'object' ? tokenRange : tokens)),
};

const OUTPUT_TOKENS_MAX = 100_000;

const whole = (minimum: number, maximum: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(minimum, `must be at least ${minimum}`),
    v.maxValue(maximum, `must be at most ${maximum}`),
  );

const milliseconds = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must not be negative'),
  v.maxValue(3_600_000, 'must be at most an hour'),
);

const share = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must be at least 0'),
  v.maxValue(1, 'must be at most 1'),
);

const oneOf = <const T extends readonly (string | number)[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`);

/** Printable ASCII: it goes into JSON and messages as it is. */
const name = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters'));

const modelName = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{1,200}$/, 'needs names of 1 to 200 printable characters without spaces'),
);

const tokens = whole(1, OUTPUT_TOKENS_MAX);

const tokenRange = v.pipe(
  v.strictObject({ min: tokens, max: tokens }),
  v.check(({ min, max }) => min <= max, 'the range ends before it begins'),
);

const failure = v.pipe(
  v.string(),
  v.check(text => text === '' || isFailureName(text), 'is not a failure of the mock'),
);

interface OptionForm {
  /** Checked further by the schema. */
  readonly read: (text: string) => Parsed<unknown>;
  /** Where the option has no name of its own for its value. */
  readonly valueName: string;
}

const readText = (value: string): Parsed<unknown> => parsed(value);

const readNumber = (value: string): Parsed<unknown> =>
  /^\d{1,40}(\.\d{1,6})?$/.test(value)
    ? parsed(Number(value))
    : wrong(`${JSON.stringify(value)} is not a number`, 'Write a number such as 8.');

const readSize = (value: string): Parsed<unknown> =>
  /^\d{1,9}$/.test(value) ? parsed(Number(value)) : parseBytes(value);

const readTokens = (value: string): Parsed<unknown> => {
  const [, min, max] = /^(\d{1,40})\.\.(\d{1,40})$/.exec(value) ?? [];
  if (min !== undefined && max !== undefined) return parsed({ min: Number(min), max: Number(max) });
  return /^\d{1,40}$/.test(value)
    ? parsed(Number(value))
    : wrong(
        `${JSON.stringify(value)} is not a number of tokens`,
        'Write a number, or a range such as 50..200.',
      );
};

/** How an option of a kind is written; a flag is given or not. */
export const OPTION_FORMS: Readonly<Record<Exclude<MockKind, 'flag'>, OptionForm>> = {
  text: { read: readText, valueName: 'TEXT' },
  name: { read: readText, valueName: 'NAME' },
  nameOrNone: { read: readText, valueName: 'NAME' },
  names: { read: value => parsed(value.split(',').map(part => part.trim())), valueName: 'NAME,…' },
  failure: { read: readText, valueName: 'FAILURE' },
  choice: { read: readText, valueName: 'WORD' },
  statuses: { read: value => parsed(value.split(',').map(Number)), valueName: 'STATUS,…' },
  whole: { read: readNumber, valueName: 'N' },
  size: { read: readSize, valueName: 'SIZE' },
  duration: { read: parseDurationMs, valueName: 'DURATION' },
  share: { read: readNumber, valueName: 'SHARE' },
  tokens: { read: readTokens, valueName: 'N|A..B' },
};
