import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../src/bench/bench-error.ts';
import { readDatasetFile } from '../../../src/bench/dataset/dataset-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const read = async (content: string | Uint8Array, column?: string) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'data.jsonl');
  writeFileSync(path, content);
  return await readDatasetFile({
    path,
    shownPath: 'data.jsonl',
    column,
    signal: new AbortController().signal,
  });
};

const texts = async (content: string | Uint8Array, column?: string) =>
  (await read(content, column)).prompts.map(({ messages }) => messages.map(message => message.content));

const refusal = async (content: string | Uint8Array, column?: string): Promise<string> => {
  const error: unknown = await read(content, column).catch((caught: unknown) => caught);
  if (!(error instanceof BenchError)) throw new Error('it was taken');
  expect(error.problem).toMatchObject({ code: 'input', advice: expect.stringMatching(/./) });
  return error.message;
};

describe('a JSONL data set', () => {
  test('gives a prompt a line, with any line end', async () => {
    expect(await texts('{"prompt":"one"}\n\n{"prompt":"two"}\r\n{"prompt":"dr\u00e4i"}')).toEqual([
      ['one'],
      ['two'],
      ['dr\u00e4i'],
    ]);
    expect(await texts('\ufeff{"prompt":"after a mark"}\n')).toEqual([['after a mark']]);
  });

  test('takes messages as they are, with parts and further fields', async () => {
    const messages = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }], name: 'a' },
    ];
    const { prompts } = await read(`${JSON.stringify({ messages, max_tokens: 12 })}\n`);
    expect(prompts).toEqual([{ messages, maxTokens: 12 }]);
  });

  test('accepts the names that other data sets use, and the one that is given', async () => {
    expect(await texts('{"id":1,"question":"q"}\n{"input":"i"}')).toEqual([['q'], ['i']]);
    expect(await texts('{"prompt":"no","ask":"yes"}', 'ask')).toEqual([['yes']]);
    expect(await texts('{"chat":[{"role":"user","content":"yes"}]}', 'chat')).toEqual([['yes']]);
  });

  test('reports where a bad line is, how it begins and what to do', async () => {
    const long = `{"prompt": ${'x'.repeat(1_000)}`;
    const reported = await refusal(`{"prompt":"a"}\n${long}\n`);
    expect(reported).toContain('data.jsonl:2: this line is not JSON. It begins: "{\\"prompt\\": xxx');
    expect(reported.length).toBeLessThan(400);
    expect(await refusal('{"prompt":"a"}\n[1]')).toContain('data.jsonl:2: this line is not a JSON object');
    expect(await refusal('{"a":1,"b":2}')).toMatch(/no prompt: it has a, b.*\. .*--prompt-column/);
    expect(await refusal('{"text_in":"x"}', 'txt_in')).toContain('Did you mean --prompt-column text_in?');
    expect(await refusal('{"prompt":5}')).toContain('neither text nor a list of messages');
    expect(await refusal('{"prompt":" "}')).toContain('is empty');
    expect(await refusal('{"messages":[]}')).toContain('no message with content');
    expect(await refusal('{"messages":[{"content":"x"}]}')).toContain('not a message');
    expect(await refusal('{"prompt":"a","max_tokens":0.5}')).toContain('"max_tokens"');
    expect(await refusal(Uint8Array.from([0x7b, 0xff, 0x7d]))).toContain(
      'data.jsonl:1: this line is not UTF-8',
    );
  });

  test('never sends what a line holds to the terminal as an order', async () => {
    expect(await refusal('\u001b[2J\n')).not.toContain('\u001b');
  });

  test('is refused when it is empty, missing, a folder, or has an endless line', async () => {
    expect(await refusal('')).toContain('has no prompt');
    expect(await refusal('\n\n  \n')).toContain('has no prompt');
    expect(await refusal('x'.repeat(9 * 1024 * 1024))).toContain(
      'data.jsonl:1: this line is longer than 8 MiB',
    );
    using directory = temporaryDirectory();
    const { signal } = new AbortController();
    for (const [path, problem] of [
      [directory.path, 'that has no text'],
      [join(directory.path, 'none'), 'that cannot be read: there is no such file'],
    ] as const) {
      await expect(readDatasetFile({ path, shownPath: 'that', column: undefined, signal })).rejects.toThrow(
        problem,
      );
    }
  });
});

describe('a data set of another form', () => {
  const turns = (...reported: readonly (readonly [string, string])[]) => ({
    conversations: reported.map(([from, value]) => ({ from, value })),
  });

  test('of ShareGPT requests what is before the first answer, and counts what requests nothing', async () => {
    const rows = [
      turns(['system', 'Be short.'], ['human', 'Why?'], ['gpt', 'So.'], ['human', 'And?']),
      turns(['gpt', 'Hello.'], ['human', 'Why?']),
      turns(),
    ];
    const { description, prompts } = await read(JSON.stringify(rows, undefined, 1));
    expect(description).toBe('data.jsonl: 1 prompt, 2 left out that ask nothing');
    expect(prompts).toEqual([
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Why?' },
        ],
        maxTokens: undefined,
      },
    ]);
    expect(await refusal(`[\n${JSON.stringify(turns(['human', 'a'], ['bird', 'b']))}]`)).toMatch(
      /data\.jsonl:2: a turn is from "bird".*Known speakers/,
    );
    expect(await refusal('{"conversations":[{"from":"human"}]}')).toContain('a turn of "conversations"');
  });

  test("of OpenAI's batches asks what the body asks", async () => {
    const batch = (url: string, body: unknown) =>
      JSON.stringify({ custom_id: 'a', method: 'POST', url, body });
    const messages = [{ role: 'user', content: 'Why?' }];
    expect(
      (
        await read(
          [
            batch('/v1/chat/completions', { model: 'm', messages, max_completion_tokens: 9 }),
            batch('/v1/completions', { model: 'm', prompt: 'So', max_tokens: 8 }),
          ].join('\n'),
        )
      ).prompts,
    ).toMatchObject([
      { messages, maxTokens: 9 },
      { messages: [{ role: 'user', content: 'So' }], maxTokens: 8 },
    ]);
    expect(await refusal(batch('/v1/embeddings', { input: 'x' }))).toContain('it asks "/v1/embeddings"');
    expect(await refusal(batch('/v1/chat/completions', {}))).toContain('"prompt" is neither text');
  });

  test('as CSV has a prompt a record, under a name of its first line', async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, 'a.csv');
    const { signal } = new AbortController();
    const csv = async (text: string, column?: string) => {
      writeFileSync(path, text);
      return await readDatasetFile({ path, shownPath: 'a.csv', column, signal });
    };
    expect((await csv('id,question,max_tokens\n1,"Why, ""so""?",5\n2,When?,\n')).prompts).toMatchObject([
      { messages: [{ role: 'user', content: 'Why, "so"?' }], maxTokens: 5 },
      { messages: [{ role: 'user', content: 'When?' }], maxTokens: undefined },
    ]);
    expect((await csv('id,ask\n1,Why?', 'ask')).prompts).toHaveLength(1);
    await expect(csv('prompt\na\nb,c\n')).rejects.toThrow('a.csv:3: this record has 2 fields');
    await expect(csv('prompt,max_tokens\na,many\n')).rejects.toThrow('a.csv:2: "max_tokens" is not');
    await expect(csv('prompt\n"a\n')).rejects.toThrow('a.csv:2: a quotation mark');
  });

  test('as a folder has a prompt a text, in the order of their names', async () => {
    using directory = temporaryDirectory();
    const { signal } = new AbortController();
    for (const [name, text] of [
      ['b.txt', 'second'],
      ['a.md', 'first'],
      ['c.png', 'no text'],
      ['d.txt', ' '],
    ] as const)
      writeFileSync(join(directory.path, name), text);
    const { prompts, file } = await readDatasetFile({
      path: directory.path,
      shownPath: 'texts',
      column: undefined,
      signal,
    });
    expect(prompts.map(({ messages }) => messages[0]?.content)).toEqual(['first', 'second']);
    writeFileSync(join(directory.path, 'b.txt'), 'another');
    const changed = await readDatasetFile({
      path: directory.path,
      shownPath: 'texts',
      column: undefined,
      signal,
    });
    expect(changed.file?.sha256).not.toBe(file?.sha256);
    writeFileSync(join(directory.path, 'b.txt'), Uint8Array.of(0xff));
    await expect(
      readDatasetFile({ path: directory.path, shownPath: 'texts', column: undefined, signal }),
    ).rejects.toThrow('texts/b.txt:1: this line is not UTF-8');
  });
});
