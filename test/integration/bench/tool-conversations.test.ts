// Conversations with calls of tools, against a server that refuses what a strict one refuses: a result without its call, and a call
// without its result.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { answeringServer, finished, reported, streamed, used } from './answering-server.ts';
import { benchHere } from './bench-here.ts';

const CALL = { id: 'recorded-1', type: 'function', function: { name: 'sail', arguments: '{"to":"Leith"}' } };
const CHAT = {
  messages: [
    { role: 'user', content: 'Sail.' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'recorded-1', content: 'arrived' },
    { role: 'assistant', content: 'We are in Leith.' },
    { role: 'user', content: 'Thanks.' },
  ],
};

const messagesOf = ({ messages }: JsonObject): readonly JsonObject[] =>
  Array.isArray(messages) ? messages.filter(isJsonObject) : [];

const idsOf = (message: JsonObject): readonly unknown[] => {
  const { tool_calls: calls } = message;
  return Array.isArray(calls) ? calls.filter(isJsonObject).map(({ id }) => id) : [];
};

/** As strict servers judge it; '' if nothing is wrong. */
const refusal = (body: JsonObject): string => {
  let open: readonly unknown[] = [];
  for (const message of messagesOf(body)) {
    if (message['role'] === 'tool') {
      if (!open.includes(message['tool_call_id'])) return 'a result without its call';
      open = open.filter(id => id !== message['tool_call_id']);
    } else if (open.length > 0) return 'a call without its result';
    else open = idsOf(message);
  }
  return open.length > 0 ? 'a call without its result' : '';
};

const strictServer = (delta: (number: number) => object) =>
  answeringServer(({ number, body, response }) => {
    const wrong = refusal(body);
    if (wrong !== '') {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: wrong } }));
      return;
    }
    streamed(response, [reported(delta(number)), finished('stop'), used(9, 5), '[DONE]']);
  });

const played = async (url: string, ...more: readonly string[]) => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'chats.jsonl');
  writeFileSync(file, `${JSON.stringify(CHAT)}\n`);
  const run = await benchHere(folder.path, [
    ...[url, '--dataset', file, '--multi-turn', '--sessions', '1', '--concurrency', '1', '--warmup', '1'],
    ...['--no-nonce', '--events', 'off', ...more],
  ]);
  return { exit: run.exit, counts: run.report().counts };
};

describe('a conversation with calls of tools', { timeout: 60_000 }, () => {
  test('is sent as it was recorded, calls and results with it', async () => {
    await using server = await strictServer(() => ({ content: 'x' }));
    expect(await played(server.url, '--answers', 'recorded')).toMatchObject({
      exit: 'ok',
      counts: { completed: 3, failed: 0 },
    });
    expect(messagesOf(server.requested.at(-1) ?? {})).toEqual(CHAT.messages);
  });

  test('has the recorded results for the calls that the server makes, by their ids', async () => {
    const calls = ['live-a', 'live-b'].map((id, index) => ({
      index,
      id,
      type: 'function',
      function: { name: 'sail', arguments: index === 0 ? '{"to":"Oban"}' : '{"to":' },
    }));
    await using server = await strictServer(number =>
      number === 1 ? { tool_calls: calls } : { content: 'There.' },
    );
    expect(await played(server.url)).toMatchObject({ exit: 'ok', counts: { completed: 3, failed: 0 } });
    const call = (id: string, given: string) => ({
      id,
      type: 'function',
      function: { name: 'sail', arguments: given },
    });
    expect(messagesOf(server.requested.at(-1) ?? {})).toEqual([
      { role: 'user', content: 'Sail.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('live-a', '{"to":"Oban"}'), call('live-b', '{}')],
      },
      { role: 'tool', tool_call_id: 'live-a', content: 'arrived' },
      { role: 'tool', tool_call_id: 'live-b', content: 'arrived' },
      { role: 'assistant', content: 'There.' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  test('has the recorded results from its user if the server calls nothing', async () => {
    await using server = await strictServer(() => ({ content: 'No.' }));
    expect(await played(server.url)).toMatchObject({ exit: 'ok', counts: { completed: 3, failed: 0 } });
    expect(messagesOf(server.requested.at(-1) ?? {})).toEqual([
      { role: 'user', content: 'Sail.' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'arrived' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  test('has an empty result for a call of which none was recorded', async () => {
    await using server = await strictServer(number =>
      number === 2
        ? { tool_calls: [{ index: 0, id: 'late', function: { name: 'sail', arguments: '{}' } }] }
        : { content: 'x' },
    );
    expect(await played(server.url)).toMatchObject({ exit: 'ok', counts: { completed: 3, failed: 0 } });
    expect(messagesOf(server.requested.at(-1) ?? {}).slice(-2)).toEqual([
      { role: 'tool', tool_call_id: 'late', content: '' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });
});
