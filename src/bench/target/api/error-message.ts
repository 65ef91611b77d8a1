// The message of a server's error in any known form: OpenAI's object, FastAPI's list, a message nested in a gateway's
// message, a page of HTML, plain text, or truncated JSON. One sentence, not yet shortened.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../../core/json.ts';

/** From the body of an unsuccessful reply; '' if it contains none. */
export const messageOfBody = (body: string): string => {
  const text = body.trim();
  const json = parseAnyJson(text);
  if (json !== undefined) return messageIn(json, 0) || (isJsonObject(json) ? text : textIn(json, 0));
  if (/^data:/mu.test(text)) return messageOfEvents(text);
  if (/^<(?:!doctype|html|\?xml|[a-z])/iu.test(text)) return messageOfMarkup(text);
  return cutMessage(text) || unwrapped(text, 0);
};

/** From an object of a stream or a plain reply; '' if it is not an error. */
export const errorOf = (json: JsonObject): string => {
  const { error } = json;
  if (isJsonObject(error) || Array.isArray(error)) return messageIn(error, 0) || compact(error);
  if (typeof error === 'string' && error !== '') return messageIn(json, 0);
  if (json['object'] === 'error' || json['type'] === 'error')
    return messageIn(json, 0) || 'an error without a message';
  return '';
};

/**
 * The fields in which servers write it, the most exact first; their values may be texts, lists or objects in turn.
 */
const messageIn = (value: unknown, depth: number): string => {
  if (depth > DEPTH_MAX) return '';
  if (Array.isArray(value)) return listed(value, depth);
  if (!isJsonObject(value)) return '';
  // Rails and the like: the kind of the error in `error`, the sentence in a field of its own.
  const { error } = value;
  const sentence = firstText(value, SENTENCE_FIELDS, depth);
  if (typeof error === 'string' && sentence !== '' && sentence !== error && !sentence.includes(error))
    return WORD.test(error) ? sentence : `${unwrapped(error, depth)}: ${sentence}`;
  return textIn(error, depth) || sentence || firstText(value, NAME_FIELDS, depth);
};

const firstText = (value: JsonObject, names: readonly string[], depth: number): string => {
  for (const name of names) {
    const text = textIn(value[name], depth);
    if (text !== '') return text;
  }
  return '';
};

const textIn = (value: unknown, depth: number): string => {
  if (typeof value === 'string') return unwrapped(value, depth + 1);
  if (typeof value === 'number') return String(value);
  return messageIn(value, depth + 1);
};

/**
 * Entries of FastAPI contain a location: `{"loc": ["body", "stream_options"], "msg": "Extra inputs are not
 * permitted"}`.
 */
const listed = (list: readonly unknown[], depth: number): string => {
  const texts = list.slice(0, ENTRIES_MAX).flatMap(entry => {
    const text = textIn(entry, depth);
    if (text === '') return [];
    const path = isJsonObject(entry) ? pathOf(entry) : '';
    return [path === '' ? text : `${path}: ${text}`];
  });
  const more = list.length > ENTRIES_MAX ? [`and ${list.length - ENTRIES_MAX} more`] : [];
  return [...new Set(texts), ...more].join('; ');
};

const pathOf = ({ loc, param, field, path }: JsonObject): string => {
  if (Array.isArray(loc))
    return loc
      .filter(part => part !== 'body')
      .slice(0, DEPTH_MAX)
      .join('.');
  return [param, field, path].find(name => typeof name === 'string') ?? '';
};

/** Gateways embed the upstream server's error in their own text, as JSON or as Python prints it. */
const unwrapped = (text: string, depth: number): string => {
  if (depth > DEPTH_MAX) return text;
  const from = text.search(/[{[]["'{]/u);
  if (from === -1) return text;
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const inner = to > from ? text.slice(from, to + 1) : text.slice(from);
  const json = parseAnyJson(inner);
  const message = json === undefined ? pythonMessage(inner) || cutMessage(inner) : messageIn(json, depth + 1);
  return message === '' ? text : message;
};

/** `{'object': 'error', 'message': "The model 'x' does not exist."}` */
const pythonMessage = (text: string): string => {
  const [, double, single] = PYTHON_MESSAGE.exec(text) ?? [];
  return (double ?? single ?? '').replace(/\\(['"\\])/gu, '$1');
};

/** For a body that is longer than what is read of it: validators repeat the whole request. */
const cutMessage = (text: string): string => {
  const [, found] = CUT_MESSAGE.exec(text) ?? [];
  if (found === undefined) return '';
  const json = parseAnyJson(`"${found}"`);
  const message = typeof json === 'string' ? json : found;
  const path = parseAnyJson(CUT_PATH.exec(text)?.[1] ?? '');
  return Array.isArray(path) && pathOf({ loc: path }) !== ''
    ? `${pathOf({ loc: path })}: ${message}`
    : message;
};

/** An error in a stream: the first event that has one. */
const messageOfEvents = (text: string): string => {
  for (const [, data = ''] of text.matchAll(/^data: ?(.*)$/gmu)) {
    const json = parseAnyJson(data);
    const message = isJsonObject(json) ? errorOf(json) : '';
    if (message !== '') return message;
  }
  return text;
};

/** The title of a page, with the server's name if it contains one; the message of XML; else its text. */
const messageOfMarkup = (text: string): string => {
  const inside = (name: string): string => {
    const [, found = ''] = new RegExp(`<${name}[^>]*>([\\s\\S]{0,2000}?)</${name}>`, 'iu').exec(text) ?? [];
    return plain(found);
  };
  const title = inside('title') || inside('h1');
  const server =
    /<center>\s*((?:nginx|openresty|tengine|cloudflare)[^<]{0,60})<\/center>/iu.exec(text)?.[1] ?? '';
  if (title !== '') return server === '' ? title : `${title} (${server.trim()})`;
  return inside('message') || plain(text);
};

const plain = (markup: string): string =>
  markup
    .replace(/<(script|style)[\s\S]*?<\/\1>/giu, ' ')
    .replace(/<[^>]{0,500}>/gu, ' ')
    .replace(/&(?:#(\d{1,6})|(amp|lt|gt|quot|apos|nbsp));/gu, (_, code?: string, name?: string) =>
      code === undefined
        ? (ENTITIES.get(name ?? '') ?? '')
        : String.fromCodePoint(Math.min(Number(code), 0x10_ff_ff)),
    )
    .replace(/\s+/gu, ' ')
    .trim();

const compact = (value: unknown): string => JSON.stringify(value).slice(0, COMPACT_LENGTH_MAX);

/**
 * Fields with sentences. `detail` is FastAPI's and RFC 9457's, `msg` of its entries, `Message` of AWS,
 * `error_description` of OAuth.
 */
const SENTENCE_FIELDS = [
  'message',
  'detail',
  'msg',
  'Message',
  'error_description',
  'error_message',
  'errors',
  'title',
  'reason',
];
/** Used if there is no sentence. */
const NAME_FIELDS = ['code', 'type', 'status'];
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);
/** A name for programs: "invalid_request_error", "Bad". */
const WORD = /^[\w.-]+$/u;
const PYTHON_MESSAGE = /'(?:message|detail|msg)': ?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/u;
const CUT_MESSAGE = /"(?:message|detail|msg|error)"\s*:\s*"((?:[^"\\]|\\.)+)/u;
const CUT_PATH = /"loc"\s*:\s*(\[[^\]]{0,200}\])/u;
const DEPTH_MAX = 8;
const ENTRIES_MAX = 5;
const COMPACT_LENGTH_MAX = 400;
