// Which fields of a data set's lines are used in addition to their prompts: lengths, ids, fields of the request,
// token ids, and which are named as not used.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { turnsOfChats } from '../../../src/bench/dataset/chat-sessions.ts';
import { readDatasetFile } from '../../../src/bench/dataset/dataset-file.ts';
import { mooncakeEntry } from '../../../src/bench/dataset/trace/mooncake-trace.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const read = async (...rows: readonly object[]) => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'set.jsonl');
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  const { signal } = new AbortController();
  return await readDatasetFile({ path, shownPath: 'set.jsonl', signal, column: undefined });
};

test.each(['max_tokens', 'output_tokens', 'max_completion_tokens', 'output_length'])(
  'the field %s is the length of the answer',
  async name => {
    const { prompts } = await read({ prompt: 'hi', [name]: 12 });
    expect(prompts).toMatchObject([{ maxTokens: 12 }]);
  },
);

test('a length of null is none', async () => {
  expect((await read({ prompt: 'hi', output_tokens: null })).prompts).toMatchObject([
    { maxTokens: undefined },
  ]);
});

test.each(['id', 'custom_id', 'request_id'])('the field %s names the line', async name => {
  expect((await read({ prompt: 'hi', [name]: 'row-7' })).prompts).toMatchObject([{ lineId: 'row-7' }]);
});

test('fields of which nothing is used are named in the description of the run', async () => {
  const { description } = await read({ prompt: 'hi', id: 1, category: 'a' }, { prompt: 'ho', difficulty: 2 });
  expect(description).toBe('set.jsonl: 2 prompts, fields not used: category, difficulty');
});

describe('a line with documents', () => {
  const DOCUMENTS = ['an apple', 'a leek'];

  test.each([
    ['texts', { query: 'red fruit', documents: DOCUMENTS }],
    ['texts under the name of another column', { question: 'red fruit', documents: DOCUMENTS }],
    ['objects with texts', { query: 'red fruit', documents: [{ text: 'an apple', id: 7 }, 'a leek'] }],
  ])('is a query with its documents, which are %s', async (_, row) => {
    const { prompts, description } = await read(row);
    expect(prompts).toMatchObject([{ messages: [{ content: 'red fruit' }], documents: DOCUMENTS }]);
    expect(description).toBe('set.jsonl: 1 prompt');
  });

  test.each([[[]], ['an apple'], [['an apple', 5]], [[{ title: 'an apple' }]]])(
    'whose documents are %j, which are no texts, is its query alone',
    async documents => {
      const { prompts, description } = await read({ query: 'red fruit', documents });
      expect(prompts).toEqual([{ messages: [{ role: 'user', content: 'red fruit' }], maxTokens: undefined }]);
      expect(description).toBe('set.jsonl: 1 prompt, fields not used: documents');
    },
  );

  test('is sent by other APIs without them', async () => {
    const { prompts } = await read({ query: 'red fruit', documents: DOCUMENTS });
    const settings = { hasNonce: false, noncePrefix: '0badcafe', model: 'm', isStreaming: false };
    const { bytes } = requestBodies(prompts, { api: serverApi('embeddings'), ...settings });
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ input: 'red fruit' });
  });
});

describe('a line of a batch file', () => {
  const row = {
    custom_id: 'a',
    method: 'POST',
    url: '/v1/chat/completions',
    body: {
      model: 'theirs',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 5,
      temperature: 0.5,
      tools: [{ type: 'function', function: { name: 'sail' } }],
      stream: false,
    },
  };

  const bodyOf = async (added: Readonly<Record<string, unknown>> = {}) => {
    const { prompts } = await read(row);
    const bodies = requestBodies(prompts, {
      api: serverApi('chat'),
      hasNonce: false,
      noncePrefix: '0badcafe',
      model: 'ours',
      isStreaming: true,
      fields: { lengthFields: ['ignore_eos'], added },
    });
    expect(bodies.lineIds).toEqual(['a']);
    const sent: unknown = JSON.parse(Buffer.from(bodies.bytes).toString());
    return sent;
  };

  test('sends its temperature and its tools, and neither its model nor its streaming', async () => {
    expect(await bodyOf()).toEqual({
      model: 'ours',
      messages: row.body.messages,
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      tools: row.body.tools,
    });
  });

  test('has the fields of --body put over its own', async () => {
    expect(await bodyOf({ temperature: 0, tools: null })).toMatchObject({ temperature: 0 });
    expect(await bodyOf({ tools: null })).not.toHaveProperty('tools');
  });
});

describe('a prompt of token ids', () => {
  const bodies = async (api: string, hasNonce: boolean) =>
    requestBodies((await read({ prompt: [1, 22, 333], max_tokens: 4 })).prompts, {
      api: serverApi(api),
      hasNonce,
      noncePrefix: '0badcafe',
      model: 'm',
      isStreaming: false,
    });

  test.each([true, false])('is sent to completions as it is (nonce: %s)', async hasNonce => {
    const { bytes, nonceAts } = await bodies('completions', hasNonce);
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ prompt: [1, 22, 333], max_tokens: 4 });
    expect(new Float64Array(nonceAts)[0]).toBe(-1);
  });

  test.each(['chat', 'messages', 'ollama', 'responses', 'embeddings', 'rerank', 'sglang'])(
    'is refused by the API %s, with the one that takes it',
    async api => {
      await expect(bodies(api, false)).rejects.toMatchObject({
        problem: {
          problem: `prompt 1: it is a list of token ids, which ${api} does not take`,
          advice: 'Write: --api completions',
        },
      });
    },
  );
});

test('each turn of a conversation has the length that its own message reports', () => {
  const { prompts } = turnsOfChats([
    {
      messages: [
        { role: 'user', content: 'a', output_tokens: 3 },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
      maxTokens: 9,
      lineId: 'x',
    },
  ]);
  expect(prompts).toMatchObject([
    { maxTokens: 3, lineId: 'x' },
    { maxTokens: 9, lineId: 'x' },
  ]);
});

test('a Mooncake trace names what a replay by times does not use', () => {
  const line = { timestamp: 1, input_length: 5, output_length: 2, hash_ids: [], session_id: 'a', delay: 3 };
  expect(mooncakeEntry(JSON.stringify(line), 1)).toMatchObject({
    kind: 'ok',
    value: { unused: ['session_id', 'delay'] },
  });
});
