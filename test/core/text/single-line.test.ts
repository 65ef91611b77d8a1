import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  capitalized,
  firstLine,
  forTerminal,
  lastLine,
  plainLine,
  showable,
  showableJson,
  singleLine,
  withFullStop,
} from '../../../src/core/text/single-line.ts';

describe('a line of text from another machine', () => {
  test.each([
    ['atlas', 'atlas'],
    ['  rack 4 ', 'rack 4'],
    ['a\nb\tc\u001b[31m', 'abc[31m'],
    ['\u202eevil\u202c', 'evil'],
    ['\u2066juno\u2069\u200f', 'juno'],
    ['\u2028\u200b\ufeff', ''],
  ])('%j is shown as %j', (reported, shown) => {
    expect(singleLine(reported)).toBe(shown);
  });

  test('has none of the characters that nothing shows, and every other one', () => {
    const hidden =
      /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{fff9}-\u{fffb}]/u;
    for (let code = 0; code < 0x1_0000; code += 1) {
      const sign = String.fromCharCode(code);
      if (showable(sign) !== (hidden.test(sign) ? '' : sign)) expect.fail(`U+${code.toString(16)}`);
    }
  });

  test('keeps names of every script, with their joiners', () => {
    for (const name of ['שלום', 'می\u200cخواهم', 'क्\u200dष', '東京', '👩\u200d🔬', 'Ærø', '<b>x</b>']) {
      expect(singleLine(name)).toBe(name);
    }
  });

  test('never turns the direction of what follows, and is the same a second time', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\u202e', '\u2067', '\u200e', 'ש') });
    fc.assert(
      fc.property(text, reported => {
        const shown = singleLine(reported);
        expect(shown).not.toMatch(/[\n\u202a-\u202e\u2066-\u2069]/);
        expect(singleLine(shown)).toBe(shown);
      }),
    );
  });
});

describe('what is invisible', () => {
  const tags = [...'rm -rf'].map(sign => String.fromCodePoint(0xe0000 + (sign.codePointAt(0) ?? 0))).join('');
  const hidden: readonly (readonly [what: string, text: string])[] = [
    ['words in tags', tags],
    ['a tag of language', '\u{e0001}'],
    ['what turns the direction', '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c'],
    ['zero width', '\u200b\u2060\ufeff\u00ad\u034f\u180e'],
    ['joiners outside of a word that needs them', '\u200d\u200c\u200d'],
    ['selectors of forms, by which bytes can be written', '\ufe00\u{e0100}\u{e01ef}\ufe0f'],
    ['invisible operators and fillers', '\u2061\u2062\u2063\u2064\u115f\u1160\u3164\uffa0'],
    ['annotations', '\ufff9\ufffa\ufffb'],
    ['private use', '\ue000\uf8ff\u{f0000}\u{10fffd}'],
    ['what is no character', '\ufffe\uffff\ufdd0\u{1fffe}'],
    ['half of a pair', '\ud800'],
    ['controls', '\u0000\u0007\u001b\u007f\u0085\u009b\u009d'],
    ['separators of lines', '\u2028\u2029'],
  ];

  test.each(hidden)('goes from every text: %s', (_, text) => {
    expect(showable(`at${text}las`)).toBe('atlas');
  });

  test.each(hidden)('is escaped in JSON, so that nothing of it is lost: %s', (_, text) => {
    const value = { name: `at${text}las` };
    const json = showableJson(JSON.stringify(value, undefined, 2));
    expect(json).toMatch(/^[\x20-\x7e\n]*$/);
    expect(JSON.parse(json)).toEqual(value);
  });

  test.each(hidden)('never reaches a terminal: %s', (_, text) => {
    expect(forTerminal(`at${text}las\n`)).toBe('atlas\n');
  });

  test('a joiner between letters of Latin, or a second one, is no part of a word', () => {
    expect(showable('at\u200dlas')).toBe('atlas');
    expect(showable('می\u200c\u200cخواهم')).toBe('میخواهم');
    expect(showable('☎\ufe0f\ufe0f')).toBe('☎\ufe0f');
  });
});

describe('a terminal', () => {
  test('gets the sequences that Plimsoll draws with', () => {
    const drawn = '\u001b[?1049h\u001b[?25l\u001b[3;1H\u001b[2K\u001b[1mbold\u001b[0m\u001b[J\u001b[?2026l\n';
    expect(forTerminal(drawn)).toBe(drawn);
  });

  test.each([
    ['a title', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['the clipboard', '\u001b]52;c;ZXZpbA==\u001b\\x', ']52;c;ZXZpbA==\\x'],
    ['an answer that it types', '\u001b[6n\u001b[cx', '[6n[cx'],
    ['a reset', '\u001bcx', 'cx'],
    ['one of eight bits', '\u009b2Jx', '2Jx'],
    ['a return to the start of the line', 'safe\rx', 'safex'],
  ])('gets no sequence for %s', (_, text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });
});

test('the first and the last line of what a tool reports are those that hold something', () => {
  const reported = '\n cannot open device\nsee the manual\nfailed with 3 \n\n';
  expect(firstLine(reported)).toBe('cannot open device');
  expect(lastLine(reported)).toBe('failed with 3');
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
])('%j begins a sentence as %j: names stay as they are', (text, reported) => {
  expect(capitalized(text)).toBe(reported);
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

test.each([
  ['invalid key', 'invalid key.'],
  ['The request queue is full.', 'The request queue is full.'],
  ['Why?', 'Why?'],
  ['a long text…', 'a long text…'],
])('a sentence that ends with %j has one stop', (text, sentence) => {
  expect(withFullStop(text)).toBe(sentence);
});
