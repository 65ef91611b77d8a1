// Words of a command line as a person types them into a shell (POSIX, section 2.2): quoted where a shell would read them otherwise.

export const quotedWords = (words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
