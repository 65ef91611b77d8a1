// Answers that are checked: put together from the pieces of a reply, judged, and counted in a whole run.

import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { checkAnswer, checkedAnswers } from '../../../src/bench/target/answer-check.ts';
import { AnswerParts } from '../../../src/bench/target/api/answer-parts.ts';
import { chatApi } from '../../../src/bench/target/api/chat-api.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const tool = (parameters: object) => ({ type: 'function', function: { name: 'load_cargo', parameters } });
const FITTING = tool({ type: 'object', properties: { cargo: { type: 'string' } }, required: ['cargo'] });
const OTHER = tool({ type: 'object', properties: { tons: { type: 'number' } }, required: ['tons'] });
const FORMAT = { json_schema: { schema: { type: 'object', required: ['a'] } } };

const answerOf = (text: string, ...calls: readonly (readonly [string, string])[]): AnswerParts => {
  const parts = new AnswerParts();
  parts.addText(text);
  for (const [index, [name, given]] of calls.entries()) parts.addCall(index, name, given);
  return parts;
};

describe('an answer', () => {
  test.each([
    [answerOf('', ['load_cargo', '{"cargo":"ore"}']), 'fits'],
    [answerOf('', ['load_cargo', '{"cargo":5}']), 'misfit'],
    [answerOf('', ['load_cargo', '{"cargo":']), 'not-json'],
    [answerOf('', ['sail', '{}']), 'misfit'],
    [answerOf('', ['load_cargo', '{"cargo":"ore"}'], ['load_cargo', '{}']), 'misfit'],
    [answerOf('{"a":1}'), 'fits'],
    [answerOf('{"b":1}'), 'misfit'],
    [answerOf('it is a'), 'not-json'],
    [answerOf(' '), 'absent'],
    [answerOf('x'.repeat(1_048_577)), 'misfit'],
  ])('%# is judged by tools and schema', (answer, check) => {
    const plan = checkedAnswers({ tools: [FITTING], response_format: FORMAT });
    expect(plan && checkAnswer(plan, answer)).toBe(check);
  });

  test('is not judged by what is asked for in words of which some are unknown', () => {
    expect(checkedAnswers({ tools: [tool({ pattern: 'x' })] })).toBeUndefined();
    expect(checkedAnswers({ temperature: 0 })).toBeUndefined();
  });

  test('is put together from the pieces of a stream', () => {
    const reply = chatApi.newReply();
    const { parts } = reply;
    if (parts === undefined) throw new Error('chat keeps no parts');
    parts.isKept = true;
    const event = (delta: object): void => {
      const bytes = Buffer.from(JSON.stringify({ choices: [{ index: 0, delta }] }));
      reply.event(bytes, 0, bytes.length, false);
    };
    event({ content: '{"a"' });
    event({ content: ':1}' });
    event({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'two', arguments: '{' } }] });
    event({ tool_calls: [{ index: 0, function: { name: 'one', arguments: '{}' } }] });
    event({ tool_calls: [{ index: 1, function: { arguments: '}' } }] });
    expect(parts.text).toBe('{"a":1}');
    expect(parts.calls).toEqual([
      { id: 'c2', name: 'two', argumentsText: '{}' },
      { id: '', name: 'one', argumentsText: '{}' },
    ]);
    reply.reset();
    expect(parts).toMatchObject({ text: '', calls: [] });
  });
});

test.each([
  [FITTING, true, '6 of 6 answers match the request'],
  [OTHER, false, '0 of 6 answers match the request: 0 are not JSON, 6 do not fit their schema, 0 have none'],
])('a run reports of how many answers the calls fit (%#)', async (tools, isStreaming, notice) => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 6, toolCalls: 2 });
  const requests = { outputTokens: undefined, inputTokens: undefined, prefixes: undefined };
  const { report } = await runBench(
    requestHere(mock.url, {
      requests: { ...requests, fields: { tools: [tools] } },
      samplesMax: 6,
      isStreaming,
    }),
    partsHere(folder.path),
  );
  expect(report.counts.completed).toBe(6);
  expect(report.notices.join('\n')).toContain(notice);
});
