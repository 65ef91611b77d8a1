// A command: its words, its options, and a function of the invocation and the process. An option parses its own text, so a
// command gets a value of the right type and every mistake is reported in the same form.

import { type HostPort, parseHostPort } from '../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import { CommandError } from './command-error.ts';
import type { ExitCode } from './exit-codes.ts';
import type { ProcessState } from './process-state.ts';

export interface Command {
  /** One or two words: "up", "config show". */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A few lines for its own help; '' if the summary is enough. */
  readonly description: string;
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly Option<unknown>[];
  readonly examples: readonly CommandExample[];
  /** It writes whole files only, so that it may be left in the middle of its work: Ctrl-C ends it without waiting for it. */
  readonly mayBeLeft?: true;
  run(invocation: Invocation, state: ProcessState): Promise<ExitCode>;
}

export interface CommandArgument {
  readonly name: string;
  readonly meaning: string;
  readonly isRequired: boolean;
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
  /** "DIR"; undefined for a flag. */
  readonly valueName: string | undefined;
  /** The value of an option that is given without one; undefined: it needs one. */
  readonly valueAlone?: string;
  readonly meaning: string;
  readonly isRepeatable: boolean;
  /** The file, folder or http(s) URL that a text of it makes the command read; undefined: none. */
  readonly reads?: (text: string) => string | undefined;
  /** The texts given, none when the option was not. A flag gets one empty text. */
  read(texts: readonly string[]): Parsed<T>;
}

export const flag = (name: string, meaning: string): Option<boolean> => ({
  name,
  valueName: undefined,
  meaning,
  isRepeatable: false,
  read: texts => parsed(texts.length > 0),
});

interface ValueOption<T> {
  readonly name: string;
  readonly valueName: string;
  readonly valueAlone?: string;
  readonly meaning: string;
  readonly reads?: (text: string) => string | undefined;
  readonly parse: (text: string) => Parsed<T>;
}

export const value = <T>({ parse, ...option }: ValueOption<T>): Option<T | undefined> => ({
  ...option,
  isRepeatable: false,
  read: ([text]) => (text === undefined ? parsed(undefined) : parse(text)),
});

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

/** Of an option whose text is the path. */
export const wholeText = (text: string): string => text;

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

/** @throws CommandError where both are given. */
export const listenAddress = (invocation: Invocation): HostPort | undefined => {
  const [http, port] = [invocation.option(httpOption), invocation.option(portOption)];
  if (http !== undefined && port !== undefined)
    throw new CommandError(
      'usage',
      '--http and --port cannot be combined',
      'Write one of them: --http HOST:PORT.',
    );
  return http ?? (port === undefined ? undefined : { host: LOOPBACK, port });
};

// The first words of all commands, in the order in which help lists them; commands.ts has what they load.
export const COMMAND_WORDS = [
  'up',
  'status',
  'top',
  'open',
  'bench',
  'sweep',
  'line',
  'compare',
  'dataset',
  'calibrate',
  'baseline',
  'agent',
  'watch',
  'report',
  'import',
  'rerun',
  'runs',
  'headroom',
  'probe',
  'mock',
  'demo',
  'record',
  'doctor',
  'forget',
  'key',
  'join',
  'leave',
  'fleet',
  'config',
  'mcp',
  'service',
  'completion',
  'man',
] as const;

export type CommandWord = (typeof COMMAND_WORDS)[number];
