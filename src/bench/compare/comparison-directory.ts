// The directory of a comparison: comparison.json from its start on and rewritten after each pair, comparison.txt at
// its end, and a folder for each segment. It can be resumed: whole pairs stay, and interrupted ones are put aside.

import { join } from 'node:path';
import type { ComparedUnit, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorCode } from '../../core/problem.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { comparisonText } from '../../render/comparison/comparison-text.ts';
import { FILE_COLUMNS } from '../../render/sweep/sweep-text.ts';
import { comparisonToJson } from '../../wire/comparison-schema.ts';
import { cannotGoOn, lockFolder, putAside } from '../run/locked-folder.ts';
import type { KeptSegment } from './compared-side.ts';

/** @throws the file system's error */
export const writeComparison = (directory: string, document: ComparisonDocument): Promise<void> =>
  writeFileAtomic(join(directory, COMPARISON_FILE), comparisonToJson(document));

/** @returns what could not be written, one sentence each. */
export const writeComparisonText = async (
  directory: string,
  document: ComparisonDocument,
): Promise<readonly string[]> => {
  const file = join(directory, 'comparison.txt');
  try {
    const lines = comparisonText(document, { isUnicode: true, columns: FILE_COLUMNS });
    await writeFileAtomic(file, `${lines.join('\n')}\n`);
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`${file} could not be written: ${diskReason(error)}`];
  }
};

export interface KeptPairs {
  readonly a: readonly KeptSegment[];
  readonly b: readonly KeptSegment[];
}

interface ResumedComparison extends Disposable {
  readonly kept: KeptPairs;
  /** Names of folders as they were put aside. */
  readonly putAside: readonly string[];
}

/** Resumes the comparison in the directory. @throws BenchError `run-directory` */
export const resumeComparison = async (
  path: string,
  { state, sentence, mode, a, b }: ComparisonDocument,
): Promise<ResumedComparison> => {
  if (mode !== 'pairs')
    throw cannotGoOn(path, 'comparison', {
      why: 'it is one of finished runs, which is made at once',
      advice: 'Run it again; comparison.json contains its command.',
    });
  if (state === 'complete')
    throw cannotGoOn(path, 'comparison', {
      why: `it is complete: ${sentence}`,
      advice: 'plimsoll report DIR shows it. For more pairs begin a new one with --pairs N.',
    });
  const lock = lockFolder(path, 'comparison');
  try {
    const kept = await keptPairs(path, a.units, b.units);
    const folders = new Set([...kept.a, ...kept.b].map(({ unit }) => unit.directory));
    const aside = await putAside(path, 'comparison', name => SEGMENT_FOLDER.test(name) && !folders.has(name));
    return { kept, putAside: aside, [Symbol.dispose]: () => lock[Symbol.dispose]() };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
};

/** Up to the first pair with a segment that cannot be read any more: later ones would leave a gap in the order. */
const keptPairs = async (
  path: string,
  a: readonly ComparedUnit[],
  b: readonly ComparedUnit[],
): Promise<KeptPairs> => {
  const kept: { a: KeptSegment[]; b: KeptSegment[] } = { a: [], b: [] };
  for (const [index, unitA] of a.entries()) {
    const unitB = b[index];
    if (unitB === undefined) break;
    const [ofA, ofB] = [await segmentIn(path, unitA), await segmentIn(path, unitB)];
    if (ofA === undefined || ofB === undefined) break;
    kept.a.push(ofA);
    kept.b.push(ofB);
  }
  return kept;
};

/** undefined if it is another run, or incomplete. */
const segmentIn = async (path: string, unit: ComparedUnit): Promise<KeptSegment | undefined> => {
  if (!SEGMENT_FOLDER.test(unit.directory)) return undefined;
  try {
    const report = await rebuildReport(join(path, unit.directory));
    return report.run.id === unit.runId && !report.interrupted ? { unit, report } : undefined;
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    return undefined;
  }
};

export const COMPARISON_FILE = 'comparison.json';
/** Folders of a pair, with its repeated segments, and of a warm-up. */
const SEGMENT_FOLDER = /^(pair-\d{2,3}-[ab](-again-\d)?|warm-up-\d{2,4}-[ab])$/;
