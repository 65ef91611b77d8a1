import { describe, expect, test } from 'vitest';
import { explainResults } from '../../../src/core/explanation/explain-results.ts';
import { requestsOf, resultOf } from '../../support/made-up-results.ts';

const EVEN = requestsOf(Array.from({ length: 20 }, () => ({})));

describe('what is not of one model on one server is shown and not explained', () => {
  test.for([
    { what: 'model', more: { facts: { model: 'another' } } },
    { what: 'server', more: { target: 'http://127.0.0.2:8000/v1' } },
  ])('$what', ({ more }) => {
    const document = explainResults(resultOf('plimsoll', EVEN), resultOf('guidellm', EVEN, more));
    expect(document.comparable).toBe(false);
    expect(document.differences[0]?.isFatal).toBe(true);
    expect(document.figures.every(({ causes }) => causes.length === 0)).toBe(true);
    expect(document.figures).not.toEqual([]);
  });

  test('another port of the machine is shown, and may be a proxy in front of the server', () => {
    const { comparable, differences } = explainResults(
      resultOf('plimsoll', EVEN),
      resultOf('guidellm', EVEN, { target: 'http://127.0.0.1:9000/v1' }),
    );
    expect(comparable).toBe(true);
    expect(differences).toContainEqual({
      isFatal: false,
      problem: 'Different ports of one machine answered',
      a: '127.0.0.1:8000',
      b: '127.0.0.1:9000',
    });
  });

  test('one server under two names is one, and so is one model', () => {
    const other = resultOf('guidellm', EVEN, {
      target: 'http://LOCALHOST:8000/v1',
      facts: { model: '/models/m.gguf' },
    });
    expect(explainResults(resultOf('plimsoll', EVEN), other).comparable).toBe(true);
  });
});
