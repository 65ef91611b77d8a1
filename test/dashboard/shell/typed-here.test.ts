import { expect, test } from 'vitest';
import { typedHere } from '../../../dashboard/src/shell/typed-here.ts';

test.for([
  ['plimsoll open', './plimsoll open'],
  ['plimsoll key new && plimsoll key show --join', './plimsoll key new && ./plimsoll key show --join'],
  [
    'plimsoll key show | ssh atlas plimsoll key import -',
    './plimsoll key show | ssh atlas plimsoll key import -',
  ],
  ['cat /opt/plimsoll key', 'cat /opt/plimsoll key'],
])('%s is typed %s in a checkout', ([written = '', typed]) => {
  expect(typedHere(written, './plimsoll')).toBe(typed);
  expect(typedHere(written, 'plimsoll')).toBe(written);
});
