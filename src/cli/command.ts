// A command: its words, its options, and a function of the invocation and the process. An option parses its own text, so a
// command gets a value of the right type and every mistake is reported in the same form.

import { type HostPort, parseHostPort } from '../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import type { ExitCode } from './exit-codes.ts';
import { oneOf } from './option-values.ts';
import type { ProcessState } from './process-state.ts';
import type { DocumentName } from './published-documents.ts';

export interface Command {
  /** One or two words: "up", "config show". */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A few lines for its own help; '' if the summary is enough. */
  readonly description: string;
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly Option<unknown>[];
  /** The documents that --json prints. */
  readonly prints?: readonly DocumentName[];
  readonly examples: readonly CommandExample[];
  /** Options of other tools that mean options of ours. */
  readonly foreignOptions?: readonly ForeignOption[];
  /** It writes whole files only, so that it may be left in the middle of its work: Ctrl-C ends it without waiting for it. */
  readonly mayBeLeft?: true;
  run(invocation: Invocation, state: ProcessState): Promise<ExitCode>;
}

export interface CommandArgument {
  readonly name: string;
  readonly meaning: string;
  readonly isRequired: boolean;
  /** Every value it accepts, if there is a list of them. */
  readonly choices?: readonly string[];
  /** Of the last one: given any number of times. */
  readonly isRepeatable?: true;
  /** Of the last one: what to do instead of giving another, where many would try. */
  readonly insteadOfMore?: string;
}

interface CommandExample {
  readonly line: string;
  readonly meaning: string;
}

export interface Invocation {
  /** The option's value, checked; its default when it was not given. */
  option<T>(option: Option<T>): T;
  readonly arguments: readonly string[];
}

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
  /** What else has to be given, or must not be. */
  readonly rules?: readonly OptionRule[];
  /** Every value it accepts, if there is a list of them; of a list of values, every item. */
  readonly choices?: readonly string[];
  /** The value of an option that is given without one; undefined: it needs one. */
  readonly valueAlone?: string;
  readonly meaning: string;
  readonly isRepeatable: boolean;
  /** The file, folder or http(s) URL that a text of it makes the command read; undefined: none. */
  readonly reads?: (text: string) => string | undefined;
  /** The texts given, none when the option was not. A flag gets one empty text. */
  read(texts: readonly string[]): Parsed<T>;
}

/** Options of ours, and what has to be explained about them. */
export interface Interpretation {
  /** Name without dashes and value. An option named 'URL' is the argument. */
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly note?: string;
  /** The option of ours whose own value gives way to this one. */
  readonly replaces?: string;
}

/** The first value of an option of this command line, by any of these names; undefined if none was given. */
export type GivenText = (...names: readonly string[]) => string | undefined;

export interface ForeignOption {
  readonly names: readonly string[];
  /** What it becomes, for docs/coming-from.md. */
  readonly means: string;
  /** How many of the words after it are its values. */
  readonly takes: 'none' | 'one' | 'many';
  readonly read: (value: string, given: GivenText) => Interpretation;
}

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

/** What a value is declared with; the rest follows from how often it may be given. */
interface ValueOption<T> extends Omit<Option<T>, 'isRepeatable' | 'read'> {
  readonly valueName: string;
  readonly parse: (text: string) => Parsed<T>;
}

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
  ...option,
  meaning: `${meaning} Default: ${fallback}.`,
  isRepeatable: false,
  read: ([text = fallback]) => parse(text),
});

/** Whether it has another value than it has if nothing is given. */
export const isSet = ({ option: read }: Pick<Invocation, 'option'>, option: Option<unknown>): boolean => {
  const standard = option.read([]);
  return standard.kind !== 'ok' || JSON.stringify(read(option)) !== JSON.stringify(standard.value);
};

/** Given any number of times. */
export const repeated = <T>({ parse, ...option }: ValueOption<T>): Option<readonly T[]> => ({
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
  value({ valueName: choices.join('|'), ...option, choices, parse: oneOf(...choices) });

/** The same functions under one heading of --help. */
export const optionsIn = (
  group: string,
): {
  readonly flag: typeof flag;
  readonly value: typeof value;
  readonly valueOr: typeof valueOr;
  readonly repeated: typeof repeated;
  readonly choice: typeof choice;
} => ({
  flag: (name, meaning, more) => flag(name, meaning, { group, ...more }),
  value: option => value({ group, ...option }),
  valueOr: option => valueOr({ group, ...option }),
  repeated: option => repeated({ group, ...option }),
  choice: option => choice({ group, ...option }),
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

/** Every command takes it. */
export const homeOption: Option<string | undefined> = value({
  name: 'home',
  valueName: 'DIR',
  meaning: 'The home of the node. Default: PLIMSOLL_HOME, else ~/.plimsoll.',
  parse: nonEmpty,
});

export const jsonOption: Option<boolean> = flag('json', 'Print JSON.');

/** A port alone is one of this machine. */
export const parseListen = (text: string): Parsed<HostPort> =>
  parseHostPort(/^\d+$/.test(text.trim()) ? `${LOOPBACK}:${text.trim()}` : text);

const LOOPBACK = '127.0.0.1';

export const httpOption: Option<HostPort | undefined> = value({
  name: 'http',
  rules: [excludes(['port'], { advice: 'Write one of them: --http HOST:PORT.' })],
  valueName: '[HOST:]PORT',
  meaning: 'Where the dashboard and the API listen. Default: 127.0.0.1:4180, or http.listen in config.toml.',
  parse: parseListen,
});

/** The same for a user that needs to change only the port. */
export const portOption: Option<number | undefined> = value({
  name: 'port',
  valueName: 'N',
  meaning: 'The same as --http 127.0.0.1:N.',
  parse: text => {
    const address = parseListen(text);
    return address.kind === 'ok' && /^\d+$/.test(text.trim())
      ? parsed(address.value.port)
      : wrong(`${JSON.stringify(text)} is not a port`, 'Ports go from 0, any free one, to 65535.');
  },
});

/** Of commands that are reached from other machines. */
export const everyAddressOption = (usual: number): Option<number | undefined> =>
  value({
    name: 'port',
    valueName: 'N',
    meaning: `Where to listen, on every address. Default: ${usual}, or the next free port.`,
    parse: text => {
      const port = Number(text);
      return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535
        ? parsed(port)
        : wrong(`${JSON.stringify(text)} is not a port`, 'Write a number from 1 to 65535.');
    },
  });

export const listenAddress = (invocation: Invocation): HostPort | undefined => {
  const port = invocation.option(portOption);
  return invocation.option(httpOption) ?? (port === undefined ? undefined : { host: LOOPBACK, port });
};

// The first words of all commands under their headings, in the order in which help lists them; commands.ts has what they load.
export const COMMAND_GROUPS = [
  {
    title: 'See the cluster',
    words: ['up', 'status', 'top', 'open', 'probe', 'doctor', 'forget', 'record', 'demo'],
  },
  {
    title: 'Load an endpoint',
    words: ['bench', 'sweep', 'line', 'watch', 'agent', 'dataset', 'mock', 'calibrate'],
  },
  {
    title: 'Compare and judge',
    words: ['compare', 'headroom', 'report', 'runs', 'rerun', 'import', 'baseline'],
  },
  {
    title: 'Set up',
    words: ['config', 'schema', 'key', 'join', 'leave', 'fleet', 'service', 'mcp', 'completion', 'man'],
  },
] as const;

export type CommandWord = (typeof COMMAND_GROUPS)[number]['words'][number];

export const COMMAND_WORDS: readonly CommandWord[] = COMMAND_GROUPS.flatMap<CommandWord>(
  ({ words }) => words,
);

/** What people need first; `plimsoll help all` lists the rest. */
export const FIRST_COMMANDS: readonly string[] = [
  'up',
  'probe all',
  'doctor',
  'bench',
  'sweep',
  'line',
  'compare',
  'headroom',
  'report',
];
