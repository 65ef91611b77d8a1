// Rows as SQLite gives them, read column by column: a value of another type means that the file is damaged.

import type { SQLOutputValue } from 'node:sqlite';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { JournalError } from './journal.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export const numberIn = (row: Row | undefined, column: string): number => {
  const value = row?.[column];
  return typeof value === 'number' ? value : refuse(column);
};

export const textIn = (row: Row | undefined, column: string): string => {
  const value = row?.[column];
  return typeof value === 'string' ? value : refuse(column);
};

export const bytesIn = (row: Row | undefined, column: string): Uint8Array => {
  const value = row?.[column];
  return value instanceof Uint8Array ? value : refuse(column);
};

export const nodeIdIn = (row: Row | undefined, column: string): NodeId => {
  const value = row?.[column];
  return isNodeId(value) ? value : refuse(column);
};

const refuse = (column: string): never => {
  throw new JournalError({
    code: 'damaged',
    problem: `The journal holds no valid ${column} where one must be.`,
    advice: '',
  });
};
