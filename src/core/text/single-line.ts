// Foreign text as one line without hidden content. `unshowable` is the only list of what no surface shows:
// control characters could break a line or control a terminal, characters that change the direction of
// writing (Unicode Standard Annex 9) could show a name backwards with its surroundings, and invisible
// characters (tags, zero width, private use) could contain text that only a program reads.

export const singleLine = (text: string): string => showable(text).trim();

/**
 * Removes them and changes nothing else. JSON stays JSON: it has none outside its strings, and writes line
 * breaks as escapes.
 */
export const showable = (text: string, instead = ''): string => replacedUnshowable(text, () => instead);

/**
 * The same JSON with an escape for each of them, so that nothing is lost and nothing invisible is printed.
 */
export const showableJson = (json: string): string =>
  replacedUnshowable(json, sign => (LAYOUT.has(sign) ? sign : escapedSign(sign)));

/** A value as lines, for a terminal or a file: with the final line break. */
export const jsonLines = (value: unknown): string => `${showableJson(JSON.stringify(value, undefined, 2))}\n`;

/** For a terminal: keeps line breaks, tabs and the sequences that Plimsoll draws with, and no others. */
export const forTerminal = (text: string): string =>
  text.replace(OWN_SEQUENCE_OR_REST, (piece: string) =>
    piece.startsWith('\u001b[') ? piece : showableLines(piece),
  );

/** As `showable`, but keeps line breaks and tabs. */
export const showableLines = (text: string): string =>
  replacedUnshowable(text, sign => (LAYOUT.has(sign) ? sign : ''));

/**
 * Output of a foreign program on one line: without complete control sequences for a terminal (ECMA-48), not
 * only without their first character.
 */
export const plainLine = (text: string): string =>
  showable(text.replace(TERMINAL_SEQUENCE, ' ').replace(/\s+/gu, ' '), ' ').replace(/ {2,}/gu, ' ').trim();

/** A sentence ends with one full stop, and a foreign text may have its own. */
export const withFullStop = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`);

/** "Latency" from "latency"; names of files and objectives are unchanged: "samples.jsonl was cut off". */
export const capitalized = (text: string): string =>
  NAME_FIRST.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A first word with a character that no ordinary word contains, or a URL. */
const NAME_FIRST = /^(?:[\w-]*[._=/][\w]|(?:https?|unix):)/u;

/** The first non-empty line of the output of a tool or library; '' if there is none. */
export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

/** The last one: most tools print there why they exit. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

/** Escape or CSI (one character or two), parameters, and the final one; operating system commands up to their end. */
const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[@-_]?/gu;

const replacedUnshowable = (text: string, instead: (sign: string) => string): string =>
  PLAIN.test(text)
    ? text
    : // Only within runs of what is not printable ASCII: classes of Unicode take long on the megabytes between them.
      text.replace(NOT_PLAIN, (run: string, from: number) =>
        run.replace(unshowable(), (sign: string, at: number) =>
          isPartOfWord(sign, from + at, text) ? sign : instead(sign),
        ),
      );

/** Joiners in a word of a script that needs them (Persian, Hindi) and in emoji, and the form of an emoji. */
const isPartOfWord = (sign: string, at: number, text: string): boolean => {
  if (!JOINERS.has(sign) && !FORMS.has(sign)) return false;
  const before = text.slice(Math.max(0, at - 2), at);
  if (FORMS.has(sign)) return /\p{Emoji}$/u.test(before);
  const after = text.slice(at + 1, at + 3);
  return (
    (new RegExp(`${JOINING}$`, 'u').test(before) && new RegExp(`^${JOINING}`, 'u').test(after)) ||
    (sign === ZERO_WIDTH_JOINER &&
      /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})$/u.test(before) &&
      /^\p{Extended_Pictographic}/u.test(after))
  );
};

const escapedSign = (sign: string): string =>
  Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** Most texts: printable ASCII, Latin letters, punctuation, arrows and signs of mathematics, none of them invisible. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u22ff]*$/;
const NOT_PLAIN = /[^\x20-\x7e]+/g;
/** Functions, because loading classes of Unicode takes a millisecond each, and few programs meet such a text. */
const unshowable = (): RegExp =>
  /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{fff9}-\u{fffb}]/gu;
const LAYOUT: ReadonlySet<string> = new Set(['\n', '\t']);
const ZERO_WIDTH_JOINER = '\u200d';
const JOINERS: ReadonlySet<string> = new Set(['\u200c', ZERO_WIDTH_JOINER]);
/** Text or emoji: variation selectors 15 and 16. */
const FORMS: ReadonlySet<string> = new Set(['\ufe0e', '\ufe0f']);
/** Scripts whose letters join or stack: Unicode 16, section 23.2. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}]';
/** One of Plimsoll's own (src/tui), or the text between them. */
const OWN_SEQUENCE_OR_REST =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  /\u001b\[(?:[0-9;]*m|\?(?:7|25|1049|2026)[hl]|\d{1,5};1H|\d{0,4}[AJK])|[^\u001b]+|\u001b/gu;

/** By its characters: the same in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
