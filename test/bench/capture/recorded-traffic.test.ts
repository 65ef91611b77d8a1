// What a capture records of the requests that pass it, and what it leaves out.

import { describe, expect, test } from 'vitest';
import { capturedText, captureHere, chatReply, serverHere } from './capture-here.ts';

const answering = (answer: string, usage?: { readonly input: number; readonly output: number }) =>
  serverHere((request, response) => {
    request
      .resume()
      .once('end', () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(chatReply(answer, usage)),
      );
  });

const CHAT = '/v1/chat/completions';
const WORDS = 'anchor apple arrow autumn bakery balcony basket beacon bell bicycle '.repeat(20);

const chat = async (
  url: string,
  messages: readonly (readonly [role: string, content: string])[],
  more: { readonly headers?: Readonly<Record<string, string>>; readonly fields?: object } = {},
): Promise<void> => {
  const reply = await fetch(`${url}${CHAT}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({
      model: 'm',
      messages: messages.map(([role, content]) => ({ role, content })),
      ...more.fields,
    }),
  });
  await reply.text();
};

describe('a capture records', () => {
  test('no text and no value of a header, unless text was requested', async () => {
    for (const keepsText of [false, true]) {
      await using server = await answering('an ANSWERTEXT', { input: 5, output: 2 });
      await using capture = await captureHere(server.url, { keepsText, sessionHeader: 'x-session' });
      await chat(capture.url, [['user', 'a PROMPTTEXT']], {
        headers: { authorization: 'Bearer SECRETKEY', 'x-session': 'SESSIONNAME', 'x-other': 'OTHERVALUE' },
        fields: { tools: [{ type: 'function', function: { name: 'TOOLNAME' } }] },
      });
      const [line] = await capture.lines();
      expect(line).toMatchObject({ input_length: 5, output_length: 2, tools: true, session: 0 });
      const text = capturedText(capture.folder);
      expect(text).not.toMatch(/SECRETKEY|SESSIONNAME|OTHERVALUE/);
      if (keepsText) expect(text).toMatch(/TOOLNAME.*PROMPTTEXT|PROMPTTEXT.*TOOLNAME/);
      if (keepsText) expect(text).toContain('ANSWERTEXT');
      else expect(text).not.toMatch(/PROMPTTEXT|ANSWERTEXT|TOOLNAME|"m"/);
    }
  });

  test('prefixes that prompts share as equal blocks, up to the end of the message where they part', async () => {
    await using server = await answering('ok', { input: 420, output: 1 });
    await using capture = await captureHere(server.url);
    await chat(capture.url, [
      ['system', WORDS],
      ['user', `one ${WORDS}`],
    ]);
    await chat(capture.url, [
      ['system', WORDS],
      ['user', `two ${WORDS}`],
    ]);
    await chat(capture.url, [['system', `${WORDS}and more`]]);
    const [first, second, third] = await capture.lines();
    if (first === undefined || second === undefined || third === undefined) throw new Error('no lines');
    const shared = first.block_ids.filter(id => second.block_ids.includes(id));
    expect(second.block_ids.slice(0, shared.length)).toEqual(shared);
    const sharedTokens = shared.reduce((sum, _, index) => sum + (first.block_tokens[index] ?? 0), 0);
    // Half of the prompt, to the word.
    expect(sharedTokens).toBeGreaterThan(205);
    expect(sharedTokens).toBeLessThan(212);
    // Within a message whole blocks alone.
    const within = third.block_ids.filter(id => first.block_ids.includes(id));
    expect(within).toEqual(first.block_ids.slice(0, 3));
    for (const { block_tokens: tokens } of [first, second, third])
      expect(tokens.reduce((sum, size) => sum + size, 0)).toBe(420);
  });

  test('which conversation a request continues, by its messages or by a header', async () => {
    await using server = await answering('fine', { input: 9, output: 1 });
    const first = [['user', 'hello']] as const;
    const second = [...first, ['assistant', 'fine'], ['user', 'go on']] as const;
    const third = [...second, ['assistant', 'fine'], ['user', 'and on']] as const;
    {
      await using capture = await captureHere(server.url);
      for (const messages of [first, second, [['user', 'other']] as const, third, first])
        await chat(capture.url, messages);
      expect((await capture.lines()).map(({ session }) => session)).toEqual([0, 0, 1, 0, 2]);
    }
    await using capture = await captureHere(server.url, { sessionHeader: 'x-session' });
    for (const name of ['a', 'b', 'a']) await chat(capture.url, first, { headers: { 'X-Session': name } });
    expect((await capture.lines()).map(({ session }) => session)).toEqual([0, 1, 0]);
  });

  test('lengths that the server does not report as estimates, by the ratio of those that it did', async () => {
    let isCounting = true;
    await using server = await serverHere((request, response) => {
      request.resume().once('end', () => {
        const usage = isCounting ? { input: 404, output: 20 } : undefined;
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(chatReply('ten words are here and all of them are counted', usage));
      });
    });
    await using capture = await captureHere(server.url);
    await chat(capture.url, [['user', WORDS]]);
    isCounting = false;
    await chat(capture.url, [['user', WORDS]]);
    const [counted, estimated] = await capture.lines();
    expect(counted).toMatchObject({ input_length: 404, output_length: 20 });
    expect(counted).not.toHaveProperty('estimated');
    expect(estimated).toMatchObject({ input_length: 404, output_length: 20, estimated: ['input', 'output'] });
    expect(capture.figures.recorded).toMatchObject({ estimated: 1, inputTokens: 808 });
  });

  test('a count that no replay would take as an estimate', async () => {
    await using server = await answering('an answer', { input: 2 ** 40, output: 2 ** 40 });
    await using capture = await captureHere(server.url);
    await chat(capture.url, [['user', WORDS]]);
    const [line] = await capture.lines();
    expect(line?.estimated).toEqual(['input', 'output']);
    expect(line?.input_length).toBeLessThan(1_000);
  });

  test('only requests of APIs that answer, and counts the others', async () => {
    await using server = await answering('ok');
    await using capture = await captureHere(`${server.url}/v1`);
    for (const [path, body] of [
      ['/v1/models', undefined],
      ['/v1/embeddings', '{"input":"x"}'],
      ['/v1/completions', '{"prompt":"x"}'],
      ['/v1/messages', '{"messages":[{"role":"user","content":"x"}]}'],
      ['/chat/completions', '{"messages":[{"role":"user","content":"x"}]}'],
    ] as const) {
      const init = body === undefined ? {} : { method: 'POST', body };
      await (await fetch(`${capture.url}${path}`, init)).text();
    }
    expect((await capture.lines()).map(({ api }) => api)).toEqual(['completions', 'messages', 'chat']);
    expect(capture.figures.proxy.passed).toBe(2);
  });
});

test('a request whose fields have other types than its API has does not stop the recorder', async () => {
  await using server = await answering('ok');
  await using capture = await captureHere(server.url);
  const notText = { toString: 1 };
  const messages = [{ role: notText, content: 'x' }];
  await chat(capture.url, [], { fields: { messages } });
  await chat(capture.url, [['user', 'x']], { fields: { context: [notText] } });
  await chat(capture.url, [['user', 'x']]);
  expect(await capture.lines()).toHaveLength(3);
});

test('a capture that was stopped reports no problem', async () => {
  await using server = await answering('ok');
  await using capture = await captureHere(server.url);
  await chat(capture.url, [['user', 'x']]);
  expect(await capture.lines()).toHaveLength(1);
  expect(capture.figures.recorded).toMatchObject({ completed: 1, lost: 0, problem: undefined });
});

test('a capture of more than a file begins the next, and removes the oldest above the total', async () => {
  await using server = await answering('ok', { input: 420, output: 1 });
  await using capture = await captureHere(server.url, { fileBytesMax: 1_000, totalBytesMax: 2_500 });
  // One at a time, each in a write of its own.
  for (let round = 0; round < 4; round += 1) {
    const before = capture.figures.recorded?.completed ?? 0;
    await Promise.all(
      Array.from({ length: 4 }, (_, index) => chat(capture.url, [['user', `${round} ${index}`]])),
    );
    while ((capture.figures.recorded?.completed ?? 0) < before + 4) await (await fetch(capture.url)).text();
  }
  const lines = await capture.lines();
  const { recorded } = capture.figures;
  expect(recorded?.completed).toBe(16);
  expect(recorded?.removed).toBe(16 - lines.length);
  expect(recorded?.files).toBeGreaterThan(1);
  expect(recorded?.bytes).toBeLessThanOrEqual(2_500);
});
