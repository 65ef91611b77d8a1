export interface AllowedWord {
  readonly file: string;
  readonly word: string;
  readonly reason: string;
}
export const wordProblems: (
  files: readonly { readonly path: string; readonly source: string }[],
  allowed: readonly AllowedWord[],
) => readonly string[];
