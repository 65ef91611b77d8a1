import { expect, test } from 'vitest';
import { makeOneTimeCode, parseOneTimeCode } from '../../../src/probe/socket/one-time-code.ts';

test('a code is three groups of four signs, and each is another', () => {
  const codes = Array.from({ length: 1_000 }, makeOneTimeCode);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(new Set(codes).size).toBe(1_000);
});

test('a code may be typed as people type', () => {
  const value = '7Q10-M2XW-91BD';
  for (const typed of [value, value.toLowerCase(), '7qio m2xw 9lbd', '7QIOM2XW9LBD']) {
    expect(parseOneTimeCode(typed)).toEqual({ kind: 'ok', value });
  }
});

test('what is no code is refused', () => {
  for (const typed of ['', '7QKF', '7QKF-M2XW-9TBDD', '7QKF-M2XW-9TB!', 'UQKF-M2XW-9TBD']) {
    expect(parseOneTimeCode(typed).kind).toBe('wrong');
  }
});
