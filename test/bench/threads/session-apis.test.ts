// Conversations over each API that supports them: the server's answer is in the next request in that API's form.

import { expect, test } from 'vitest';
import type { Session } from '../../../src/bench/dataset/session.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { isLongRun } from '../../support/counts.ts';
import { answerOf, CHAT, chat, type Dialect, queriedServer, sessionPlan, turn } from './queried-server.ts';
import { runLoad } from './run-load.ts';

const events = (...objects: readonly { readonly type: string }[]): string =>
  objects.map(object => `event: ${object.type}\ndata: ${JSON.stringify(object)}\n\n`).join('');

/** The shapes of OpenAI's reference of "responses", of Anthropic's of "messages", and of Ollama's docs/api.md. */
const RESPONSES: Dialect = {
  type: 'text/event-stream',
  stream: (pieces, id) =>
    events(
      { type: 'response.created', ...{ response: { id, status: 'in_progress', output: [] } } },
      { type: 'response.reasoning_text.delta', ...{ delta: 'a thought that is no answer' } },
      ...pieces.map(delta => ({ type: 'response.output_text.delta', delta })),
      { type: 'response.completed', ...{ response: JSON.parse(RESPONSES.whole(pieces.join(''), id)) } },
    ),
  whole: (text, id) =>
    JSON.stringify({
      id,
      status: 'completed',
      output: [
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'a thought that is no answer' }] },
        { type: 'message', content: [{ type: 'output_text', text }] },
      ],
    }),
};

const MESSAGES: Dialect = {
  type: 'text/event-stream',
  stream: pieces =>
    events(
      { type: 'message_start', ...{ message: { id: 'msg_1', content: [] } } },
      { type: 'content_block_start', ...{ index: 0, content_block: { type: 'thinking', thinking: '' } } },
      { type: 'content_block_delta', ...{ index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } } },
      { type: 'content_block_start', ...{ index: 1, content_block: { type: 'text', text: '' } } },
      ...pieces.map(text => ({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'text_delta', text },
      })),
      { type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } } },
      { type: 'message_stop' },
    ),
  whole: text =>
    JSON.stringify({
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text },
      ],
      stop_reason: 'end_turn',
    }),
};

const OLLAMA: Dialect = {
  type: 'application/x-ndjson',
  stream: pieces =>
    [
      { message: { role: 'assistant', content: '', thinking: 'Hm.' }, done: false },
      ...pieces.map(content => ({ message: { role: 'assistant', content }, done: false })),
      { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
    ]
      .map(line => `${JSON.stringify(line)}\n`)
      .join(''),
  whole: content =>
    JSON.stringify({
      message: { role: 'assistant', content, thinking: 'Hm.' },
      done: true,
      done_reason: 'stop',
    }),
};

const APIS = [
  { name: 'chat', dialect: CHAT, list: 'messages', length: { max_tokens: 9 } },
  { name: 'responses', dialect: RESPONSES, list: 'input', length: { max_output_tokens: 9 } },
  { name: 'messages', dialect: MESSAGES, list: 'messages', length: { max_tokens: 9 } },
  { name: 'ollama', dialect: OLLAMA, list: 'messages', length: { options: { num_predict: 9 } } },
] as const;

/** Each run starts threads: unstreamed replies are in the long run only. */
const STREAMED = isLongRun ? [true, false] : [true];

test.each(APIS.flatMap(api => STREAMED.map(isStreaming => ({ ...api, isStreaming }))))(
  'a conversation over $name, streamed: $isStreaming, goes on with what was really answered',
  async ({ name, dialect, list, length, isStreaming }) => {
    await using server = await queriedServer(dialect);
    const reported = await runLoad(
      sessionPlan(server.port, [chat('a', 'one', 'two', 'three')], {
        api: name,
        isStreaming,
        session: { api: serverApi(name), isStreaming },
      }),
    );
    expect(reported.samples.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    const { body = {}, path } = server.requested[2] ?? {};
    expect(path).toBe(`${serverApi(name).root}${serverApi(name).endpoint}`);
    expect(body).toMatchObject({ model: 'm', stream: isStreaming, ...length });
    // llama.cpp accepts an earlier reply in the input only if its type is "message".
    const answered = name === 'responses' ? { type: 'message', role: 'assistant' } : { role: 'assistant' };
    expect(body[list]).toEqual([
      { role: 'user', content: expect.stringMatching(/^\[0badcafe[0-9a-f]{8}\] one$/) },
      { ...answered, content: answerOf(1) },
      { role: 'user', content: 'two' },
      { ...answered, content: answerOf(2) },
      { role: 'user', content: 'three' },
    ]);
  },
);

test('with the history at the server a turn names the answer before it, and reports nothing but its own', async () => {
  await using server = await queriedServer(RESPONSES);
  const session = { api: serverApi('responses'), history: 'server' } as const;
  const plan = sessionPlan(server.port, [chat('a', 'one', 'two', 'three')], {
    api: 'responses',
    session,
  });
  const reported = await runLoad(plan);
  expect(reported.samples.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
  const [first, second, third] = server.requested.map(({ body }) => body);
  expect(first).toMatchObject({
    input: [{ role: 'user', content: expect.stringMatching(/\] one$/) }],
    store: true,
    stream: true,
  });
  expect(first).not.toHaveProperty('previous_response_id');
  expect(second).toMatchObject({ input: [{ content: 'two' }], previous_response_id: 'id-1', store: true });
  expect(third).toMatchObject({ input: [{ content: 'three' }], previous_response_id: 'id-2' });
});

test('a server that gives no id cannot be gone on with: the turns behind are skipped for that reason', async () => {
  const nameless: Dialect = { ...RESPONSES, stream: pieces => RESPONSES.stream(pieces, '') };
  await using server = await queriedServer(nameless);
  const session = { api: serverApi('responses'), history: 'server' } as const;
  const plan = sessionPlan(server.port, [chat('a', 'one', 'two', 'three')], {
    api: 'responses',
    session,
  });
  const reported = await runLoad(plan);
  expect(reported.samples.map(({ outcome }) => outcome)).toEqual(['completed']);
  expect(reported.skipped.map(({ turn: skipped, reason }) => [skipped, reason])).toEqual([
    [1, 'answer-not-kept'],
    [2, 'answer-not-kept'],
  ]);
});

const SYSTEM: Session = {
  id: 'with a system prompt',
  startOffsetMs: undefined,
  turns: [
    turn('', {
      prefix: 'Shared.',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'one' },
      ],
    }),
    turn('two', { after: [0], continues: 0 }),
    turn('of its own', { after: [0] }),
  ],
};

test.each(APIS)(
  'system prompts over $name stand before the conversation, in each of its turns',
  async api => {
    await using server = await queriedServer(api.dialect);
    const plan = sessionPlan(server.port, [SYSTEM], {
      api: api.name,
      session: { api: serverApi(api.name), noncePrefix: undefined },
    });
    await runLoad(plan);
    const bodies = server.requested.map(({ body }) => body);
    const [first, second, own] = bodies.toSorted((a, b) => indexIn(a) - indexIn(b));
    const isApart = api.name === 'messages';
    const texts = ['Shared.', 'Be short.'];
    for (const body of [first, second]) {
      expect(body?.['system']).toBe(isApart ? texts.join('\n\n') : undefined);
      expect(body?.[api.list]).toMatchObject([
        ...(isApart ? [] : texts.map(content => ({ role: 'system', content }))),
        { role: 'user', content: 'one' },
        ...(body === first ? [] : [{ role: 'assistant' }, { role: 'user', content: 'two' }]),
      ]);
    }
    expect(own?.['system']).toBeUndefined();
    expect(own?.[api.list]).toEqual([{ role: 'user', content: 'of its own' }]);
  },
);

const indexIn = (body: object): number =>
  ['"one"', '"two"', 'of its own'].findLastIndex(text => JSON.stringify(body).includes(text));

test('messages refuse a system prompt in the middle of a conversation, by session and turn', () => {
  const later: Session = {
    ...SYSTEM,
    turns: [
      turn('one'),
      turn('', { after: [0], continues: 0, messages: [{ role: 'system', content: 'x' }] }),
    ],
  };
  expect(() => sessionPlan(1, [later], { api: 'messages', session: { api: serverApi('messages') } })).toThrow(
    /session 1 \(with a system prompt\), turn 2: it has a system prompt in the middle/,
  );
});

test.each(['completions', 'embeddings', 'ollama-generate', 'llama.cpp', 'sglang'])(
  '%s takes no conversation, and reports it',
  name => {
    expect(() => sessionPlan(1, [chat('a', 'one', 'two')], { session: { api: serverApi(name) } })).toThrow(
      /takes no conversation/,
    );
  },
);
