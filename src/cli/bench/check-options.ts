// `--tools` and `--response-schema`: what each request asks its answer to be, and what answers are then checked by.

import { resolve } from 'node:path';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { unjudged } from '../../core/json-fits.ts';
import { nonEmpty, optionsIn, wholeText } from '../../core/option/option.ts';
import { BODY_TEXT_MAX } from '../../core/run/run-requests.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputTextSync } from '../../process/input-file.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';

const { value } = optionsIn('Requests');

/** In the order of --help. */
export const CHECKS = {
  tools: value({
    name: 'tools',
    valueName: 'FILE',
    meaning:
      "Offer these tools (OpenAI's list, JSON), and check the arguments of each call against their schemas.",
    reads: wholeText,
    parse: nonEmpty,
  }),
  responseSchema: value({
    name: 'response-schema',
    valueName: 'FILE',
    meaning: 'Request answers that match this JSON schema, and check each one.',
    reads: wholeText,
    parse: nonEmpty,
  }),
};

/** Fields for each body. @throws CommandError `usage` and `benchInput`. */
export const checkFields = (
  invocation: Invocation,
  { api, cwd }: { readonly api: ServerApi; readonly cwd: string },
): JsonObject => {
  const toolsFile = invocation.option(CHECKS.tools);
  const schemaFile = invocation.option(CHECKS.responseSchema);
  const given = toolsFile === undefined ? CHECKS.responseSchema : CHECKS.tools;
  if (toolsFile === undefined && schemaFile === undefined) return {};
  if (api.name !== 'chat') {
    throw new CommandError(
      'usage',
      `--${given.name} is for the API chat, not for ${api.name}`,
      'Use --api chat, or write the fields of the other API with --body.',
    );
  }
  const fields = {
    ...(toolsFile === undefined ? {} : { tools: toolsOf(toolsFile, cwd) }),
    ...(schemaFile === undefined ? {} : { response_format: formatOf(schemaFile, cwd) }),
  };
  if (JSON.stringify(fields).length <= BODY_TEXT_MAX) return fields;
  throw wrongFile(given.name, `it is longer than ${BODY_TEXT_MAX} characters, and each run stores it`);
};

const toolsOf = (file: string, cwd: string): readonly JsonObject[] => {
  const tools = jsonOf(file, cwd, 'tools');
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every(isJsonObject))
    throw wrongFile('tools', `${file} is not a list of tools`);
  for (const tool of tools) {
    const called = tool['function'];
    if (!isJsonObject(called) || typeof called['name'] !== 'string')
      throw wrongFile('tools', `${file} has a tool without {"type": "function", "function": {"name": …}}`);
    checkJudged('tools', called['parameters'] ?? true, `the parameters of ${called['name']}`);
  }
  return tools;
};

const formatOf = (file: string, cwd: string): JsonObject => {
  const schema = jsonOf(file, cwd, 'response-schema');
  checkJudged('response-schema', schema, file);
  return { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
};

const checkJudged = (option: string, schema: unknown, what: string): void => {
  const keyword = unjudged(schema);
  if (keyword !== undefined)
    throw wrongFile(option, `${what}: "${keyword.slice(0, 60)}" is not checked here`);
};

const jsonOf = (file: string, cwd: string, option: string): unknown => {
  let text: string;
  try {
    text = readInputTextSync(resolve(cwd, file), 'requestPart');
  } catch (error) {
    throw wrongFile(option, `${file} cannot be read: ${fileReason(error)}`);
  }
  new ExpansionBudget('requestPart', ({ problem }) => wrongFile(option, `${file}: ${problem}`)).addJson(text);
  const json = parseAnyJson(text);
  if (json === undefined) throw wrongFile(option, `${file} is not JSON`);
  return json;
};

const wrongFile = (option: string, problem: string): CommandError =>
  new CommandError('benchInput', `--${option}: ${problem}`, 'See docs/bench.md, "Answers that are checked".');
