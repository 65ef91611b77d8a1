export interface WordFinding {
  readonly line: number;
  readonly place: string;
  readonly word: string;
  readonly instead: string;
  readonly near: string;
}
export const findWords: (path: string, source: string) => readonly WordFinding[];
