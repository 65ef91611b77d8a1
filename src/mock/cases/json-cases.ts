// JSON that is odd or wrong (RFC 8259), in events and in whole replies.

import { completed, failedAs } from '../failure.ts';
import {
  BEGINNING,
  type CaseRequest,
  casesOf,
  dataEvent,
  ENDING,
  type FaultCase,
  STREAM,
  WHOLE,
  withBody,
} from './fault-case.ts';

const { both, stream, whole } = casesOf('json');

const malformed = failedAs('malformed');

/** This text as an event in the middle, or as a whole reply. */
const written = (json: string) => (request: CaseRequest) =>
  withBody(request, request.isStreaming ? BEGINNING + dataEvent(json) + ENDING : json);

/** Changes each object of the reply. */
const changed = (change: (json: string) => string) => (request: CaseRequest) =>
  withBody(request, request.isStreaming ? STREAM.replaceAll(/\{.*\}/g, change) : change(WHOLE));

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

export const JSON_CASES: readonly FaultCase[] = [
  both('json-cut', 'JSON that breaks off', malformed, written('{"choices":[{"delta":')),
  both('json-comma', 'a comma before a closing brace', malformed, written('{"choices":[],}')),
  both('json-single-quotes', 'single quotes', malformed, written("{'choices':[]}")),
  both('json-python', 'None and True of Python', malformed, written('{"choices":None,"a":True}')),
  both('json-nan', 'NaN', malformed, written('{"choices":[],"logprob":NaN}')),
  both('json-comment', 'a comment of JavaScript', malformed, written('{"choices":[]} // end')),
  both('json-text', 'a JSON text', malformed, written('"choices"')),
  both('json-number', 'a number', malformed, written('42')),
  both('json-list', 'a list around the object', malformed, written('[{"choices":[]}]')),
  both('json-line-break', 'a line break inside a text', malformed, request =>
    withBody(
      request,
      request.isStreaming ? `${BEGINNING}data: {"a":"x\ndata: y"}\n\n${ENDING}` : '{"a":"x\ny"}',
    ),
  ),
  both('json-utf16', 'UTF-16', malformed, request => withBody(request, Buffer.from(request.body, 'utf16le'))),
  both(
    'json-bom',
    'a byte order mark before each object',
    completed,
    changed(json => `\ufeff${json}`),
  ),
  both(
    'json-deep',
    'a field nested 20,000 deep',
    completed,
    changed(json => json.replace('{', `{"deep":${deep},`)),
  ),
  both(
    'json-escaped',
    'every letter of the contents escaped',
    completed,
    changed(json => json.replaceAll('one', '\\u006f\\u006e\\u0065')),
  ),
  both(
    'json-prototype',
    'fields that are called __proto__ and constructor',
    completed,
    changed(json => json.replace('{', '{"__proto__":{"choices":[]},"constructor":1,')),
  ),
  both(
    'json-twice',
    'a field twice, of which the last counts',
    completed,
    changed(json => json.replace('{', '{"choices":[],"usage":null,')),
  ),
  both(
    'json-big-number',
    'numbers beyond what a double holds',
    completed,
    changed(json => json.replace('{', '{"created":1e999,"x":123456789012345678901234567890,')),
  ),
  both(
    'json-unknown',
    'unknown fields',
    completed,
    changed(json => json.replace('{', '{"x_groq":{"id":"a"},"system_fingerprint":null,')),
  ),
  both(
    'json-spaces',
    'white space around everything',
    completed,
    changed(json => `  ${json.replaceAll(':', ' : ')}  `),
  ),
  whole('json-pretty', 'a whole reply over many lines', completed, request =>
    withBody(request, JSON.stringify(JSON.parse(WHOLE), undefined, 2)),
  ),
  whole('json-garbage-behind', 'a script behind a whole reply', malformed, request =>
    withBody(request, `${WHOLE}<script src="/a.js"></script>`),
  ),
  whole('json-two', 'two whole replies in one body', malformed, request => withBody(request, WHOLE + WHOLE)),
  whole('json-prefix', ")]}' before a whole reply", malformed, request =>
    withBody(request, `)]}',\n${WHOLE}`),
  ),
  whole('json-empty-object', 'an empty object', failedAs('empty'), request => withBody(request, '{}')),
  whole('json-white-space', 'white space alone', malformed, request => withBody(request, '  \n ')),
  whole('json-envelope', 'an envelope of a gateway with another shape', failedAs('empty'), request =>
    withBody(request, '{"code":0,"msg":"ok","data":{"text":"hi"}}'),
  ),
  whole('json-error', 'an error with status 200', failedAs('error-frame'), request =>
    withBody(request, '{"error":{"message":"out of memory"}}'),
  ),
  whole('json-error-text', 'an error that is a text, with status 200', failedAs('error-frame'), request =>
    withBody(request, '{"error":"out of memory"}'),
  ),
  stream('json-html', 'a page of HTML in an event', malformed, request =>
    withBody(request, BEGINNING + dataEvent('<html></html>') + ENDING),
  ),
];
