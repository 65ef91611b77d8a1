export interface WordFinding {
  readonly line: number;
  readonly kind: string;
  readonly word: string;
  readonly instead: string;
  readonly near: string;
}
export const findWords: (path: string, source: string) => readonly WordFinding[];
