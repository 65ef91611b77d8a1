// Text of others as one line that reads as it is written. Control characters could break the line; the signs that turn the
// direction of writing (Unicode Standard Annex 9) could show a name backwards, and with it what stands beside it.

export const singleLine = (text: string): string => showable(text).trim();

/** Without them, and otherwise as it is. JSON stays JSON: it has none outside its texts, and writes line breaks as escapes. */
export const showable = (text: string, instead = ''): string => text.replace(UNSHOWABLE, instead);

/** What a program of others wrote, on one line: without the sequences that speak to a terminal (ECMA-48), not only without their first sign. */
export const plainLine = (text: string): string =>
  showable(text.replace(TERMINAL_SEQUENCE, ' ').replace(/\s+/gu, ' '), ' ').replace(/ {2,}/gu, ' ').trim();

/** "Latency" of "latency"; names of files and objectives stay as they are: "samples.jsonl was cut off". */
export const capitalized = (text: string): string =>
  NAME_FIRST.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A first word with a sign in it that no word has, or a URL. */
const NAME_FIRST = /^(?:[\w-]*[._=/][\w]|(?:https?|unix):)/u;

/** The first line of what a tool or library says that holds something; '' where none does. */
export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

/** The last one: where most tools say why they end. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

/** Escape or CSI (one character or two), parameters, and the final one; operating system commands up to their end. */
const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[@-_]?/gu;
// Joiners (U+200C, U+200D) stay: names in Persian or Hindi, and some emoji, need them.
const UNSHOWABLE =
  /[\p{Cc}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}\u{2066}-\u{206f}\u{feff}]/gu;
