import type { Command } from '../src/cli/command.ts';

export interface Declarations {
  readonly commands: readonly Command[];
}

export const TABLED_DOCUMENTS: readonly string[];
export const declarations: () => Promise<Declarations>;
export const withTables: (text: string, declared: Declarations) => string;
export const tabledSubjects: (text: string) => readonly string[];
