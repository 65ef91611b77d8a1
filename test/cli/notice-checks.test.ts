import { expect, test } from 'vitest';
import { noticeChecks } from '../../src/cli/doctor/daemon-checks.ts';
import type { NoticeCode } from '../../src/wire/notice.ts';

const reported = (...codes: readonly NoticeCode[]) =>
  noticeChecks(codes.map(code => ({ id: code, code, problem: `of ${code}`, advice: '' })));

test('a default port that was taken is a note: the daemon has taken the next one', () => {
  expect(reported('http-port-taken', 'mesh-port-taken').map(({ verdict }) => verdict)).toEqual([
    'note',
    'note',
  ]);
});

test('anything else that a daemon reports of itself is to be put right, with its advice', () => {
  const notice = {
    id: 'x',
    code: 'of-a-later-version',
    problem: 'The disk is full.',
    advice: 'Free some space.',
  };
  expect(noticeChecks([notice])).toEqual([
    { section: 'daemon', verdict: 'problem', text: 'The disk is full.', advice: 'Free some space.' },
  ]);
});

test('what other sections of doctor report better is left to them', () => {
  expect(reported('no-link', 'journal-gone')).toEqual([]);
});
