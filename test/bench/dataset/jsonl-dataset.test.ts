import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../src/bench/bench-error.ts';
import { readJsonlDataset } from '../../../src/bench/dataset/jsonl-dataset.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const read = async (content: string | Uint8Array, column?: string) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'data.jsonl');
  writeFileSync(path, content);
  return await readJsonlDataset({
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
  test('gives a prompt a line, whatever ends the lines', async () => {
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

  test('knows the names that other data sets use, and the one that is given', async () => {
    expect(await texts('{"id":1,"question":"q"}\n{"input":"i"}')).toEqual([['q'], ['i']]);
    expect(await texts('{"prompt":"no","ask":"yes"}', 'ask')).toEqual([['yes']]);
    expect(await texts('{"chat":[{"role":"user","content":"yes"}]}', 'chat')).toEqual([['yes']]);
  });

  test('says where a bad line stands, how it begins and what to do', async () => {
    const long = `{"prompt": ${'x'.repeat(1_000)}`;
    const said = await refusal(`{"prompt":"a"}\n${long}\n`);
    expect(said).toContain('data.jsonl:2: this line is not JSON. It begins: "{\\"prompt\\": xxx');
    expect(said.length).toBeLessThan(400);
    expect(await refusal('[1]')).toContain('data.jsonl:1: this line is not a JSON object');
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
    for (const [path, reason] of [
      [directory.path, 'it is a folder'],
      [join(directory.path, 'none'), 'there is no such file'],
    ] as const) {
      await expect(readJsonlDataset({ path, shownPath: 'that', column: undefined, signal })).rejects.toThrow(
        `that cannot be read: ${reason}`,
      );
    }
  });
});
