// A request as a document: its keys are names of options, its values what JSON, TOML or YAML write for them. Files of runs, requests
// of the API and tools of MCP have this form, and become the words of a command line.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../figure/parse-figure.ts';
import { isJsonObject } from '../json.ts';
import { nearest } from '../text/nearest.ts';
import { type Option, optionWords } from './option.ts';

/** Of a key of the document, in which "_" may be written for "-". */
export const documentOption = (
  key: string,
  options: readonly Option<unknown>[],
  command: string,
): Parsed<Option<unknown>> => {
  const name = key.replaceAll('_', '-');
  const option = options.find(known => known.name === name);
  if (option !== undefined) return parsed(option);
  const meant = nearest(
    name,
    options.map(known => known.name),
  );
  return wrong(
    `${JSON.stringify(name.slice(0, 60))} is not an option of plimsoll ${command}`,
    meant === undefined ? `See: plimsoll ${command} --help all` : `Did you mean ${meant}?`,
  );
};

/** The texts of an option, as a command line has them; none for a flag that is off. */
export const documentTexts = (option: Option<unknown>, value: unknown): Parsed<readonly string[]> => {
  const { name, valueName, isRepeatable } = option;
  if (valueName === undefined) {
    if (typeof value === 'boolean') return parsed(value ? [''] : []);
    return wrong(`${name} is neither true nor false`, `Write: ${name} = true`);
  }
  const texts: string[] = [];
  for (const each of Array.isArray(value) ? value : [value]) {
    if (typeof each === 'string' || typeof each === 'number') texts.push(String(each));
    else if (typeof each === 'boolean') texts.push(each ? 'on' : 'off');
    else if (isJsonObject(each)) texts.push(JSON.stringify(each));
    else
      return wrong(
        `${name} has a value that is neither text nor a number`,
        `Write it as for --${name}, in quotes.`,
      );
  }
  return parsed(isRepeatable ? texts : [texts.join(',')]);
};

/** As words of a command line. */
export const textWords = (
  { name, valueName }: Option<unknown>,
  texts: readonly string[],
): readonly string[] => texts.flatMap(text => optionWords(name, valueName === undefined ? undefined : text));

/** Of a document with these options, each with its help. Names that are not among them are left to `documentOption`. */
export const documentEntries = (options: readonly Option<unknown>[]): v.ObjectEntries =>
  Object.fromEntries(
    options.map(option => [
      option.name,
      v.exactOptional(v.pipe(valueSchema(option), v.description(option.meaning))),
    ]),
  );

const valueSchema = ({ valueName, isRepeatable, schema = TEXT }: Option<unknown>): v.GenericSchema => {
  if (valueName === undefined) return v.boolean();
  return isRepeatable || LIST_FORM.test(valueName) ? v.union([schema, v.array(schema)]) : schema;
};

const TEXT = v.union([v.string(), v.number()]);
/** "LIST", "W,W…": a list is joined by commas. */
const LIST_FORM = /^LIST$|,/;
