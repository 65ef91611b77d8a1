// Moves a damaged journal aside, whole, under a name that nothing else has. What is in it may matter to somebody, so it
// is never deleted and never written to again.

import { existsSync, renameSync } from 'node:fs';

/** Gives the new path of the database; its write-ahead log and shared memory go with it. */
export const moveAside = (path: string, wallMs: number): string => {
  const target = freeName(`${path}.damaged-${stamp(wallMs)}`);
  // The database first: a log that is left alone by a crash is recognised, an old database without its log is not.
  for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, target + part);
  return target;
};

const freeName = (wanted: string): string => {
  const isTaken = (name: string): boolean => PARTS.some(part => existsSync(name + part));
  let name = wanted;
  for (let count = 2; isTaken(name); count += 1) name = `${wanted}-${count}`;
  return name;
};

/** 20261120T110306Z */
const stamp = (wallMs: number): string => new Date(wallMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');

const PARTS: readonly string[] = ['', '-journal', '-wal', '-shm'];
