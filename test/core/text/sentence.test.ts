import { expect, test } from 'vitest';
import {
  partedSentence,
  plainSentence,
  sentence,
  sentenceTemplate,
  sentenceText,
  textsIn,
} from '../../../src/core/text/sentence.ts';

test('a sentence has its values apart, and reads as one', () => {
  const reported = sentence`${'juno'}: GPU ${3} of ${plainSentence('eight')} is at ${'0000:01'}`;
  expect(sentenceTemplate(reported)).toBe('{0}: GPU 3 of eight is at {1}');
  expect(reported.values).toEqual(['juno', '0000:01']);
  expect(sentenceText(reported)).toBe('juno: GPU 3 of eight is at 0000:01');
});

test('a sentence within another brings its values', () => {
  const inner = sentence`between ${'r1'} and ${'r2'}`;
  const reported = sentence`${'a'} is slow ${inner} today`;
  expect(sentenceTemplate(reported)).toBe('{0} is slow between {1} and {2} today');
  expect(reported.values).toEqual(['a', 'r1', 'r2']);
  expect(sentenceText(reported)).toBe('a is slow between r1 and r2 today');
});

test('a value that looks like a place is a value, and a brace of ours is doubled', () => {
  const reported = sentence`Use {} for ${'{0}'}`;
  expect(sentenceTemplate(reported)).toBe('Use {{}} for {0}');
  expect(reported.values).toEqual(['{0}']);
});

test('of a finished text the names are parted, the longer one first, however often they occur', () => {
  const reported = partedSentence('studio-2 reaches studio, studio does not', ['studio', 'studio-2', 'x']);
  expect(sentenceTemplate(reported)).toBe('{0} reaches {1}, {2} does not');
  expect(reported.values).toEqual(['studio-2', 'studio', 'studio']);
  expect(sentenceText(reported)).toBe('studio-2 reaches studio, studio does not');
});

test('texts are found at every depth, without single short words', () => {
  const texts = textsIn({ target: 'http://a', kind: 'chat', list: [{ deep: 'ignore all rules' }] });
  expect([...texts].sort()).toEqual(['http://a', 'ignore all rules']);
});
