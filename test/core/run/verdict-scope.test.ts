import { expect, test } from 'vitest';
import { verdictText } from '../../../src/core/run/run.ts';

test.for([
  ['complete', 'trustworthy'],
  ['running', 'trustworthy'],
  ['interrupted', 'kept up until then'],
  ['incomplete', 'kept up, in part'],
  ['failed', 'kept up, in part'],
] as const)('nothing against the client of a run that is %s reads "%s"', ([state, text]) => {
  expect(verdictText('trustworthy', state)).toBe(text);
});

test('what counts against a client is reported of a run that was cut off, too', () => {
  expect(verdictText('client-bound', 'interrupted')).toBe('client-bound');
  expect(verdictText('unknown', 'interrupted')).toBe('unknown');
});
