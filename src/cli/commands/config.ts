// `plimsoll config path|show|check`: where the settings are, what is in effect, what is wrong.

import { resolve } from 'node:path';
import {
  type ConfigCheckDocument,
  type ConfigPathDocument,
  problemData,
  type ShownConfig,
  settingData,
} from '../../config/config-document.ts';
import { type ConfigProblem, problemLines } from '../../config/config-problem.ts';
import { settingLines } from '../../config/config-template.ts';
import { homeFiles, resolveHome } from '../../config/home.ts';
import { parseConfig } from '../../config/parse-config.ts';
import { type ConfigResult, readConfig } from '../../config/read-config.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { OutputStream, ProcessState } from '../process-state.ts';

export const configPathCommand: Command = {
  name: 'config path',
  summary: 'Print the path of config.toml',
  description: 'The first `plimsoll up` writes it, with every key commented out.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['config-path'],
  examples: [{ line: '$EDITOR "$(plimsoll config path)"', meaning: 'edit it' }],
  run: async (invocation, state) => {
    const path = configPath(invocation, state);
    const document: ConfigPathDocument = { schema: 'plimsoll.config-path/1', path };
    await state.stdout.write(invocation.option(jsonOption) ? jsonLines(document) : `${path}\n`);
    return EXIT_CODES.ok.code;
  },
};

export const configShowCommand: Command = {
  name: 'config show',
  summary: 'Print the settings in effect and the source of each',
  description:
    'While config.toml has an error, these are the last good values, or the defaults if there are none.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['config'],
  examples: [{ line: 'plimsoll config show', meaning: 'every key with its value and its source' }],
  run: async (invocation, state) => {
    const path = configPath(invocation, state);
    const result = await readConfig(path);
    if (invocation.option(jsonOption)) return await showJson(path, result, state);
    if (result.kind === 'ok') {
      await print(state.stdout, settingLines(result.settings, 'config.toml'));
      return EXIT_CODES.ok.code;
    }
    await printProblems(state.stderr, result.problems);
    const used = result.lastGood === undefined ? 'the defaults' : 'the last good values';
    await print(state.stderr, [`Until you fix it, ${used} stay in effect:`]);
    await print(state.stdout, settingLines(result.lastGood?.settings ?? defaults(), 'config.last-good.toml'));
    return EXIT_CODES.badConfig.code;
  },
};

export const configCheckCommand: Command = {
  name: 'config check',
  summary: 'Check config.toml',
  description: 'Exits with 0 if nothing is wrong, with 3 if something is.',
  arguments: [
    { name: 'FILE', meaning: 'Another file. Default: config.toml of the home.', isRequired: false },
  ],
  options: [homeOption, jsonOption],
  prints: ['config-check'],
  examples: [
    { line: 'plimsoll config check', meaning: 'the file of this home' },
    { line: 'plimsoll config check new.toml', meaning: 'a file before it is put in place' },
  ],
  run: async (invocation, state) => {
    const [file] = invocation.arguments;
    const path = file === undefined ? configPath(invocation, state) : resolve(state.cwd, file);
    const result = await readConfig(path);
    if (result.kind === 'ok' && result.isMissing && file !== undefined) {
      await print(state.stderr, [`plimsoll: ${path} is not there`, 'Choose a file that exists.']);
      return EXIT_CODES.badConfig.code;
    }
    if (invocation.option(jsonOption)) {
      const problems = result.kind === 'ok' ? [] : result.problems;
      const document: ConfigCheckDocument = {
        schema: 'plimsoll.config-check/1',
        path,
        isMissing: result.kind === 'ok' && result.isMissing,
        problems: problems.map(problemData),
      };
      await state.stdout.write(jsonLines(document));
      return problems.length === 0 ? EXIT_CODES.ok.code : EXIT_CODES.badConfig.code;
    }
    if (result.kind === 'ok') {
      const note = result.isMissing ? 'does not exist: every key has its default' : 'is valid';
      await print(state.stdout, [`${path} ${note}.`]);
      return EXIT_CODES.ok.code;
    }
    await printProblems(state.stderr, result.problems);
    return EXIT_CODES.badConfig.code;
  },
};

const showJson = async (path: string, result: ConfigResult, { stdout }: ProcessState): Promise<ExitCode> => {
  const isOk = result.kind === 'ok';
  const settings = isOk ? result.settings : (result.lastGood?.settings ?? defaults());
  const document: ShownConfig = {
    schema: 'plimsoll.config/1',
    path,
    source:
      isOk && !result.isMissing ? 'file' : isOk || result.lastGood === undefined ? 'defaults' : 'last-good',
    settings: settings.map(settingData),
    problems: isOk ? [] : result.problems.map(problemData),
  };
  await stdout.write(jsonLines(document));
  return isOk ? EXIT_CODES.ok.code : EXIT_CODES.badConfig.code;
};

const configPath = (invocation: Invocation, state: ProcessState): string =>
  homeFiles(resolveHome({ ...state, option: invocation.option(homeOption) })).config;

const defaults = () => {
  const parsed = parseConfig('', 'defaults');
  return parsed.kind === 'ok' ? parsed.settings : [];
};

const print = (stream: OutputStream, lines: readonly string[]): Promise<void> =>
  stream.write(`${lines.join('\n')}\n`);

const printProblems = (stream: OutputStream, problems: readonly ConfigProblem[]): Promise<void> =>
  print(stream, problems.flatMap(problemLines));
