import { describe, expect, test } from 'vitest';
import { refusal } from '../../../dashboard/src/run/ask-stop.ts';

describe('a stop that is refused', () => {
  test('says what the daemon says', () => {
    expect(refusal(409, { error: { message: 'The process of this run is on bosun.' } })).toEqual({
      kind: 'refused',
      reason: 'The process of this run is on bosun.',
    });
  });

  test('to a browser without access says how to get it', () => {
    expect(refusal(401, undefined)).toMatchObject({ reason: expect.stringContaining('plimsoll open') });
  });

  test.each([undefined, null, 'text', {}, { error: 'text' }])(
    'of a body that says nothing (%j) tells the code',
    body => {
      expect(refusal(503, body)).toEqual({ kind: 'refused', reason: 'HTTP 503' });
    },
  );
});
