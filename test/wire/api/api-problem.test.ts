import { expect, test } from 'vitest';
import { apiProblem, decodeApiProblem } from '../../../src/wire/api/api-problem.ts';

const NO_SUCH_RUN = {
  code: 'no-such-run',
  problem: 'No run r1 is known here.',
  advice: 'List them.',
} as const;

test('a problem is a document of RFC 9457, with its code, its advice and its facts', () => {
  expect(apiProblem({ ...NO_SUCH_RUN, runId: 'r1' })).toEqual({
    type: '/openapi.json#/components/examples/no-such-run',
    title: 'The run is not known here',
    status: 404,
    detail: 'No run r1 is known here.',
    code: 'no-such-run',
    advice: 'List them.',
    runId: 'r1',
  });
});

test('a fact cannot take the place of a member of the document', () => {
  expect(apiProblem({ ...NO_SUCH_RUN, status: 200, type: 'x', title: 'y' })).toEqual(apiProblem(NO_SUCH_RUN));
});

test('a document reads back as the problem that it was made of', () => {
  expect(decodeApiProblem(JSON.parse(JSON.stringify(apiProblem(NO_SUCH_RUN))))).toEqual(NO_SUCH_RUN);
});

test('a code of a newer version is a code', () => {
  const reported = { ...apiProblem(NO_SUCH_RUN), code: 'run-archived' };
  expect(decodeApiProblem(reported)?.code).toBe('run-archived');
});

test.each([
  undefined,
  null,
  'text',
  {},
  { error: 'text' },
  { code: 'x' },
  { code: 1, detail: 'x', advice: '' },
])('%j is no problem', body => {
  expect(decodeApiProblem(body)).toBeUndefined();
});
