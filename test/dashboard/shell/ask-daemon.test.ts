import { describe, expect, test } from 'vitest';
import { refusalText } from '../../../dashboard/src/shell/ask-daemon.ts';
import { apiProblem } from '../../../src/wire/api/api-problem.ts';

describe('what a page says of a refusal', () => {
  test('is what the daemon says, and what it advises', () => {
    const body = apiProblem({
      code: 'run-elsewhere',
      problem: 'The process of this run is on bosun.',
      advice: 'Stop it there.',
    });
    expect(refusalText(409, body)).toBe('The process of this run is on bosun. Stop it there.');
  });

  test('to a browser without access is how to get it', () => {
    expect(refusalText(401, undefined)).toContain('plimsoll open');
  });

  test.each([undefined, null, 'text', {}, { error: 'text' }])(
    'is the status where the body says nothing (%j)',
    body => {
      expect(refusalText(503, body)).toBe('HTTP 503');
    },
  );
});
