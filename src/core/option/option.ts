// An option: its name, its value and what else has to be given with it. It parses its own text, so that a command gets a value of the
// right type and every mistake is reported in the same form. Help, completion, docs, files of runs and the API derive from it.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../figure/parse-figure.ts';
import type { Schema } from '../schema.ts';
import { oneOf } from './option-values.ts';

export interface Option<T> {
  /** Without dashes. */
  readonly name: string;
  /** Names of the same option in other tools, without dashes; those of one letter are written with one dash. */
  readonly aliases?: readonly string[];
  /** The heading in --help; undefined: "Options". */
  readonly group?: string;
  /** Among the few that --help shows first; the rest follows with --help all. */
  readonly isCommon?: true;
  /** "DIR"; undefined for a flag. */
  readonly valueName: string | undefined;
  /** Its value is stored and shown nowhere. */
  readonly isSecret?: true;
  /** It belongs to one call, and is no part of what was asked: where to write, what to show. */
  readonly isOfOneCall?: true;
  /** Its text is run as a program. */
  readonly startsProgram?: true;
  /** What else has to be given, or must not be. */
  readonly rules?: readonly OptionRule[];
  /** Every value it accepts, if there is a list of them; of a list of values, every item. */
  readonly choices?: readonly string[];
  /** The value of an option that is given without one; undefined: it needs one. */
  readonly valueAlone?: string;
  readonly meaning: string;
  readonly isRepeatable: boolean;
  /** Its text is a server. */
  readonly target?: TargetKind;
  /** The file, folder or http(s) URL that a text of it makes the command read; undefined: none. */
  readonly reads?: (text: string) => string | undefined;
  /** One value of it, as JSON has it; undefined: a text or a number. */
  readonly schema?: v.GenericSchema | undefined;
  /** Its value, for the agents of a run; undefined: they are not sent it. */
  readonly sent?: Schema<T>;
  /** The texts given, none when the option was not. A flag gets one empty text. */
  read(texts: readonly string[]): Parsed<T>;
}

/** A server, by URL or by the name of a node or an engine of the cluster; 'also': or something else, as the meaning states. */
export type TargetKind = 'only' | 'also';

/** The value of an option, checked; its default when it was not given. */
export type OptionReader = <T>(option: Option<T>) => T;

/** As if none was given. @throws TypeError for an option whose default is not one of its values */
export const standardValue: OptionReader = option => {
  const read = option.read([]);
  if (read.kind === 'ok') return read.value;
  throw new TypeError(`--${option.name}: ${read.problem}`);
};

/** By the name of the field that its value is. */
type OptionRows = Readonly<Record<string, Option<unknown>>>;

export type OptionValues<Rows extends OptionRows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends Option<infer T> ? T : never;
};

export const optionValues = <Rows extends OptionRows>(rows: Rows, read: OptionReader): OptionValues<Rows> => {
  const values = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, read(row)]));
  if (areOf(rows, values)) return values;
  throw new TypeError('an option has no value');
};

type SentEntries<Rows extends OptionRows> = {
  readonly [Key in keyof Rows]: Schema<OptionValues<Rows>[Key]>;
};

/** The fields that these options are, as agents are sent them. */
export const sentEntries = <Rows extends OptionRows>(rows: Rows): SentEntries<Rows> => {
  const entries = Object.fromEntries(Object.entries(rows).map(([key, { sent }]) => [key, sent]));
  if (areSent(rows, entries)) return entries;
  throw new TypeError('an option of the load is not sent');
};

const areSent = <Rows extends OptionRows>(rows: Rows, entries: object): entries is SentEntries<Rows> =>
  Object.values(rows).every(({ sent }) => sent !== undefined);

const areOf = <Rows extends OptionRows>(rows: Rows, values: object): values is OptionValues<Rows> =>
  Object.keys(rows).every(key => Object.hasOwn(values, key));

/** Names of options that a command does not have are ignored: an option may be part of several commands. */
export type OptionRule =
  | {
      /** It has no effect without one of these. */
      readonly kind: 'needs';
      readonly names: readonly string[];
      /** By name: a value to write; undefined for a flag. */
      readonly examples: Readonly<Record<string, string | undefined>>;
    }
  | {
      /** It cannot be combined with any of these. */
      readonly kind: 'excludes';
      readonly names: readonly string[];
      readonly because?: string;
      readonly advice?: string;
    };

export const needs = (examples: Readonly<Record<string, string | undefined>>): OptionRule => ({
  kind: 'needs',
  names: Object.keys(examples),
  examples,
});

export const excludes = (
  names: readonly string[],
  more: { readonly because?: string; readonly advice?: string } = {},
): OptionRule => ({ kind: 'excludes', names, ...more });

/** Whether one of them excludes the other. */
export const areExclusive = (one: Option<unknown>, other: Option<unknown>): boolean =>
  [[one, other.name] as const, [other, one.name] as const].some(([{ rules = [] }, name]) =>
    rules.some(({ kind, names }) => kind === 'excludes' && names.includes(name)),
  );

/** What a value is declared with; the rest follows from how often it may be given. */
interface ValueOption<T> extends Omit<Option<T>, 'isRepeatable' | 'read'> {
  readonly valueName: string;
  readonly parse: Parse<T>;
}

/** How a value is read, and what it is as JSON. */
export type Parse<T> = ((text: string) => Parsed<T>) & { readonly schema?: v.GenericSchema };

type FlagOption = Omit<Option<boolean>, 'isRepeatable' | 'read' | 'valueName' | 'name' | 'meaning'>;

export const flag = (name: string, meaning: string, more: FlagOption = {}): Option<boolean> => ({
  ...more,
  name,
  valueName: undefined,
  meaning,
  isRepeatable: false,
  read: texts => parsed(texts.length > 0),
});

export const value = <T>({ parse, ...option }: ValueOption<T>): Option<T | undefined> => ({
  schema: parse.schema,
  ...option,
  isRepeatable: false,
  read: ([text]) => (text === undefined ? parsed(undefined) : parse(text)),
});

/** With a default, which help shows. */
export const valueOr = <T>({
  parse,
  fallback,
  meaning,
  ...option
}: ValueOption<T> & { readonly fallback: string }): Option<T> => ({
  schema: parse.schema,
  ...option,
  meaning: `${meaning} Default: ${fallback}.`,
  isRepeatable: false,
  read: ([text = fallback]) => parse(text),
});

/** A flag for the opposite: true unless it is given. */
export const unlessGiven = (...declared: Parameters<typeof flag>): Option<boolean> => ({
  ...flag(...declared),
  read: texts => parsed(texts.length === 0),
});

/** Whether it has another value than it has if nothing is given. */
export const isSet = (
  { option: read }: { readonly option: OptionReader },
  option: Option<unknown>,
): boolean => {
  const standard = option.read([]);
  return standard.kind !== 'ok' || JSON.stringify(read(option)) !== JSON.stringify(standard.value);
};

/** Given any number of times. */
export const repeated = <T>({ parse, ...option }: Omit<ValueOption<T>, 'sent'>): Option<readonly T[]> => ({
  schema: parse.schema,
  ...option,
  isRepeatable: true,
  read: texts => {
    const values: T[] = [];
    for (const text of texts) {
      const result = parse(text);
      if (result.kind === 'wrong') return result;
      values.push(result.value);
    }
    return parsed(values);
  },
});

interface ChoiceOption<T extends string> extends Omit<ValueOption<T>, 'choices' | 'valueName' | 'parse'> {
  /** Default: the choices. */
  readonly valueName?: string;
  readonly choices: readonly T[];
}

/** One of a list. */
export const choice = <const T extends string>({
  choices,
  ...option
}: ChoiceOption<T>): Option<T | undefined> =>
  value({
    schema: v.picklist(choices),
    valueName: choices.join('|'),
    ...option,
    choices,
    parse: oneOf(...choices),
  });

/** "on" or "off". */
export const onOff = (
  option: Omit<ValueOption<boolean>, 'choices' | 'valueName' | 'parse'> & {
    readonly fallback: 'on' | 'off';
  },
): Option<boolean> =>
  valueOr({
    ...option,
    valueName: 'on|off',
    choices: ['on', 'off'],
    schema: v.union([v.boolean(), v.picklist(['on', 'off'])]),
    parse: text => {
      const read = oneOf('on', 'off')(text);
      return read.kind === 'ok' ? parsed(read.value === 'on') : read;
    },
  });

/** The same functions under one heading of --help. */
export const optionsIn = (
  group: string,
): {
  readonly flag: typeof flag;
  readonly value: typeof value;
  readonly valueOr: typeof valueOr;
  readonly repeated: typeof repeated;
  readonly choice: typeof choice;
  readonly unlessGiven: typeof unlessGiven;
  readonly onOff: typeof onOff;
} => ({
  flag: (name, meaning, more) => flag(name, meaning, { group, ...more }),
  value: option => value({ group, ...option }),
  valueOr: option => valueOr({ group, ...option }),
  repeated: option => repeated({ group, ...option }),
  choice: option => choice({ group, ...option }),
  unlessGiven: (name, meaning, more) => unlessGiven(name, meaning, { group, ...more }),
  onOff: option => onOff({ group, ...option }),
});

/** Of an option whose text is the path. */
export const wholeText = (text: string): string => text;

/** Whether the next word is the value of the option. One that may be given alone may be followed by a URL. */
export const hasValue = ({ valueName, valueAlone }: Option<unknown>, next: string | undefined): boolean =>
  valueName !== undefined &&
  next !== undefined &&
  (valueAlone === undefined || !(next.startsWith('-') || next.includes('://')));

/**
 * As words of a command line. A value that is empty or begins with a dash is joined: else it would be read as an option.
 * @param text undefined for a flag
 */
export const optionWords = (name: string, text: string | undefined): readonly string[] => {
  if (text === undefined) return [`--${name}`];
  return text === '' || text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
};

/** "--rate R", "--goodput …" as help and docs show it. */
export const optionForm = ({ name, valueName, valueAlone, isRepeatable }: Option<unknown>): string =>
  `--${name}${valueName === undefined ? '' : valueAlone === undefined ? ` ${valueName}` : ` [${valueName}]`}${isRepeatable ? ' …' : ''}`;

/** Any text but an empty one. */
export const nonEmpty = (text: string): Parsed<string> =>
  text.trim() === ''
    ? wrong('the value is empty', 'Give it a value, or leave the option out.')
    : parsed(text);
