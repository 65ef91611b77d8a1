// Whether an answer matches its request: tool calls whose arguments fit, or JSON that fits a schema. The constraints
// are in the fields of the requests, so that every sender checks the same.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { fitsSchema, unjudged } from '../../core/json-fits.ts';
import type { AnswerCheck } from '../../core/run/sample-remark.ts';
import type { AnswerParts } from './api/answer-parts.ts';

export interface CheckedAnswers {
  /** Schemas of arguments by name; undefined: there are no tools. */
  readonly tools?: Readonly<Record<string, unknown>>;
  /** Schema of an answer without a tool call. */
  readonly schema?: unknown;
}

/** From the fields of an OpenAI chat. undefined: they contain nothing that can be checked. */
export const checkedAnswers = ({
  tools,
  response_format: format,
}: JsonObject): CheckedAnswers | undefined => {
  const functions = Array.isArray(tools) ? tools.filter(isJsonObject).map(tool => tool['function']) : [];
  const named = functions
    .filter(isJsonObject)
    .flatMap(({ name, parameters = true }) =>
      typeof name === 'string' && unjudged(parameters) === undefined ? [[name, parameters] as const] : [],
    );
  const wanted = isJsonObject(format) ? format['json_schema'] : undefined;
  const schema = isJsonObject(wanted) ? wanted['schema'] : undefined;
  const hasSchema = schema !== undefined && unjudged(schema) === undefined;
  if (named.length === 0 && !hasSchema) return undefined;
  return {
    ...(named.length === 0 ? {} : { tools: Object.fromEntries(named) }),
    ...(hasSchema ? { schema } : {}),
  };
};

export const checkAnswer = ({ tools, schema }: CheckedAnswers, answer: AnswerParts): AnswerCheck => {
  if (answer.isTooLong) return 'misfit';
  if (tools !== undefined && answer.calls.length > 0) {
    const checks = answer.calls.map(({ name, argumentsText }) =>
      Object.hasOwn(tools, name) ? checkText(argumentsText, tools[name]) : 'misfit',
    );
    return checks.find(check => check !== 'fits') ?? 'fits';
  }
  if (schema === undefined || answer.text.trim() === '') return 'absent';
  return checkText(answer.text, schema);
};

const checkText = (text: string, schema: unknown): AnswerCheck => {
  const value = parseAnyJson(text);
  if (value === undefined) return 'not-json';
  return fitsSchema(value, schema) ? 'fits' : 'misfit';
};
