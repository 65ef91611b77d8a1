// Whether an answer is what was asked for: calls of tools whose arguments fit, or JSON that fits a schema. What is asked stands in
// the fields of the requests, so that whoever sends them checks the same.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { fitsSchema, unjudged } from '../../core/json-fits.ts';
import type { AnswerCheck } from '../../core/run/sample-note.ts';
import type { AnswerParts } from './api/answer-parts.ts';

export interface CheckedAnswers {
  /** By name, the schemas of arguments; undefined: there are no tools. */
  readonly tools?: Readonly<Record<string, unknown>>;
  /** Of an answer that calls no tool. */
  readonly schema?: unknown;
}

/** Of the fields of an OpenAI chat. undefined: they ask for nothing that can be judged. */
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
