// A command: its words, its options, and a function of the invocation and the process.

import { type HostPort, parseHostPort } from '../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import {
  excludes,
  flag,
  nonEmpty,
  type Option,
  type OptionReader,
  type TargetKind,
  value,
} from '../core/option/option.ts';
import type { ExitCode } from './exit-codes.ts';
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
  /** Name of the option without which it is required all the same: one that is stored. */
  readonly unless?: string;
  /** Every value it accepts, if there is a list of them. */
  readonly choices?: readonly string[];
  /** Its text is a server: a command sees its URL, whichever way a person named it. */
  readonly target?: TargetKind;
  /** Without one, the command offers the servers that it finds. */
  readonly isOffered?: true;
  /** Of the last one: given any number of times. */
  readonly isRepeatable?: true;
  /** Of the last one: what to do instead of giving another, where many would try. */
  readonly insteadOfMore?: string;
}

/** In the meaning of a target, after what its URL may be. */
export const OR_NAMED = 'Or a node or an engine: atlas, atlas:8000, vllm.';

interface CommandExample {
  readonly line: string;
  readonly meaning: string;
}

export interface Invocation {
  readonly option: OptionReader;
  readonly arguments: readonly string[];
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

/** Every command takes it. */
export const homeOption: Option<string | undefined> = value({
  name: 'home',
  isOfOneCall: true,
  valueName: 'DIR',
  meaning: 'The home of the node. Default: PLIMSOLL_HOME, else ~/.plimsoll.',
  parse: nonEmpty,
});

export const jsonOption: Option<boolean> = flag('json', 'Print JSON.', { isOfOneCall: true });

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
    words: [
      'up',
      'status',
      'top',
      'open',
      'probe',
      'survey',
      'wire',
      'doctor',
      'accept',
      'forget',
      'record',
      'demo',
    ],
  },
  {
    title: 'Load an endpoint',
    words: ['bench', 'sweep', 'line', 'watch', 'agent', 'dataset', 'capture', 'mock', 'calibrate'],
  },
  {
    title: 'Compare and judge',
    words: ['compare', 'why', 'headroom', 'report', 'runs', 'rerun', 'import', 'baseline'],
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
