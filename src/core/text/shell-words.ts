// Words of a command line as a person types them into a shell (POSIX, section 2.2): quoted where a shell would read them otherwise,
// and cut as a shell cuts them. Nothing is expanded and nothing is run.

/** So that a shell reads each as it is. */
export const quotedWords = (words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Blanks, single and double quotation marks, backslashes, a line that goes on. Undefined where a quotation mark is never closed. */
export const shellWords = (text: string): readonly string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
      else if (character === '\\' && quote === '"' && DOUBLE_ESCAPED.has(text[at + 1] ?? '')) {
        at += 1;
        word = (word ?? '') + (text[at] ?? '');
      } else word = (word ?? '') + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      at += 1;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
};

const DOUBLE_ESCAPED: ReadonlySet<string> = new Set(['"', '\\', '$', '`']);
