// The file of a service as Plimsoll wrote it: a note in it names the home it serves, so no other file is mistaken for it.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/problem.ts';
import { readInputText } from '../../process/input-file.ts';

/** A comment's text. Written so that no two dashes stand together, which would end a comment of XML. */
export const homeNote = (home: string): string =>
  `written by Plimsoll, home ${JSON.stringify(home).replaceAll('--', String.raw`-\u002d`)}`;

type InstalledService =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'ours'; readonly home: string };

export const installedService = async (file: string): Promise<InstalledService> => {
  let text: string;
  try {
    text = await readInputText(file, 'homeFile');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  const noted = /written by Plimsoll, home ("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  if (noted === undefined) return { kind: 'foreign' };
  const home: unknown = JSON.parse(noted);
  return typeof home === 'string' ? { kind: 'ours', home } : { kind: 'foreign' };
};

/** Whether a folder is what a daemon made: nothing else is deleted. */
export const isHome = async (folder: string): Promise<boolean> => {
  for (const name of ['node-key.pem', 'journal.sqlite']) {
    try {
      if (!(await stat(join(folder, name))).isFile()) return false;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
  return true;
};
