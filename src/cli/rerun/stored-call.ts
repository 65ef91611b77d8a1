// The command line that a run directory holds, checked before anything is done with it. Directories are handed around, so nothing in one
// is trusted: no option that reads a secret, writes somewhere or starts anything is taken from it, and it is never given to a shell.

import { parseTargetUrl } from '../../bench/target/target-url.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import type { RerunFacts } from '../../core/run/rerun-differences.ts';
import { LINE_SCHEMA } from '../../core/sweep/sweep-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { showable } from '../../core/text/single-line.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { RunDirectoryError, storedRunConfig } from '../../metrics/report-sources.ts';
import type { Command } from '../command.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { benchCommand } from '../commands/bench.ts';
import { sweepCommand } from '../commands/sweep.ts';
import type { ProcessState } from '../process-state.ts';
import { repeatIn } from '../report/report-repeat.ts';
import { COMPARISON_REPORT, documentIn, SWEEP_REPORT } from '../report/report-stored.ts';

export interface StoredCall {
  readonly command: Command;
  /** Without credentials. */
  readonly url: string;
  /** Behind it, of a run with several. */
  readonly others: readonly string[];
  /** Behind the URLs. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** What has to be given again, by name. */
  readonly secrets: readonly string[];
  readonly earlier: RerunFacts;
}

/** @throws CommandError `benchRunDirectory` where there is none that may be run. */
export const readStoredCall = async (directory: string, state: ProcessState): Promise<StoredCall> => {
  const { command, call, text, earlier } = await storedOf(directory, state);
  if (isUnknown(call))
    throw refused(
      `${directory} does not contain its command: ${call.reason}`,
      text === undefined
        ? 'Type its command yourself.'
        : `Type it yourself, once you have read it: ${shownText(text)}`,
    );
  const [url = '', ...args] = call.args;
  const options = args.findIndex(word => word.startsWith('-'));
  const others = options < 0 ? args : args.slice(0, options);
  check({ urls: [url, ...others], args: args.slice(others.length) }, command);
  return {
    command,
    url,
    others,
    args: args.slice(others.length),
    cwd: call.cwd,
    secrets: call.secrets.map(text => showable(text)),
    earlier,
  };
};

interface Stored {
  readonly command: Command;
  readonly call: Reported<{
    readonly args: readonly string[];
    readonly cwd: string;
    readonly secrets: readonly string[];
  }>;
  /** The command line as it was recorded; undefined if it was not. */
  readonly text: string | undefined;
  readonly earlier: RerunFacts;
}

const storedOf = async (directory: string, state: ProcessState): Promise<Stored> => {
  const comparison = await documentIn(COMPARISON_REPORT, directory);
  if (comparison !== undefined)
    throw refused(
      `${directory} is a comparison, and the servers that it may have started are not started from a file`,
      `Type its command yourself, with --a-start and --b-start where it had them: ${shownText(comparison.command)}`,
    );
  const sweep = await documentIn(SWEEP_REPORT, directory);
  if (sweep !== undefined) {
    if (sweep.schema === LINE_SCHEMA)
      throw refused(
        `${directory} is a load line, whose command is not repeated from a file`,
        `Type it yourself, once you have read it: ${shownText(sweep.command)}`,
      );
    const { plimsoll, environment, model, resume } = sweep;
    const provenance = { kind: 'unknown', reason: 'each stage has it in its own report' } as const;
    const earlier = { version: plimsoll.version, environment, model, provenance };
    return { command: sweepCommand, call: resume, text: sweep.command, earlier };
  }
  if ((await repeatIn(directory, state)) !== undefined)
    throw refused(
      `${directory} holds several runs of one command`,
      'Give one of them, or type the command again with --repeat: plimsoll rerun DIR/run-01',
    );
  try {
    const { plimsoll, environment, run, provenance } = await storedRunConfig(directory);
    if (run.foreign !== undefined)
      throw refused(
        `${directory} was imported: ${foreignLabel(run.foreign)} sent its requests, by a command that was not stored`,
        `For the same load by Plimsoll, give the command of that tool: ${shellCommand`plimsoll bench --like ${run.foreign.tool} '…'`}`,
      );
    return {
      command: benchCommand,
      call: isUnknown(provenance) ? provenance : provenance.call,
      text: isUnknown(run.command) ? undefined : run.command,
      earlier: { version: plimsoll.version, environment, model: run.model, provenance },
    };
  } catch (error) {
    throw error instanceof RunDirectoryError ? endedBy('benchRunDirectory', error) : error;
  }
};

/** That each word is what it looks like, and that the command line itself would take them. */
const check = (
  { urls, args }: { readonly urls: readonly string[]; readonly args: readonly string[] },
  command: Command,
): void => {
  const words = [...urls, ...args];
  const hidden = words.find(word => showable(word) !== word || word === '');
  if (hidden !== undefined)
    throw refused(
      `its command has a word that no terminal shows as it is: ${JSON.stringify(hidden.slice(0, SHOWN_MAX))}`,
      'Plimsoll did not write that file; type the command yourself.',
    );
  for (const url of urls) checkTarget(url);
  for (const word of args) {
    const [, name] = /^--([^=]+)/.exec(word) ?? [];
    if (name === undefined) continue;
    if (name.endsWith('-start'))
      throw refused(
        `its command would start something: --${name}`,
        'No stored command is started; type it yourself.',
      );
    const option = command.options.find(known => known.name === name);
    if (option?.isSecret === true || option?.isOfOneCall === true)
      throw refused(
        `its command has --${name}, which no run stores`,
        'Plimsoll did not write that file; type the command yourself.',
      );
  }
  try {
    const line = parseCommandLine([command.name, ...words], [command], { isStored: true });
    // A target behind its options would be none of those that are shown and have to be repeated.
    if (line.kind === 'run' && line.invocation.arguments.length > urls.length)
      throw refused(
        'its command has a target after its options, as no run stores it',
        'Plimsoll did not write that file; type the command yourself.',
      );
    if (line.kind === 'run') return;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw refused(
      `this version does not understand its command: ${showable(error.problem.problem)}`,
      'Type it yourself, as this version has it.',
    );
  }
  throw refused('its command asks for help', 'Type it yourself.');
};

const checkTarget = (url: string): void => {
  const target = parseTargetUrl(url);
  if (target.kind === 'ok' && target.value.shown === url) return;
  throw refused(
    `its target ${shownText(url)} is not one that a run stores`,
    'Plimsoll did not write that file; type the command yourself.',
  );
};

/** For people: on one line, and no longer than anybody reads. */
const shownText = (text: string): string => {
  const line = showable(text);
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
};

const refused = (problem: string, advice: string): CommandError =>
  new CommandError('benchRunDirectory', problem, advice);

const SHOWN_MAX = 1_000;
