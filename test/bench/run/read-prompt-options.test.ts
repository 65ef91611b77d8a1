import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plannedPrompts, promptsSha256 } from '../../../src/bench/dataset/planned-prompts.ts';
import { WORDS_AS_TOKENS } from '../../../src/bench/dataset/word-costs.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { readPromptOptions } from '../../../src/bench/run/read-prompt-options.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';

const systemPromptOf = async (text: string, folder: string): Promise<string | undefined> => {
  const request = requestHere('http://127.0.0.1:1', { systemPrompt: { text, path: join(folder, text) } });
  const options = await readPromptOptions(request, new AbortController().signal, '0badcafe');
  return options.systemPrompt;
};

describe('a generated ranking', () => {
  const planned = async (changes: Partial<BenchRequest>) => {
    const request = requestHere('http://127.0.0.1:1', { api: serverApi('rerank'), ...changes });
    const options = await readPromptOptions(request, new AbortController().signal, '0badcafe');
    return plannedPrompts(options, WORDS_AS_TOKENS);
  };
  const wordsOf = (text: unknown): number => String(text).split(' ').length;

  it('is a query of 12 words with 10 documents of the usual length, each request another', async () => {
    const { prompts, description, inputTokens } = await planned({});
    expect(description).toBe(
      'synthetic: 256 prompts of 128 words, seed 7, as queries with 10 documents each',
    );
    expect(prompts).toHaveLength(256);
    for (const { messages, documents = [] } of prompts) {
      expect(messages.map(({ content }) => wordsOf(content))).toEqual([12]);
      expect(documents.map(wordsOf)).toEqual(Array.from({ length: 10 }, () => 128));
    }
    expect(new Set(prompts.map(prompt => JSON.stringify(prompt))).size).toBe(256);
    expect(isUnknown(inputTokens)).toBe(true);
  });

  it('has the documents and the length that were requested, the same for the same seed', async () => {
    const requests = {
      ...requestHere('http://h').requests,
      inputTokens: { kind: 'fixed', value: 30 } as const,
    };
    const one = await planned({ documents: 3, requests });
    expect(one.prompts[0]?.documents?.map(wordsOf)).toEqual([30, 30, 30]);
    const digests = [
      one,
      await planned({ documents: 3, requests }),
      await planned({ documents: 2, requests }),
    ].map(({ prompts }) => promptsSha256(prompts));
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  it('is made of fewer requests if all texts together would be too long', async () => {
    const requests = {
      ...requestHere('http://h').requests,
      inputTokens: { kind: 'fixed', value: 1_000 } as const,
    };
    const { prompts } = await planned({ documents: 1_000, requests });
    expect(prompts.length).toBeGreaterThanOrEqual(1);
    const characters = prompts
      .flatMap(({ documents = [] }) => documents)
      .reduce((sum, text) => sum + text.length, 0);
    expect(characters).toBeLessThan(33_554_432);
  });

  it('has the system prompt and shared prefixes before its query', async () => {
    const requests = { ...requestHere('http://h').requests, prefixes: { count: 1, tokens: 20 } };
    const { prompts } = await planned({ documents: 2, requests });
    expect(wordsOf(prompts[0]?.prefix)).toBe(20);
  });
});

describe('--system-prompt', () => {
  it('is the text of a file that exists, and else the prompt itself', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'system.md'), 'You are a sailor.');
    expect(await systemPromptOf('system.md', folder.path)).toBe('You are a sailor.');
    expect(await systemPromptOf('You are a sailor/cook.', folder.path)).toBe('You are a sailor/cook.');
  });

  it('that can only be a file that does not exist, or is a folder, is refused', async () => {
    using folder = temporaryDirectory();
    mkdirSync(join(folder.path, 'prompts'));
    for (const [text, problem] of [
      ['./missing/prompt', 'there is no file ./missing/prompt'],
      ['systm.md', 'there is no file systm.md'],
      ['prompts', 'prompts is a folder'],
    ] as const) {
      await expect(systemPromptOf(text, folder.path)).rejects.toThrow(problem);
    }
  });
});
