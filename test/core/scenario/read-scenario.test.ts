import { describe, expect, test } from 'vitest';
import { readScenario } from '../../../src/core/scenario/read-scenario.ts';
import { SCENARIOS } from '../../../src/core/scenario/scenario.ts';

describe('a scenario of a file', () => {
  test('has its options and rules, with limits as people write them', () => {
    expect(
      readScenario({
        name: 'nightly',
        options: { concurrency: 16 },
        rules: { duration: '15m', coverage: '99.5%', streamed: true },
      }),
    ).toEqual({
      kind: 'ok',
      value: {
        name: 'nightly',
        summary: '',
        options: { concurrency: 16 },
        rules: { duration: 900_000, coverage: 0.995, streamed: 1 },
      },
    });
  });

  test('that extends another one has what that one has, but for what it changes or takes away', () => {
    const [agentx] = SCENARIOS;
    const read = readScenario({
      name: 'short',
      extends: 'agentx',
      options: { duration: '5m' },
      rules: { duration: '5m', subagents: false },
    });
    if (read.kind === 'wrong') throw new Error(read.problem);
    const { subagents: _, ...rules } = agentx?.rules ?? {};
    expect(read.value.options).toEqual({ ...agentx?.options, duration: '5m' });
    expect(read.value.rules).toEqual({ ...rules, duration: 300_000 });
  });

  test.each([
    [{}, 'it has no name of up to 64 letters, digits, - and _'],
    [{ name: 'a b' }, 'it has no name of up to 64 letters, digits, - and _'],
    [{ name: 'x', rule: {} }, '"rule" is not a part of a scenario'],
    [{ name: 'x', summary: 1 }, 'summary is not text'],
    [{ name: 'x', extends: 'agenty' }, 'it extends "agenty", which is not a scenario'],
    [{ name: 'x', options: [] }, 'options is not a table'],
    [{ name: 'x', rules: 'all' }, 'rules is not a table'],
    [{ name: 'x', rules: { durations: '15m' } }, '"durations" is not a rule'],
    [{ name: 'x', rules: { duration: 15 } }, 'the rule duration has no time'],
    [{ name: 'x', rules: { duration: '15' } }, 'the rule duration: "15" is not a duration'],
    [{ name: 'x', rules: { coverage: 0.95 } }, 'the rule coverage has no share'],
    [{ name: 'x', rules: { coverage: '195%' } }, 'the rule coverage: "195%" is not a share'],
    [{ name: 'x', rules: { streamed: 'yes' } }, 'the rule streamed is neither true nor false'],
  ])('is refused with what is wrong: %j', (document, problem) => {
    expect(readScenario(document)).toMatchObject({ kind: 'wrong', problem });
  });
});
