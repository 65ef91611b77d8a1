// `plimsoll report DIR` for repeated runs, and the files that they write: the figures of all of them together.

import { basename, join } from 'node:path';
import { benchEnvironment } from '../../bench/run/bench-environment.ts';
import { type RepeatDocument, repeatDocument } from '../../core/comparison/repeat-document.ts';
import { counted } from '../../core/figure/figure.ts';
import { errorCode } from '../../core/problem.ts';
import { hangingLines } from '../../core/text/columns.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { knownOr } from '../../core/unknown.ts';
import { finishedSide } from '../../metrics/finished-side.ts';
import { RunDirectoryError } from '../../metrics/report-sources.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { spreadText } from '../../render/comparison/spread-text.ts';
import { asciiOf } from '../../render/text/ascii.ts';
import { repeatMarkdown } from '../../report/markdown/repeat-markdown.ts';
import { endedBy } from '../command-error.ts';
import type { OutputStream, ProcessState } from '../process-state.ts';
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

export const repeatText = (
  { id, model, target, units, spread, notices }: RepeatDocument,
  { isUnicode, columns }: Pick<OutputStream, 'isUnicode' | 'columns'>,
): readonly string[] =>
  [
    `${counted(units.length, 'run')} in ${id}: ${knownOr(model, 'unknown model')} at ${knownOr(target, 'an unknown target')}`,
    '',
    ...spreadText(spread, units.length).flatMap(line =>
      line.startsWith('Of ') || line.startsWith('- ') ? hangingLines('', line, columns) : [line],
    ),
    ...notices.flatMap(notice => hangingLines('- ', notice, columns)),
  ].map(line => (isUnicode ? showable(line, '?') : asciiOf(showable(line, '?'))));

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
