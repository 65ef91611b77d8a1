// How a reply ends: what a gateway may omit, the end signals of engines, and their signals of giving up.

import { describe, expect, test } from 'vitest';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { pipeReply } from './reply-pipe.ts';
import { chunkedStream, events, reply } from './reply-shapes.ts';

const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const finish = (reason: string): string =>
  JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const usage = (output: number): string =>
  JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: output } });

describe('a stream whose last event lacks its blank line', () => {
  const content = events(delta('a'), delta('b'));
  test.each([
    ['a finish reason', `${content}data: ${finish('stop')}`],
    ['a finish reason and its line feed', `${content}data: ${finish('stop')}\n`],
    ['a finish reason and CRLF', `${content}data: ${finish('stop')}\r\n`],
    ['[DONE]', `${events(delta('a'), delta('b'), finish('stop'))}data: [DONE]`],
    ['usage behind a finish reason', `${events(delta('a'), delta('b'), finish('stop'))}data: ${usage(2)}`],
  ])('is complete with %s and a proper end of HTTP', (_, text) => {
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'completed', chunks: 2 });
    const head = `HTTP/1.1 200 OK\ncontent-type: text/event-stream\ncontent-length: ${text.length}`;
    expect(pipeReply([reply(head, text)])).toMatchObject({ outcome: 'completed', chunks: 2 });
  });

  test('has the usage of that event', () => {
    const text = `${events(delta('a'), finish('stop'))}data: ${usage(5)}\n`;
    expect(pipeReply([chunkedStream(text)]).outputTokens).toBe(5);
  });

  test('is truncated without a proper end of HTTP', () => {
    const text = `${content}data: ${finish('stop')}`;
    const head = `HTTP/1.1 200 OK\ncontent-type: text/event-stream\ncontent-length: ${text.length + 9}`;
    expect(pipeReply([reply(head, text)])).toMatchObject({ outcome: 'failed', kind: 'truncated' });
    expect(pipeReply([chunkedStream(text).subarray(0, -7)])).toMatchObject({
      outcome: 'failed',
      kind: 'truncated',
    });
  });

  test('is truncated if nothing in it reports that it is over', () => {
    const text = `${events(delta('a'))}data: ${delta('b')}`;
    expect(pipeReply([chunkedStream(text)])).toMatchObject({
      outcome: 'failed',
      kind: 'truncated',
      detail: 'the reply ended without [DONE] and without a finish reason',
    });
  });

  test('is truncated if the event itself is cut', () => {
    const text = `${events(delta('a'), finish('stop'))}data: ${usage(2).slice(0, -3)}`;
    expect(pipeReply([chunkedStream(text)])).toMatchObject({
      outcome: 'failed',
      kind: 'truncated',
      detail: 'the last event is cut',
    });
  });

  test('is an error if the event is one', () => {
    const text = `${events(delta('a'))}data: {"error":{"message":"out of memory"}}`;
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'failed', kind: 'error-frame' });
  });

  test('of JSON lines is complete without its line feed', () => {
    const lines = `{"message":{"content":"a"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":1}`;
    const head = `HTTP/1.1 200 OK\ncontent-type: application/x-ndjson\ncontent-length: ${lines.length}`;
    expect(pipeReply([reply(head, lines)], { api: serverApi('ollama') })).toMatchObject({
      outcome: 'completed',
      outputTokens: 1,
    });
  });
});

describe('an engine that gave up', () => {
  test.each(['abort', 'aborted', 'error', 'ERROR', 'cancelled', 'timeout', 'insufficient_system_resource'])(
    'with the finish reason %s fails its request by a kind of its own',
    reason => {
      const text = events(delta('a'), finish(reason), usage(1), '[DONE]');
      expect(pipeReply([chunkedStream(text)])).toMatchObject({
        outcome: 'failed',
        kind: 'aborted',
        detail: `finish reason "${reason}"`,
      });
    },
  );

  test('fails a reply that is not streamed too', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason: 'abort' }] });
    const bytes = reply(`HTTP/1.1 200 OK\ncontent-length: ${body.length}`, body);
    expect(pipeReply([bytes], { isStreaming: false })).toMatchObject({ outcome: 'failed', kind: 'aborted' });
  });

  test.each([
    [
      'sglang',
      events('{"text":"a","meta_info":{"finish_reason":{"type":"abort","message":"OOM"}}}'),
      ': OOM',
    ],
    [
      'messages',
      events(
        '{"type":"content_block_delta","delta":{"text":"a"}}',
        '{"type":"message_delta","delta":{"stop_reason":"error"}}',
      ),
      '',
    ],
    ['ollama', '{"message":{"content":"a"},"done":true,"done_reason":"error"}\n', ''],
    ['responses', events('{"type":"response.completed","response":{"status":"cancelled"}}'), ''],
  ])('is found by the API %s', (api, text, why) => {
    const piped = pipeReply([chunkedStream(text)], { api: serverApi(api) });
    expect(piped).toMatchObject({ outcome: 'failed', kind: 'aborted' });
    expect(piped.detail).toMatch(new RegExp(`^finish reason "\\w+"${why}$`));
  });
});

test.each(['because', 'eos_token', 'repetition', 'pause_turn', 'MALFORMED_FUNCTION_CALL'])(
  'the finish reason %s, which is unknown, is kept as the server wrote it',
  reason => {
    const piped = pipeReply([chunkedStream(events(delta('a'), finish(reason), '[DONE]'))]);
    expect(piped).toMatchObject({ outcome: 'completed', finishReason: 'other', finishName: reason });
  },
);

describe('an answer without text', () => {
  test('is completed if tokens were counted up to the limit: they are bytes that are not yet text', () => {
    const text = events(delta(''), finish('length'), usage(1), '[DONE]');
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'completed', isWithoutText: true });
  });

  test.each([
    ['no token was counted', events(finish('length'), usage(0), '[DONE]')],
    ['nothing was counted', events(finish('length'), '[DONE]')],
    ['it ended by itself', events(finish('stop'), usage(1), '[DONE]')],
  ])('is empty if %s', (_, text) => {
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'failed', kind: 'empty' });
  });
});
