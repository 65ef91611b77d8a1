import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Prompt, userPrompt } from '../../../src/bench/dataset/prompt.ts';
import {
  PROMPT_COUNT,
  PROMPT_WORDS,
  syntheticDataset,
} from '../../../src/bench/dataset/synthetic-dataset.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { BODY_NONCE_BYTES, requestBodies } from '../../../src/bench/target/request-bodies.ts';
import { type LengthField, lengthFieldsFor } from '../../../src/bench/target/request-fields.ts';
import { unknown } from '../../../src/core/unknown.ts';

const OPTIONS = {
  api: SERVER_APIS[0],
  model: 'a "model"',
  isStreaming: true,
  hasNonce: true,
  noncePrefix: '0123abcd',
};

const bodiesOf = (prompts: readonly Prompt[], options: Partial<typeof OPTIONS> = {}) => {
  const set = requestBodies(prompts, { ...OPTIONS, ...options });
  const starts = new Float64Array(set.starts);
  const nonceAts = new Float64Array(set.nonceAts);
  return prompts.map((_, index) => {
    const bytes = Buffer.from(new Uint8Array(set.bytes).slice(starts[index], starts[index + 1]));
    const nonceAt = nonceAts[index] ?? -1;
    return { json: JSON.parse(bytes.toString('utf8')), nonceAt, bytes };
  });
};

const anyContent = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.array(fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) }), {
    minLength: 0,
    maxLength: 3,
  }),
);
const anyPrompt: fc.Arbitrary<Prompt> = fc.record({
  messages: fc.array(
    fc.record({
      role: fc.constantFrom('system', 'user', 'assistant'),
      content: anyContent,
      name: fc.string(),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  maxTokens: fc.option(fc.integer({ min: 1, max: 9_999 }), { nil: undefined }),
});

describe('request bodies', () => {
  test('ask for a stream with usage, or for a plain reply', () => {
    const prompt = userPrompt('why?', 7);
    expect(bodiesOf([prompt], { hasNonce: false })[0]?.json).toEqual({
      model: 'a "model"',
      messages: [{ role: 'user', content: 'why?' }],
      max_tokens: 7,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(bodiesOf([userPrompt('why?')], { hasNonce: false, isStreaming: false })[0]?.json).toEqual({
      model: 'a "model"',
      messages: [{ role: 'user', content: 'why?' }],
      stream: false,
    });
  });

  test('have a place for the nonce at the very start of what the model reads, and are JSON with any nonce', () => {
    fc.assert(
      fc.property(fc.array(anyPrompt, { minLength: 1, maxLength: 5 }), prompts => {
        const plain = bodiesOf(prompts, { hasNonce: false });
        bodiesOf(prompts).forEach(({ bytes, nonceAt, json }, index) => {
          expect(bytes.toString('latin1', nonceAt, nonceAt + BODY_NONCE_BYTES)).toBe('0123abcd00000000');
          bytes.write('fedcba9876543210', nonceAt, 'latin1');
          const [first, ...later] = JSON.parse(bytes.toString('utf8')).messages;
          const [before, ...same] = plain[index]?.json.messages ?? [];
          const text = '[fedcba9876543210]';
          expect(first.content).toEqual(
            typeof before.content === 'string'
              ? `${text} ${before.content}`
              : [{ type: 'text', text }, ...before.content],
          );
          expect({ ...first, content: before.content }).toEqual(before);
          expect(later).toEqual(same);
          expect({ ...json, messages: [] }).toEqual({ ...plain[index]?.json, messages: [] });
        });
      }),
    );
  });

  test('for the warm-up stand behind the others and ask for short answers', () => {
    const prompts = [userPrompt('a', 300), userPrompt('b', 5), userPrompt('c')];
    const set = requestBodies(prompts, { ...OPTIONS, hasNonce: false, warmupBodies: 2 });
    const starts = new Float64Array(set.starts);
    const bodies = Array.from({ length: starts.length - 1 }, (_, index) =>
      JSON.parse(Buffer.from(new Uint8Array(set.bytes).slice(starts[index], starts[index + 1])).toString()),
    );
    expect(set.measured).toBe(3);
    expect(bodies.map(({ messages, max_tokens: limit }) => [messages[0].content, limit])).toEqual([
      ['a', 300],
      ['b', 5],
      ['c', undefined],
      ['a', 16],
      ['b', 5],
    ]);
  });

  test('hold an answer to its length by the fields that the server has', () => {
    const fieldsOf = (...lengthFields: LengthField[]) => {
      const bytes = requestBodies([userPrompt('a', 9)], { ...OPTIONS, fields: { lengthFields, added: {} } });
      const { max_tokens, min_tokens, ignore_eos } = JSON.parse(Buffer.from(bytes.bytes).toString());
      return { max_tokens, min_tokens, ignore_eos };
    };
    expect(fieldsOf('min_tokens', 'ignore_eos')).toEqual({ max_tokens: 9, min_tokens: 9, ignore_eos: true });
    expect(fieldsOf(...lengthFieldsFor('llama.cpp'))).toEqual({ max_tokens: 9, ignore_eos: true });
    expect(fieldsOf(...lengthFieldsFor('LM Studio'))).toEqual({ max_tokens: 9 });
    expect(fieldsOf(...lengthFieldsFor(unknown('not asked')))).toEqual({ max_tokens: 9 });
    // A JSON answer ends where its schema does: llama-server answers 500 where it may not.
    const shaped = { response_format: { type: 'json_schema' } };
    expect(fieldsOf(...lengthFieldsFor('llama.cpp', shaped))).toEqual({ max_tokens: 9 });
  });

  test('leave the first messages alone when they have no content', () => {
    const [body] = bodiesOf([
      {
        messages: [
          { role: 'assistant', content: null, tool_calls: [] },
          { role: 'tool', content: 'x' },
        ],
        maxTokens: undefined,
      },
    ]);
    expect(body?.json.messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', content: '[0123abcd00000000] x' },
    ]);
  });
});

describe('the synthetic data set', () => {
  test('has the stated number of prompts and words, the same for the same seed', () => {
    const { prompts, description } = syntheticDataset(5);
    expect(prompts).toHaveLength(PROMPT_COUNT);
    for (const { messages } of prompts)
      expect(String(messages[0]?.content).split(' ')).toHaveLength(PROMPT_WORDS);
    expect(description).toBe('synthetic: 256 prompts of 128 words, seed 5');
    expect(syntheticDataset(5)).toEqual({ description, prompts });
    expect(syntheticDataset(6).prompts).not.toEqual(prompts);
    expect(new Set(prompts.map(({ messages }) => messages[0]?.content)).size).toBe(PROMPT_COUNT);
  });
});
