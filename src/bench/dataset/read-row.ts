// One entry of a data set: a prompt or messages, under a name that the person gave or one that data sets use.

import type { Parsed } from '../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { DatasetEntry } from './formats/dataset-entry.ts';
import { isBatchRow, plainBatchRow } from './formats/openai-batch-row.ts';
import { isShareGptRow, shareGptPrompt } from './formats/sharegpt-row.ts';
import type { Message } from './message.ts';
import type { Prompt } from './prompt.ts';
import { userPrompt } from './prompt.ts';

/**
 * Undefined: a conversation that asks nothing.
 * @param isWhole with all turns of a conversation, not only the first
 * @param column the name given with --prompt-column; undefined: the well-known ones, in their order.
 */
export const readRow = (
  entry: DatasetEntry,
  column: string | undefined,
  isWhole = false,
): Parsed<Prompt | undefined> => {
  if (entry.kind === 'record') return readRecord(entry.record, column);
  if (entry.kind === 'row') return readObject(entry.row, column, isWhole);
  let row: unknown;
  try {
    row = JSON.parse(entry.text);
  } catch {
    return wrong(
      'this line is not JSON',
      'Each line is one JSON object, such as {"prompt": "Why is the sky blue?"}.',
    );
  }
  if (!isJsonObject(row)) {
    return wrong(
      'this line is not a JSON object',
      'Write each line as {"prompt": "…"} or {"messages": […]}.',
    );
  }
  return readObject(row, column, isWhole);
};

/** Of a table's columns those that say what is asked and how long the answer may be; none where nothing is asked. */
export const rowColumns = (names: readonly string[], column: string | undefined): readonly string[] => {
  const asking = column === undefined ? [...PROMPT_COLUMNS, ...OTHER_COLUMNS] : [column];
  const found = names.filter(name => asking.includes(name));
  return found.length === 0 ? [] : [...found, ...names.filter(name => name === MAX_TOKENS)];
};

const readObject = (
  row: JsonObject,
  column: string | undefined,
  isWhole: boolean,
): Parsed<Prompt | undefined> => {
  if (column === undefined && isShareGptRow(row)) return shareGptPrompt(row, isWhole);
  const plain = column === undefined && isBatchRow(row) ? plainBatchRow(row) : parsed(row);
  return plain.kind === 'wrong' ? plain : readPlainRow(plain.value, column);
};

/** All fields of CSV are texts. */
const readRecord = (
  record: Readonly<Record<string, string>>,
  column: string | undefined,
): Parsed<Prompt | undefined> => {
  const { [MAX_TOKENS]: limit, ...rest } = record;
  return readPlainRow(
    limit === undefined || limit === '' ? rest : { ...rest, [MAX_TOKENS]: Number(limit) },
    column,
  );
};

const readPlainRow = (row: JsonObject, column: string | undefined): Parsed<Prompt> => {
  const name = column ?? PROMPT_COLUMNS.find(known => Object.hasOwn(row, known));
  if (name === undefined || !Object.hasOwn(row, name)) return missing(Object.keys(row), column);
  const maxTokens = Object.hasOwn(row, MAX_TOKENS) ? row[MAX_TOKENS] : undefined;
  if (maxTokens !== undefined && !isWholePositive(maxTokens)) {
    return wrong(
      `"${MAX_TOKENS}" is not a whole number of at least 1`,
      'Leave it out, or give it a number such as 256.',
    );
  }
  return readPrompt(row[name], name, maxTokens);
};

const readPrompt = (given: unknown, name: string, maxTokens: number | undefined): Parsed<Prompt> => {
  if (typeof given === 'string') {
    if (given.trim() === '') return wrong(`"${name}" is empty`, 'Remove the line, or write a prompt.');
    return parsed(userPrompt(given, maxTokens));
  }
  if (!Array.isArray(given)) {
    return wrong(
      `"${name}" is neither text nor a list of messages`,
      'Write {"prompt": "…"} or {"messages": […]}.',
    );
  }
  const messages: Message[] = [];
  for (const message of given) {
    if (!isMessage(message)) {
      return wrong(
        `"${name}" has an entry that is not a message`,
        'A message is {"role": "user", "content": "…"}.',
      );
    }
    messages.push(message);
  }
  if (!messages.some(({ content }) => typeof content === 'string' || Array.isArray(content))) {
    return wrong(`"${name}" has no message with content`, 'A message is {"role": "user", "content": "…"}.');
  }
  return parsed({ messages, maxTokens });
};

const missing = (names: readonly string[], column: string | undefined): Parsed<never> => {
  const shown = names.slice(0, COLUMNS_SHOWN).map(name => name.slice(0, NAME_SHOWN));
  const has = shown.length === 0 ? 'it is empty' : `it has ${shown.join(', ')}`;
  if (column === undefined) {
    return wrong(`this line has no prompt: ${has}`, 'Choose the field that has it: --prompt-column NAME');
  }
  const meant = nearest(column, names);
  return wrong(
    `this line has no "${column}": ${has}`,
    meant === undefined
      ? 'Choose a field of the line with --prompt-column.'
      : `Did you mean --prompt-column ${meant}?`,
  );
};

const isMessage = (value: unknown): value is Message => {
  if (!isJsonObject(value) || typeof value['role'] !== 'string' || value['role'] === '') return false;
  const content = value['content'];
  return (
    content === undefined ||
    content === null ||
    typeof content === 'string' ||
    (Array.isArray(content) && content.every(isJsonObject))
  );
};

const isWholePositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;

/** Ours first, then what published data sets and other tools call the same. */
export const PROMPT_COLUMNS: readonly string[] = [
  'prompt',
  'messages',
  'user_prompt',
  'question',
  'input',
  'input_text',
  'text_input',
  'problem',
  'query',
  'instruction',
  'text',
];
/** Of ShareGPT and of batch files. */
const OTHER_COLUMNS = ['conversations', 'url', 'body'];
const MAX_TOKENS = 'max_tokens';
const COLUMNS_SHOWN = 8;
const NAME_SHOWN = 40;
