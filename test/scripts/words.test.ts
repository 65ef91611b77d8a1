import { describe, expect, test } from 'vitest';
import { wordProblems } from '../../scripts/words/check.mjs';
import { findWords } from '../../scripts/words/find-words.mjs';

// Assembled, so that the check does not find them here.
const [TOLD, ANEW, VERB, WHOLE] = ['to' + 'ld', 'an' + 'ew', 'he' + 'ars', 'he' + 'ld'];

const foundIn = (path: string, source: string): readonly string[] =>
  findWords(path, source).map(({ line, kind, word }) => `${line} ${kind} ${word}`);

describe('the words check', () => {
  test('finds a forbidden word in names, comments, texts and documents', () => {
    expect(
      foundIn('src/a.ts', `const ${TOLD}AtMs = 1;\n/** It was ${TOLD}. */\nconst a = 'read ${ANEW}';\n`),
    ).toEqual([`1 identifiers ${TOLD}`, `3 texts ${ANEW}`, `2 comments ${TOLD}`]);
    expect(foundIn('docs/a.md', `A value is ${TOLD}, \`${TOLD}\` is code.\n`)).toEqual([`1 docs ${TOLD}`]);
    expect(foundIn('dashboard/src/a.svelte', `<p>drawn ${ANEW}</p>\n`)).toEqual([`1 texts ${ANEW}`]);
  });

  test('finds a forbidden word in the name of a test, and allows it in other strings of a test', () => {
    const source = `describe('a node', () => {\n  it.each([1])('${VERB} %i', () => '${VERB}');\n});\n`;
    expect(foundIn('test/a.test.ts', source)).toEqual([`2 test names ${VERB}`]);
  });

  test('finds a name that is forbidden whole, private ones too, and not as a part of another', () => {
    expect(foundIn('src/a.ts', `const ${WHOLE} = 1;\nconst ${WHOLE}Back = 1;\n`)).toEqual([
      `1 whole names ${WHOLE}`,
    ]);
    expect(
      foundIn('src/a.ts', `class A {\n  #${WHOLE} = 1;\n  get ${TOLD}() {\n    return 1;\n  }\n}\n`),
    ).toEqual([`2 whole names ${WHOLE}`, `3 identifiers ${TOLD}`]);
  });

  test('finds a comment after a template with a value in it, and takes no text of a template for one', () => {
    expect(foundIn('src/a.ts', `const a = \`\${b} // ${TOLD}\`;\n// It was ${TOLD}.\n`)).toEqual([
      `1 texts ${TOLD}`,
      `2 comments ${TOLD}`,
    ]);
  });

  test('passes over what is allowed, and reports a row that allows nothing', () => {
    const files = [{ path: 'src/a.ts', source: `const a = '${TOLD}';\n` }];
    const row = { file: 'src/a.ts', word: TOLD, reason: 'the literal of a protocol' };
    expect(wordProblems(files, [row])).toEqual([]);
    expect(wordProblems(files, [])).toEqual([expect.stringMatching(/^src\/a\.ts:1: /)]);
    expect(wordProblems([], [row])).toEqual([expect.stringContaining('remove its row')]);
  });
});
