import { describe, expect, test } from 'vitest';
import {
  chatSessions,
  generatedGroups,
  SESSION_TURNS_MAX,
  turnsOfChats,
} from '../../../src/bench/dataset/chat-sessions.ts';
import type { Message } from '../../../src/bench/dataset/message.ts';
import type { Prompt } from '../../../src/bench/dataset/prompt.ts';
import type { SessionDatasetOptions } from '../../../src/core/run/load-request.ts';

const REQUEST: SessionDatasetOptions = { turns: undefined, thinkTime: undefined, answers: 'live' };

const reported = (role: string, content: string): Message => ({ role, content });
const chatOf = (...messages: readonly Message[]): Prompt => ({ messages, maxTokens: 9 });
const prompt = (text: string): Prompt => chatOf(reported('user', text));
const textsOf = (prompts: readonly Prompt[]): readonly (readonly unknown[])[] =>
  prompts.map(({ messages }) => messages.map(({ content }) => content));

describe('conversations that somebody had', () => {
  test('are cut before each answer, and remember what was answered', () => {
    const { prompts, groups } = turnsOfChats([
      chatOf(
        reported('system', 'S'),
        reported('user', 'a'),
        reported('assistant', 'A'),
        reported('user', 'b'),
      ),
      chatOf(
        reported('user', 'c'),
        reported('assistant', 'C'),
        reported('user', 'd'),
        reported('assistant', 'D'),
      ),
    ]);
    expect(textsOf(prompts)).toEqual([['S', 'a'], ['b'], ['c'], ['d']]);
    expect(groups).toEqual({
      counts: [2, 2],
      answers: [{ text: 'A' }, undefined, { text: 'C' }, { text: 'D' }],
    });
  });

  test('that begin with an answer or ask nothing have no turn for it', () => {
    const { prompts, groups } = turnsOfChats([
      chatOf(reported('assistant', 'Hello!'), reported('user', 'a'), reported('assistant', 'A')),
      chatOf(reported('system', 'S'), reported('assistant', 'A')),
      chatOf(
        reported('user', 'b'),
        reported('assistant', 'B1'),
        reported('assistant', 'B2'),
        reported('user', 'c'),
      ),
    ]);
    expect(textsOf(prompts)).toEqual([['Hello!', 'a'], ['b'], ['B2', 'c']]);
    expect(groups.counts).toEqual([1, 2]);
  });

  test('keep a shared prefix with their first turn alone, and an answer in parts as its texts', () => {
    const parts = [{ type: 'text', text: 'one ' }, { type: 'image_url' }, { type: 'text', text: 'two' }];
    const { prompts, groups } = turnsOfChats([
      {
        ...chatOf(reported('user', 'a'), { role: 'assistant', content: parts }, reported('user', 'b')),
        prefix: 'shared',
      },
    ]);
    expect(prompts.map(({ prefix }) => prefix)).toEqual(['shared', undefined]);
    expect(groups.answers[0]).toEqual({ text: 'one two' });
  });
});

describe('sessions of a chat', () => {
  const { prompts, groups } = turnsOfChats([
    chatOf(
      reported('user', 'a'),
      reported('assistant', 'A'),
      reported('user', 'b'),
      reported('assistant', 'B'),
      reported('user', 'c'),
    ),
    chatOf(reported('user', 'd')),
  ]);

  test('have turns that each wait for the one before and go on with it', () => {
    const [first, second] = chatSessions(prompts, groups, REQUEST, 1);
    expect(first?.turns.map(({ after, continues }) => [after, continues])).toEqual([
      [[], undefined],
      [[0], 0],
      [[1], 1],
    ]);
    expect(second?.turns).toHaveLength(1);
    expect(first?.turns.every(({ answer }) => answer.kind === 'live')).toBe(true);
  });

  test('have the recorded answers where they are wanted, and live ones where none was recorded', () => {
    const [first] = chatSessions(prompts, groups, { ...REQUEST, answers: 'recorded' }, 1);
    expect(first?.turns.map(({ answer }) => answer)).toEqual([
      { kind: 'recorded', text: 'A' },
      { kind: 'recorded', text: 'B' },
      { kind: 'live' },
    ]);
  });

  test('start over with the data set: other sessions, the same turns, answers and no half session', () => {
    const twice = [...prompts, ...prompts, prompt('left over')];
    const sessions = chatSessions(twice, groups, { ...REQUEST, answers: 'recorded' }, 1);
    expect(sessions.map(({ turns }) => turns.length)).toEqual([3, 1, 3, 1]);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(4);
    expect(sessions[2]?.turns).toEqual(sessions[0]?.turns);
  });

  test('think before each turn but the first, the same for the same seed', () => {
    const options: SessionDatasetOptions = {
      ...REQUEST,
      thinkTime: { kind: 'uniform', minMs: 100, maxMs: 200 },
    };
    const delays = (seed: number): readonly number[] =>
      chatSessions(prompts, groups, options, seed).flatMap(({ turns }) =>
        turns.map(({ delayMs }) => delayMs),
      );
    const [first = -1, second = 0, third = 0, other = -1] = delays(5);
    expect([first, other]).toEqual([0, 0]);
    for (const ms of [second, third]) {
      expect(ms).toBeGreaterThanOrEqual(100);
      expect(ms).toBeLessThanOrEqual(200);
    }
    expect(delays(5)).toEqual(delays(5));
    expect(delays(6)).not.toEqual(delays(5));
  });
});

describe('generated chats', () => {
  test('have as many turns as were asked for, and a last one that would be too short is left out', () => {
    expect(generatedGroups(10, { kind: 'fixed', value: 4 }, 1).counts).toEqual([4, 4]);
    expect(generatedGroups(12, { kind: 'fixed', value: 4 }, 1).counts).toEqual([4, 4, 4]);
  });

  test('with fewer prompts than turns are one session of what there is', () => {
    expect(generatedGroups(3, { kind: 'fixed', value: 4 }, 1).counts).toEqual([3]);
  });

  test('of a distribution have lengths of it, the same for the same seed, and none past the bound', () => {
    const range = { kind: 'uniform', min: 2, max: 8 } as const;
    const { counts } = generatedGroups(2_000, range, 3);
    expect(Math.min(...counts)).toBe(2);
    expect(Math.max(...counts)).toBe(8);
    expect(generatedGroups(2_000, range, 3).counts).toEqual(counts);
    expect(
      generatedGroups(2 * SESSION_TURNS_MAX, { kind: 'fixed', value: 10 * SESSION_TURNS_MAX }, 1).counts,
    ).toEqual([SESSION_TURNS_MAX, SESSION_TURNS_MAX]);
  });
});
