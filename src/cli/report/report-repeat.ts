// `plimsoll report DIR` for repeated runs, and the files that they write: the figures of all of them together.

import { basename, join } from 'node:path';
import { benchEnvironment } from '../../bench/run/bench-environment.ts';
import { type RepeatDocument, repeatDocument } from '../../core/comparison/repeat-document.ts';
import { errorCode } from '../../core/problem.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { finishedSide } from '../../metrics/finished-side.ts';
import { RunDirectoryError } from '../../metrics/report-sources.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { repeatText } from '../../render/comparison/spread-text.ts';
import { repeatMarkdown } from '../../report/markdown/repeat-markdown.ts';
import { endedBy } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { repeatedRuns } from '../runs/found-runs.ts';

/** Undefined where the directory holds no repeated runs. @throws CommandError where one of them cannot be read. */
export const repeatIn = async (
  directory: string,
  state: ProcessState,
): Promise<RepeatDocument | undefined> => {
  const runs = await repeatedRuns(directory);
  if (runs.length === 0) return undefined;
  try {
    return repeatDocument(await finishedSide(runs), {
      id: basename(directory),
      plimsoll: { version: state.version },
      environment: benchEnvironment(state),
    });
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    throw endedBy('benchRunDirectory', error);
  }
};

/** repeat.json, repeat.txt and repeat.md; what could not be written, one sentence each. */
export const writeRepeatFiles = async (
  directory: string,
  document: RepeatDocument,
): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const [name, text] of [
    ['repeat.json', jsonLines(document)],
    ['repeat.txt', `${repeatText(document, { isUnicode: true, columns: FILE_COLUMNS }).join('\n')}\n`],
    ['repeat.md', repeatMarkdown(document)],
  ] as const) {
    try {
      await writeFileAtomic(join(directory, name), text);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      problems.push(`${name} could not be written: ${diskReason(error)}`);
    }
  }
  return problems;
};

const FILE_COLUMNS = 100;
