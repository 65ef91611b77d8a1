// Servers that a command line names by their node or engine rather than by a URL: "atlas", "atlas:8000", "vllm". One place for every
// argument and option that is declared as a target; the command itself only ever sees a URL.

import { resolveHome } from '../../config/home.ts';
import {
  type ClusterTargets,
  type EngineTarget,
  type MeantTargets,
  meantTargets,
} from '../../core/engine/engine-targets.ts';
import { engineWord } from '../../core/engine/server-engines.ts';
import { counted } from '../../core/figure/figure.ts';
import { engineName } from '../../core/node/engines.ts';
import { hasValue, type Option, type TargetKind } from '../../core/option/option.ts';
import { nearest } from '../../core/text/nearest.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { isRunFile } from '../bench/run-file.ts';
import { type Command, type CommandArgument, homeOption, type Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import type { RunLine } from '../command-line.ts';
import type { ProcessState } from '../process-state.ts';
import { knownTargets, reachedUrl } from './known-targets.ts';

export type TargetedLine = Pick<RunLine, 'invocation' | 'args'>;

/**
 * The line with URLs in place of names. A text that names neither a node nor an engine stays as it is.
 * @throws CommandError `usage` if nothing is meant by a name, several are, or one that cannot be reached from here
 */
export const withTargets = async (
  command: Command,
  { invocation, args }: TargetedLine,
  state: ProcessState,
): Promise<TargetedLine> => {
  const given = givenTargets(command, invocation).filter(({ text }) => mayBeName(text));
  if (given.length === 0) return { invocation, args };
  const known = await knownTargets(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
  if (isUnknown(known)) return { invocation, args };
  const urls = new Map<string, string>();
  for (const { text, kind } of given) {
    if (urls.has(text)) continue;
    const meant = await targetOf(text, { kind, known, command, signal: state.stop });
    if (meant === undefined) continue;
    urls.set(text, meant.url);
    // A name is a claim of another node: a person sees where the load goes, and a key with it.
    if (!args.includes('--quiet'))
      await state.stderr.write(`plimsoll: ${text} is ${engineName(meant.target.engine)} at ${meant.url}\n`);
  }
  const toUrl = (text: string): string => urls.get(text) ?? text;
  return {
    invocation: {
      arguments: invocation.arguments.map((text, at) =>
        argumentAt(command, at)?.target === undefined ? text : toUrl(text),
      ),
      option: <T>(option: Option<T>): T => {
        const value = invocation.option(option);
        if (option.target === undefined || typeof value !== 'string') return value;
        const read = option.read([toUrl(value)]);
        return read.kind === 'ok' ? read.value : value;
      },
    },
    args: wordsWith(command, args, toUrl),
  };
};

/** No URL, path, sentence or file of runs is the name of a node. */
const mayBeName = (text: string): boolean => /^[^/\s]+$/.test(text) && !isRunFile(text);

interface GivenTarget {
  readonly text: string;
  readonly kind: TargetKind;
}

const givenTargets = (command: Command, invocation: Invocation): readonly GivenTarget[] => [
  ...invocation.arguments.flatMap((text, at) => {
    const kind = argumentAt(command, at)?.target;
    return kind === undefined ? [] : [{ text, kind }];
  }),
  ...command.options.flatMap(option => {
    const text = option.target === undefined ? undefined : invocation.option(option);
    return option.target === undefined || typeof text !== 'string' ? [] : [{ text, kind: option.target }];
  }),
];

const argumentAt = ({ arguments: declared }: Command, at: number): CommandArgument | undefined =>
  declared[Math.min(at, declared.length - 1)];

interface Naming {
  readonly kind: TargetKind;
  readonly known: ClusterTargets;
  readonly command: Command;
  readonly signal: AbortSignal;
}

/** undefined: the text is no name. */
const targetOf = async (
  text: string,
  { kind, known, command, signal }: Naming,
): Promise<{ readonly target: EngineTarget; readonly url: string } | undefined> => {
  const meant = meantTargets(text, known);
  if (meant.kind === 'none') {
    const near = kind === 'only' && !/[.:]/.test(text) ? nearest(text, labelsOf(known)) : undefined;
    if (near === undefined) return undefined;
    throw usage(`no node and no engine is called ${JSON.stringify(text)}`, `Did you mean ${near}?`);
  }
  const [target, ...others] = meant.targets;
  if (target === undefined) throw nothingThere(meant, known);
  if (others.length > 0)
    throw usage(
      `${meant.meant} ${meant.kind === 'node' ? 'has' : 'runs as'} ${counted(meant.targets.length, 'server')} of models`,
      `Write one of: ${listed(meant.targets)}`,
    );
  const url = await reachedUrl(target, signal);
  signal.throwIfAborted();
  if (url === undefined) throw unreached(target, command);
  return { target, url };
};

const nothingThere = (
  { kind, meant, name }: Exclude<MeantTargets, { readonly kind: 'none' }>,
  { targets }: ClusterTargets,
) =>
  usage(
    kind === 'node'
      ? `no server of a model was found on ${meant}`
      : `no ${meant} was found on the nodes of the cluster`,
    [
      ...(targets.length === 0 ? [] : [`Found: ${listed(targets)}.`]),
      kind === 'node'
        ? `Write its URL, or add its port to [engines] in config.toml of ${name}.`
        : `For the host of that name write http://${name}.`,
    ].join(' '),
  );

const unreached = ({ nodeName, engine, urls }: EngineTarget, { name, options }: Command) =>
  usage(
    urls.length === 0
      ? `the server of ${nodeName} listens on loopback only (${engine.origin})`
      : `the server of ${nodeName} does not answer at ${urls.join(' or ')}`,
    [
      'Let it listen on a network that this machine reaches',
      ...(options.some(option => option.name === 'from')
        ? [`load it from its own node: ${shellCommand`plimsoll ${name} ${engine.origin} --from ${nodeName}`}`]
        : []),
    ].join(', or '),
  );

const labelsOf = ({ targets, nodes }: ClusterTargets): readonly string[] => [
  ...targets.flatMap(({ label, engine }) => [label, engineWord(knownOr(engine.engine, ''))]),
  ...nodes.map(({ name }) => name),
];

const listed = (targets: readonly EngineTarget[]): string =>
  [
    ...targets
      .slice(0, LISTED_MAX)
      .map(
        ({ label, nodeName, engine }) =>
          `${label} (${label.startsWith(nodeName) ? '' : `${nodeName}, `}${engineName(engine)})`,
      ),
    ...(targets.length > LISTED_MAX ? [`${targets.length - LISTED_MAX} more`] : []),
  ].join(', ');

/** With another text for each target, of an argument or an option. */
const wordsWith = (
  command: Command,
  words: readonly string[],
  toUrl: (text: string) => string,
): readonly string[] => {
  const own = command.name.split(' ').length;
  const written = words.slice(0, own);
  let place = 0;
  let hasEnded = false;
  for (let at = own; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name, joined] = (hasEnded ? undefined : /^--([^=]+)(?:=(.*))?$/s.exec(word)) ?? [];
    const option = command.options.find(known => known.name === name);
    const mapped = (text: string): string => (option?.target === undefined ? text : toUrl(text));
    if (option === undefined) {
      const isArgument = hasEnded || word !== '--';
      written.push(isArgument && argumentAt(command, place)?.target !== undefined ? toUrl(word) : word);
      if (isArgument) place += 1;
      else hasEnded = true;
    } else if (joined !== undefined) written.push(`--${option.name}=${mapped(joined)}`);
    else if (hasValue(option, words[at + 1])) {
      written.push(word, mapped(words[at + 1] ?? ''));
      at += 1;
    } else written.push(word);
  }
  return written;
};

/** Of a list in an error. */
const LISTED_MAX = 8;
