import { expect, test } from 'vitest';
import { asCommandError } from '../../src/cli/daemon-start.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';

test('a full disk is no accident: it is reported in two lines, with what to do', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(asCommandError(full)).toMatchObject({
    exitCode: EXIT_CODES.homeUnusable.code,
    problem: {
      problem: 'the home cannot be written: its disk is full',
      advice: expect.stringContaining('--home'),
    },
  });
});

test('what nobody foresaw stays what it is', () => {
  const bug = new TypeError('x is undefined');
  expect(asCommandError(bug)).toBe(bug);
});
