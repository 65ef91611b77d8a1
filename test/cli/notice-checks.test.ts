import { expect, test } from 'vitest';
import { noticeChecks } from '../../src/cli/doctor/notice-checks.ts';

test('a default port that was taken is a note: the daemon has taken the next one', () => {
  const notices = ['HTTP port 4180 is taken; using 4183.', 'Mesh port 4181 is taken; using 4184.'];
  expect(noticeChecks(notices).map(({ verdict }) => verdict)).toEqual(['note', 'note']);
});

test('anything else that a daemon says of itself is to be put right, with its advice', () => {
  const [only] = noticeChecks(['The disk is full.\nFree some space.\nThen start it again.']);
  expect(only).toEqual({
    section: 'daemon',
    verdict: 'problem',
    text: 'The disk is full.',
    advice: 'Free some space. Then start it again.',
  });
});

test('what other sections of doctor say better is left to them', () => {
  const notices = [
    'No link to 10.0.0.2:4181: nothing listens there',
    'The journal /h/journal.sqlite was removed while the daemon runs: what it is told is lost when it ends.',
  ];
  expect(noticeChecks(notices)).toEqual([]);
});
