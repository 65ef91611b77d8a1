// What a page says of the load generator: a run that is not whole is never called trustworthy.

import { describe, expect, test } from 'vitest';
import { verdictWords } from '../../../src/core/run/verdict-words.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { madeUpFigures } from '../../support/run-entry.ts';

const { client } = madeUpFigures();
const silent = {
  ...client,
  sendLatenessNsP99: unknown('closed loop'),
  readLatenessNsP99: unknown('not observed'),
};

describe('the verdict on the client', () => {
  test('adds up what was sent late and what was read late', () => {
    expect(verdictWords(client, 'complete')).toMatchObject({
      tone: 'good',
      word: 'Trustworthy within 380\u00a0µs',
    });
  });

  test('claims no figure that nobody told', () => {
    expect(verdictWords(silent, 'complete').word).toBe('Trustworthy');
    expect(verdictWords({ ...silent, verdict: 'client-bound' }, 'complete').tone).toBe('caution');
    expect(verdictWords({ ...silent, verdict: 'unknown' }, 'complete')).toMatchObject({
      tone: 'open',
      word: 'No verdict',
    });
    expect(verdictWords({ ...silent, verdict: 'unknown' }, 'running').word).toBe('No verdict yet');
  });

  test('says first that a run was interrupted, and then that the client kept up until then', () => {
    expect(verdictWords(client, 'interrupted')).toEqual({
      tone: 'open',
      word: 'Interrupted',
      short: 'kept up until then',
      remark: 'The client kept up until then, within 380\u00a0µs; this does not cover the whole run.',
    });
    expect(verdictWords(silent, 'interrupted').remark).toMatch(/^The client kept up until then; /);
  });

  test.for(['interrupted', 'incomplete', 'failed'] as const)(
    'calls no client of a run that is %s trustworthy, whatever it found',
    state => {
      for (const verdict of ['trustworthy', 'client-bound', 'unknown'] as const) {
        const words = verdictWords({ ...client, verdict }, state);
        expect(words.tone).not.toBe('good');
        expect(`${words.word} ${words.short} ${words.remark}`).not.toMatch(/trustworthy/i);
        expect(words.word.toLowerCase().startsWith(state)).toBe(true);
      }
    },
  );
});
