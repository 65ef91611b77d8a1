// One entry of a data set: a prompt or messages, in a column that the user named or that data sets commonly use.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { DatasetEntry } from './formats/dataset-entry.ts';
import { isBatchRow, plainBatchRow } from './formats/openai-batch-row.ts';
import { isShareGptRow, shareGptPrompt } from './formats/sharegpt-row.ts';
import type { Message } from './message.ts';
import { type Prompt, userPrompt } from './prompt.ts';

/**
 * undefined: a conversation without a question.
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

/** The columns of a table with the prompt and the answer's length; none if there is no prompt. */
export const rowColumns = (names: readonly string[], column: string | undefined): readonly string[] => {
  const columns = column === undefined ? [...PROMPT_COLUMNS, ...OTHER_COLUMNS] : [column];
  const found = names.filter(name => columns.includes(name));
  return found.length === 0
    ? []
    : [...found, ...names.filter(name => LIMIT_COLUMNS.includes(name) || LINE_IDS.includes(name))];
};

const readObject = (
  row: JsonObject,
  column: string | undefined,
  isWhole: boolean,
): Parsed<Prompt | undefined> => {
  if (column === undefined && isShareGptRow(row)) return named(shareGptPrompt(row, isWhole), lineIdOf(row));
  if (column !== undefined || !isBatchRow(row)) return named(readPlainRow(row, column), lineIdOf(row));
  const batch = plainBatchRow(row);
  if (batch.kind === 'wrong') return batch;
  const { row: plain, fields, lineId } = batch.value;
  const prompt = named(readPlainRow(plain, column), lineId);
  return prompt.kind === 'wrong' || prompt.value === undefined || Object.keys(fields).length === 0
    ? prompt
    : parsed({ ...prompt.value, fields });
};

/** All fields of CSV are text. */
const readRecord = (
  record: Readonly<Record<string, string>>,
  column: string | undefined,
): Parsed<Prompt | undefined> => {
  const row: Record<string, unknown> = { ...record };
  for (const name of LIMIT_COLUMNS) {
    const limit = record[name];
    if (limit === '') delete row[name];
    else if (limit !== undefined) row[name] = Number(limit);
  }
  return named(readPlainRow(row, column), lineIdOf(row));
};

const readPlainRow = (row: JsonObject, column: string | undefined): Parsed<Prompt> => {
  const name = column ?? PROMPT_COLUMNS.find(known => Object.hasOwn(row, known));
  if (name === undefined || !Object.hasOwn(row, name)) return missing(Object.keys(row), column);
  const limitName = LIMIT_COLUMNS.find(known => Object.hasOwn(row, known));
  const maxTokens = limitName === undefined ? undefined : (row[limitName] ?? undefined);
  if (maxTokens !== undefined && !isWholePositive(maxTokens)) {
    return wrong(
      `"${limitName}" is not a whole number of at least 1`,
      'Leave it out, or give it a number such as 256.',
    );
  }
  const prompt = readPrompt(row[name], name, maxTokens);
  const documents = documentsOf(row);
  return prompt.kind === 'wrong' || documents === undefined ? prompt : parsed({ ...prompt.value, documents });
};

/** Texts, or objects that have one (Cohere's and Jina's form). Other data sets have other things there. */
const documentsOf = ({ [DOCUMENTS]: documents }: JsonObject): readonly string[] | undefined => {
  if (!Array.isArray(documents) || documents.length === 0) return undefined;
  const texts: readonly unknown[] = documents.map(each => (isJsonObject(each) ? each['text'] : each));
  return texts.every(text => typeof text === 'string') ? texts : undefined;
};

const readPrompt = (given: unknown, name: string, maxTokens: number | undefined): Parsed<Prompt> => {
  if (typeof given === 'string') {
    if (given.trim() === '') return wrong(`"${name}" is empty`, 'Remove the line, or write a prompt.');
    return parsed(userPrompt(given, maxTokens));
  }
  if (isTokenIds(given)) return parsed({ messages: [], maxTokens, tokenIds: given });
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

const isTokenIds = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every(id => Number.isSafeInteger(id) && id >= 0);

const lineIdOf = (row: JsonObject): string | undefined => {
  const id = LINE_IDS.map(name => row[name]).find(
    value => typeof value === 'string' || typeof value === 'number',
  );
  return id === undefined || id === '' ? undefined : String(id).slice(0, LINE_ID_LENGTH_MAX);
};

const named = (prompt: Parsed<Prompt | undefined>, lineId: string | undefined): Parsed<Prompt | undefined> =>
  prompt.kind === 'wrong' || prompt.value === undefined || lineId === undefined
    ? prompt
    : parsed({ ...prompt.value, lineId });

/** Fields of a row that are not used; for ShareGPT and batch files there are none to name. */
export const ignoredFields = (entry: DatasetEntry, column: string | undefined): readonly string[] => {
  const row = rowOf(entry);
  if (row === undefined || (column === undefined && (isShareGptRow(row) || isBatchRow(row)))) return [];
  const used = column ?? PROMPT_COLUMNS.find(known => Object.hasOwn(row, known));
  return Object.keys(row).filter(
    name =>
      name !== used && !KNOWN_COLUMNS.has(name) && !(name === DOCUMENTS && documentsOf(row) !== undefined),
  );
};

const rowOf = (entry: DatasetEntry): JsonObject | undefined => {
  if (entry.kind === 'record') return entry.record;
  if (entry.kind === 'row') return entry.row;
  const json = parseAnyJson(entry.text);
  return isJsonObject(json) ? json : undefined;
};

const isWholePositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;

/** Our own name first, then those of published data sets and other tools. */
const PROMPT_COLUMNS: readonly string[] = [
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
/** Of rankings: next to the query. */
const DOCUMENTS = 'documents';
/** Columns of ShareGPT and of batch files. */
const OTHER_COLUMNS = ['conversations', 'url', 'body'];
/** Columns with the length of the answer: our own name first, then others. */
const LIMIT_COLUMNS: readonly string[] = [
  'max_tokens',
  'output_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'output_length',
  'output_tokens_count',
];
const LINE_IDS: readonly string[] = ['id', 'custom_id', 'request_id', 'question_id', 'task_id'];
const LINE_ID_LENGTH_MAX = 128;
/** For ShareGPT and batch files, whose other fields describe the line, not the prompt. */
const KNOWN_COLUMNS: ReadonlySet<string> = new Set([...LIMIT_COLUMNS, ...LINE_IDS]);
const COLUMNS_SHOWN = 8;
const NAME_SHOWN = 40;
