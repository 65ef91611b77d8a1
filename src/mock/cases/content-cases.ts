// What a delta or a message may contain in addition to text, how choices are written, and why they finish. In the
// form of chat completions, as servers write them.

import { completed, failedAs } from '../failure.ts';
import {
  BEGINNING,
  type CaseFigures,
  casesOf,
  chunkOf,
  contentOf,
  DONE,
  dataEvent,
  dataEvents,
  deltaOf,
  ENDING,
  type FaultCase,
  FINISH,
  finishOf,
  ROLE,
  STREAM,
  USAGE,
  WORDS,
  wholeOf,
  withBody,
} from './fault-case.ts';

const { stream, whole } = casesOf('content');

const empty = failedAs('empty');
const truncated = failedAs('truncated');

/** A stream of these deltas between role and end. */
const deltas = (
  name: string,
  meaning: string,
  pieces: readonly object[],
  figures: CaseFigures = {},
): FaultCase =>
  stream(
    name,
    meaning,
    completed,
    request => withBody(request, dataEvents(ROLE, ...pieces.map(deltaOf)) + ENDING),
    { chunks: pieces.length, ...figures },
  );

const nothing = (name: string, meaning: string, ...pieces: readonly object[]): FaultCase =>
  stream(name, meaning, empty, request =>
    withBody(request, dataEvents(ROLE, ...pieces.map(deltaOf)) + ENDING),
  );

/** A stream with this finish reason, in the client's terms. */
const finished = (name: string, meaning: string, reason: unknown, finishReason: string): FaultCase =>
  stream(
    name,
    meaning,
    completed,
    request => withBody(request, BEGINNING + dataEvents(finishOf(reason), USAGE, DONE)),
    { finishReason },
  );

const events = (
  name: string,
  meaning: string,
  data: readonly string[],
  figures: CaseFigures = {},
): FaultCase => stream(name, meaning, completed, request => withBody(request, dataEvents(...data)), figures);

const message = (name: string, meaning: string, content: object): FaultCase =>
  whole(name, meaning, completed, request => withBody(request, wholeOf(content)));

const emptyMessage = (name: string, meaning: string, content: object): FaultCase =>
  whole(name, meaning, empty, request => withBody(request, wholeOf(content)));

const call = (piece: object): object => ({ tool_calls: [{ index: 0, ...piece }] });

export const CONTENT_CASES: readonly FaultCase[] = [
  deltas('content-reasoning', 'reasoning_content, then an answer', [
    { reasoning_content: 'hm' },
    { content: 'a' },
  ]),
  deltas('content-reasoning-short', 'reasoning, as OpenRouter names it', [
    { reasoning: 'hm', content: null },
    { content: 'a' },
  ]),
  deltas('content-reasoning-only', 'reasoning and no answer', [{ reasoning_content: 'hm' }]),
  deltas('content-both', 'reasoning and answer in one chunk', [{ reasoning_content: 'hm', content: 'a' }]),
  deltas('content-thinking', 'a list with a thinking part', [
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
    { content: [{ type: 'text', text: 'a' }] },
  ]),
  deltas('content-thinking-text', 'a thinking part with a text', [
    { content: [{ type: 'thinking', thinking: 'hm' }] },
  ]),
  deltas('content-parts', 'a list of text parts', [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
  ]),
  deltas('content-audio', 'sound, and its transcript', [
    { audio: { id: 'audio_1', data: 'AAAA' } },
    { audio: { transcript: 'a' } },
    { audio: { data: 'BBBB' } },
  ]),
  deltas('content-refusal', 'a refusal', [{ refusal: 'I cannot' }]),
  deltas('content-role-each', 'a role in each chunk', [
    { role: 'assistant', content: 'a' },
    { role: 'assistant', content: 'b' },
  ]),
  deltas('content-white-space', 'contents of white space alone', [{ content: ' ' }, { content: '\n' }]),
  deltas('content-escaped', 'contents of escapes', [{ content: '\u0000\u001b[31m"\\' }]),
  deltas('content-tool-call', 'a tool call in pieces', [
    call({ id: 'a', function: { name: 'f', arguments: '' } }),
    call({ function: { arguments: '{"a"' } }),
    call({ function: { arguments: ':1}' } }),
  ]),
  deltas('content-tool-name', 'a tool call that is only a name', [call({ function: { name: 'f' } })]),
  deltas('content-two-tools', 'two tool calls in one chunk', [
    {
      tool_calls: [
        { index: 0, function: { name: 'f' } },
        { index: 1, function: { name: 'g' } },
      ],
    },
  ]),
  deltas('content-function-call', 'a function_call of the old kind', [
    { function_call: { name: 'f', arguments: '{}' } },
  ]),
  nothing('content-null', 'contents that are null', { content: null }),
  nothing('content-empty', 'contents that are empty', { content: '' }, { content: '' }),
  nothing('content-number', 'a content that is a number', { content: 42 }),
  nothing('content-empty-parts', 'a list of parts without a text', {
    content: [{ type: 'text', text: '' }, {}, null],
  }),
  nothing(
    'content-empty-call',
    'a tool call without name and arguments',
    call({ function: { arguments: '' } }),
    { tool_calls: null },
    { tool_calls: [] },
  ),
  stream('delta-null', 'a delta that is null', completed, request =>
    withBody(request, BEGINNING + dataEvent(chunkOf({ delta: null })) + ENDING),
  ),
  stream('delta-text', 'a delta that is a text', completed, request =>
    withBody(request, BEGINNING + dataEvent(chunkOf({ delta: 'x' })) + ENDING),
  ),
  events('choices-empty-first', 'a chunk without choices first, as Azure sends for its filter', [
    '{"choices":[],"prompt_filter_results":[]}',
    ROLE,
    ...WORDS,
    FINISH,
    USAGE,
    DONE,
  ]),
  events('choices-missing', 'a chunk without the field choices', [
    '{"id":"a"}',
    ROLE,
    ...WORDS,
    FINISH,
    USAGE,
    DONE,
  ]),
  events('choices-null', 'choices: null', ['{"choices":null}', ROLE, ...WORDS, FINISH, USAGE, DONE]),
  events(
    'choices-two',
    'two choices in turn',
    [
      ...WORDS,
      chunkOf({ index: 1, delta: { content: 'b' } }),
      FINISH,
      chunkOf({ index: 1, delta: {}, finish_reason: 'length' }),
      USAGE,
      DONE,
    ],
    { chunks: 4 },
  ),
  stream('choices-one-open', 'two choices, one of which never finishes, and no [DONE]', truncated, request =>
    withBody(request, dataEvents(...WORDS, chunkOf({ index: 1, delta: { content: 'b' } }), FINISH, USAGE)),
  ),
  events('choices-index-missing', 'choices without an index', [
    ...WORDS.map(word => word.replace('"index":0,', '')),
    FINISH,
    USAGE,
    DONE,
  ]),
  stream('choices-object', 'choices that are an object', empty, request =>
    withBody(request, dataEvents('{"choices":{"0":{"delta":{"content":"a"}}}}', USAGE, DONE)),
  ),
  finished('finish-length', 'finish_reason length', 'length', 'length'),
  finished('finish-filter', 'finish_reason content_filter', 'content_filter', 'content_filter'),
  finished('finish-tools', 'finish_reason tool_calls', 'tool_calls', 'tool_calls'),
  finished('finish-function', 'finish_reason function_call', 'function_call', 'other'),
  finished('finish-eos', 'finish_reason eos_token, as TGI has it', 'eos_token', 'other'),
  ...['abort', 'error'].map(reason =>
    stream(`finish-${reason}`, `finish_reason ${reason}`, failedAs('aborted'), request =>
      withBody(request, BEGINNING + dataEvents(finishOf(reason), USAGE, DONE)),
    ),
  ),
  finished('finish-unknown', 'an unknown reason', 'because', 'other'),
  finished('finish-named-missing', 'a reason that is called missing', 'missing', 'other'),
  finished('finish-empty', 'an empty reason', '', 'missing'),
  finished('finish-number', 'a reason that is a number', 5, 'missing'),
  finished('finish-object', 'a reason that is an object', { type: 'stop' }, 'missing'),
  events('finish-twice', 'two finish reasons', [...WORDS, FINISH, finishOf('length'), USAGE, DONE]),
  events('finish-first', 'the finish reason before the content', [ROLE, FINISH, ...WORDS, USAGE, DONE]),
  events('finish-with-content', 'the last content in the chunk that finishes', [
    ...WORDS.slice(0, 2),
    chunkOf({ delta: { content: 'c' }, finish_reason: 'stop' }),
    USAGE,
    DONE,
  ]),
  events('finish-each', 'finish_reason null in each chunk', [
    ...WORDS.map(word => word.replace('"delta"', '"finish_reason":null,"delta"')),
    FINISH,
    USAGE,
    DONE,
  ]),
  message('message-reasoning', 'a message with reasoning', { content: 'a', reasoning_content: 'hm' }),
  message('message-reasoning-only', 'a message with reasoning alone', { content: null, reasoning: 'hm' }),
  message('message-tools', 'a message with tool calls alone', {
    content: null,
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
  }),
  message('message-parts', 'a message of parts', { content: [{ type: 'text', text: 'a' }] }),
  message('message-refusal', 'a message that refuses', { content: null, refusal: 'I cannot' }),
  emptyMessage('message-null', 'a message without content', { content: null }),
  emptyMessage('message-empty', 'a message with an empty content', { content: '' }),
  whole('message-missing', 'a choice without a message', empty, request =>
    withBody(request, '{"choices":[{"index":0,"finish_reason":"stop"}]}'),
  ),
  whole('message-no-choices', 'a completion without choices', empty, request =>
    withBody(request, '{"choices":[],"usage":{}}'),
  ),
  stream('stream-again', 'the same stream twice over', completed, request =>
    withBody(request, STREAM + STREAM),
  ),
  stream(
    'content-after-finish',
    'content behind the finish reason',
    completed,
    request => withBody(request, dataEvents(ROLE, ...WORDS, FINISH, contentOf('more'), USAGE, DONE)),
    { chunks: 4 },
  ),
];
