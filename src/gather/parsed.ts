// What a parser of a foreign tool's output gives: the value, or why the text is not what the tool prints. Parsers
// never throw, because a broken tool is expected and must cost one reading only.

export type Parsed<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly reason: string };

export const parsed = <T>(value: T): Parsed<T> => ({ kind: 'parsed', value });

export const unreadable = (reason: string): { readonly kind: 'unreadable'; readonly reason: string } => ({
  kind: 'unreadable',
  reason,
});
