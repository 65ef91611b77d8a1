import { describe, expect, test } from 'vitest';
import {
  errorCode,
  errorMessage,
  type Problem,
  ProblemError,
  problemText,
  shortReason,
} from '../../src/core/problem.ts';

const taken: Problem<'taken', { readonly port: number }> = {
  code: 'taken',
  port: 80,
  problem: 'Port 80 is taken',
  advice: 'Choose another.',
};

describe('a problem', () => {
  test('is one text with both sentences apart, whether or not the first has its full stop', () => {
    expect(problemText(taken)).toBe('Port 80 is taken. Choose another.');
    expect(problemText({ ...taken, problem: 'Port 80 is taken.' })).toBe('Port 80 is taken. Choose another.');
    expect(problemText({ ...taken, advice: '' })).toBe('Port 80 is taken');
  });

  test('travels in an error with its code, its facts and its cause', () => {
    const cause = new Error('EADDRINUSE');
    const error = new ProblemError(taken, { cause });
    expect(error).toMatchObject({ code: 'taken', problem: { port: 80 }, cause });
    expect(error.message).toBe('Port 80 is taken. Choose another.');
  });
});

describe('what was thrown', () => {
  const missing = Object.assign(new Error('ENOENT: no such file, open x'), { code: 'ENOENT' });

  test('is shown as its message, and unchanged if it is not an error', () => {
    expect(errorMessage(missing)).toBe('ENOENT: no such file, open x');
    expect(errorMessage('stopped')).toBe('stopped');
    expect(errorMessage(undefined)).toBe('undefined');
  });

  test("is shortened to the system's code, but never by a code of our own", () => {
    expect(errorCode(missing)).toBe('ENOENT');
    expect(shortReason(missing)).toBe('ENOENT');
    expect(errorCode(new ProblemError(taken))).toBeUndefined();
    expect(shortReason(new ProblemError(taken))).toBe('Port 80 is taken. Choose another.');
    expect(errorCode(Object.assign(new Error('x'), { code: 7 }))).toBeUndefined();
    expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
  });
});
