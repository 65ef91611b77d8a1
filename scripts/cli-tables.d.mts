import type { Command } from '../src/cli/command.ts';

export const TABLED_DOCUMENTS: readonly string[];
export const withCommandTables: (text: string, commands: readonly Command[]) => string;
export const tabledWords: (text: string) => readonly string[];
