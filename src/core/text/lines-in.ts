// The lines of a text, one by one: a list of the lines of some hundred MiB of line feeds would take
// gigabytes.

interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** Non-empty lines, without their line feeds. */
export function* linesIn(text: string): Generator<TextLine, void, void> {
  let number = 0;
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    number += 1;
    if (end > from) yield { text: text.slice(from, end), number };
    from = end + 1;
  }
}
