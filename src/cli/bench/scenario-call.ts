// From a scenario's name or file to the command line of its run.

import type { Option } from '../../core/option/option.ts';
import { readScenario } from '../../core/scenario/read-scenario.ts';
import { type BenchScenario, SCENARIOS } from '../../core/scenario/scenario.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import type { ProcessState } from '../process-state.ts';
import { fileOptionWords, optionsDocument } from './run-file.ts';

export interface ScenarioCall {
  readonly scenario: BenchScenario | undefined;
  /** With its options. */
  readonly invocation: Invocation;
}

/** @throws CommandError */
export const callOfScenario = async (
  given: string,
  { args: [, ...words], cwd }: Pick<ProcessState, 'args' | 'cwd'>,
  command: Command,
): Promise<ScenarioCall> => {
  const scenario =
    SCENARIOS.find(({ name }) => name === given) ??
    (await scenarioOfFile(given, { cwd, options: command.options }));
  const names = new Set(words.flatMap(word => /^--([^=]+)/.exec(word)?.[1] ?? []));
  if (scenario.rules['agent-trace'] !== undefined && !names.has('trace'))
    throw usage(
      `--scenario ${given} replays a trace of agents, and --trace is not given`,
      'Write: --trace FILE, a file or folder in Weka form (docs/scenarios.md).',
    );
  const own = Object.entries(scenario.options).flatMap(([name, value]) =>
    fileOptionWords(name.replaceAll('_', '-'), value, {
      options: command.options,
      given: names,
      argument: `--scenario ${given}`,
    }),
  );
  return { scenario, invocation: withOptions(given, command, [...own, ...words]) };
};

const scenarioOfFile = async (
  file: string,
  { cwd, options }: { readonly cwd: string; readonly options: readonly Option<unknown>[] },
): Promise<BenchScenario> => {
  const read = readScenario((await optionsDocument(file, cwd)).document);
  if (read.kind === 'wrong') throw new CommandError('benchInput', `${file}: ${read.problem}`, read.advice);
  const scenario = read.value;
  const own = Object.keys(scenario.options).map(name => name.replaceAll('_', '-'));
  const other = options.find(option => own.includes(option.name) && !isOfScenario(option));
  if (other === undefined) return scenario;
  throw new CommandError(
    'benchInput',
    `${file}: ${other.name} is not a part of a scenario, which has no secrets, places and files of one run`,
    `Give --${other.name} on the command line.`,
  );
};

/** A scenario is handed around: it reads, sends and writes nothing that its command line does not show. */
const isOfScenario = ({ name, isSecret, isOfOneCall, startsProgram, reads }: Option<unknown>): boolean =>
  isSecret !== true &&
  isOfOneCall !== true &&
  startsProgram !== true &&
  reads === undefined &&
  !REMOTE.has(name);

const REMOTE: ReadonlySet<string> = new Set(['scenario', 'webhook', 'otlp', 'from', 'agents']);

/** What its options and those of the line have against each other is reported in its name. */
const withOptions = (
  given: string,
  command: Command,
  words: readonly string[],
): ScenarioCall['invocation'] => {
  try {
    const line = parseCommandLine([command.name, ...words], [command]);
    if (line.kind === 'run') return line.invocation;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { problem, advice } = error.problem;
    throw new CommandError(error.code, `--scenario ${given}: ${problem}`, advice, { cause: error });
  }
  throw new Error('a run of a scenario has no command line');
};
