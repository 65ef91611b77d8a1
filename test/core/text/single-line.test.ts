import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  capitalized,
  firstLine,
  lastLine,
  plainLine,
  singleLine,
} from '../../../src/core/text/single-line.ts';

describe('a line of text from another machine', () => {
  test.each([
    ['atlas', 'atlas'],
    ['  rack 4 ', 'rack 4'],
    ['a\nb\tc\u001b[31m', 'abc[31m'],
    ['\u202eevil\u202c', 'evil'],
    ['\u2066juno\u2069\u200f', 'juno'],
    ['\u2028\u200b\ufeff', ''],
  ])('%j is shown as %j', (told, shown) => {
    expect(singleLine(told)).toBe(shown);
  });

  test('keeps names of every script, with their joiners', () => {
    for (const name of ['שלום', 'می\u200cخواهم', 'क्\u200dष', '東京', '👩\u200d🔬', 'Ærø', '<b>x</b>']) {
      expect(singleLine(name)).toBe(name);
    }
  });

  test('never turns the direction of what follows, and is the same a second time', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\u202e', '\u2067', '\u200e', 'ש') });
    fc.assert(
      fc.property(text, told => {
        const shown = singleLine(told);
        expect(shown).not.toMatch(/[\n\u202a-\u202e\u2066-\u2069]/);
        expect(singleLine(shown)).toBe(shown);
      }),
    );
  });
});

test('the first and the last line of what a tool says are those that hold something', () => {
  const said = '\n cannot open device\nsee the manual\nfailed with 3 \n\n';
  expect(firstLine(said)).toBe('cannot open device');
  expect(lastLine(said)).toBe('failed with 3');
  expect([firstLine(' \n'), lastLine('')]).toEqual(['', '']);
});

test.each([
  ['the queue grows', 'The queue grows'],
  ['no request was sent.', 'No request was sent.'],
  ['samples.jsonl was cut off', 'samples.jsonl was cut off'],
  ['final_snapshot.json is missing', 'final_snapshot.json is missing'],
  ['ttft.p95=500ms: missed', 'ttft.p95=500ms: missed'],
  ['http://one:8000 cannot be reached', 'http://one:8000 cannot be reached'],
  ['unix:/run/server cannot be reached', 'unix:/run/server cannot be reached'],
  ['é', 'É'],
  ['', ''],
])('%j begins a sentence as %j: names stay as they are', (text, said) => {
  expect(capitalized(text)).toBe(said);
});

describe('a line of what a program wrote', () => {
  test.each([
    ['a \u001b[31mred\u001b[0m b', 'a red b'],
    ['\u001b[1;38;5;196mx\u001b[K', 'x'],
    ['\u001b]8;;http://evil\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b]0;title\u001b\\rest', 'rest'],
    ['\u009b2Jx', 'x'],
    ['one\r\n\ttwo\u0000', 'one two'],
    ['\u202eevil', 'evil'],
    ['cut \u001b[3', 'cut'],
  ])('%j has no sequence for a terminal: %j', (written, shown) => {
    expect(plainLine(written)).toBe(shown);
  });
});
