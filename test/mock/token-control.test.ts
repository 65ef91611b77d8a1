// What a request states about lengths, and how the mock counts.

import { describe, expect, test } from 'vitest';
import { startMock } from '../../src/mock/mock-server.ts';
import { countTokens, type TokenizerName } from '../../src/mock/tokenizers.ts';
import { request } from './requesting.ts';

const usageOf = (body: string): { prompt_tokens: number; completion_tokens: number } =>
  JSON.parse(body).usage;

describe('the length of an answer', () => {
  test.each([
    [{ max_tokens: 7 }, 7, 'length'],
    [{ max_tokens: 30 }, 20, 'stop'],
    [{ max_tokens: 30, min_tokens: 25 }, 25, 'stop'],
    [{ max_tokens: 30, ignore_eos: true }, 30, 'length'],
    [{ ignore_eos: true }, 20, 'stop'],
  ])('%o of a model that reports 20 tokens is %i', async (extra, tokens, reason) => {
    await using mock = await startMock({ ttftMs: 0, gapMs: 0, outputTokens: 20 });
    const { body } = await request(mock, { stream: false, extra });
    expect(usageOf(body).completion_tokens).toBe(tokens);
    expect(JSON.parse(body).choices[0].finish_reason).toBe(reason);
  });

  test.each([{ max_tokens: 5, min_tokens: 6 }, { min_tokens: 'a' }, { ignore_eos: 1 }])(
    '%o is refused, as servers do',
    async extra => {
      await using mock = await startMock();
      const { status } = await request(mock, { stream: false, extra });
      expect(status).toBe(400);
    },
  );
});

describe('the count of a prompt', () => {
  test.each([
    ['words', 6],
    ['pieces', 9],
    ['bytes', 32],
  ] satisfies [TokenizerName, number][])('by %s is %i', async (tokenizer, tokens) => {
    expect(countTokens('what can the lighthouse carry 12', tokenizer)).toBe(tokens);
    await using mock = await startMock({ ttftMs: 0, gapMs: 0, tokenizer, templateTokens: 3 });
    const { body } = await request(mock, { stream: false, prompt: 'what can the lighthouse carry' });
    const ofText = countTokens('what can the lighthouse carry\n', tokenizer);
    expect(usageOf(body).prompt_tokens).toBe(ofText + 3);
  });

  test('by pieces does not depend on what is next to a word', () => {
    const alone = countTokens('Go', 'pieces');
    const words = [' chimney', ' a', ' lighthouse', ' sea'];
    const sum = words.map(word => countTokens(`Go${word}`, 'pieces') - alone).reduce((a, b) => a + b);
    expect(countTokens(`Go${words.join('')}`, 'pieces') - alone).toBe(sum);
    expect(countTokens(`Go${words.toReversed().join('')}`, 'pieces') - alone).toBe(sum);
  });
});
