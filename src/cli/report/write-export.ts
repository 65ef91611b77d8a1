// One form of a report on its way to a file or to standard output.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { figureText, formatBytes } from '../../core/figure/figure.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

/** A text, or parts of one that need not be whole in memory. */
export type Making = () => Promise<string> | AsyncIterable<string>;

/** One form of a report, and where it goes. */
export interface Export {
  readonly file: string;
  readonly text: Making;
}

/** Writes an export. @returns a line that names the file; '' for standard output @throws CommandError */
export const writeExport = async ({ file, text }: Export, state: ProcessState): Promise<string> => {
  const made = text();
  const content = made instanceof Promise ? await made : made;
  if (file === STANDARD_OUTPUT) {
    if (typeof content === 'string') await state.stdout.write(content);
    else for await (const part of content) await state.stdout.write(part);
    return '';
  }
  const path = resolve(state.cwd, file);
  try {
    await writeFileAtomic(path, content);
    return `Wrote ${path}, ${figureText(formatBytes((await stat(path)).size))}\n`;
  } catch (error) {
    throw new CommandError(
      'failure',
      `${path} cannot be written: ${diskReason(error)}`,
      'Choose a file in a folder that you can write to.',
      { cause: error },
    );
  }
};

export const STANDARD_OUTPUT = '-';
