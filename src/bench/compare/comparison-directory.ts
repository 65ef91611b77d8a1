// The directory of a comparison that is resumed: whole pairs stay, and interrupted ones are put aside.

import { join } from 'node:path';
import type { ComparedUnit, ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import {
  COMPARISON_FOLDER,
  cannotGoOn,
  type DocumentFolder,
  reopenDocumentFolder,
} from '../run/document-folder.ts';
import type { KeptSegment } from './compared-side.ts';

export interface KeptPairs {
  readonly a: readonly KeptSegment[];
  readonly b: readonly KeptSegment[];
}

interface ResumedComparison {
  readonly folder: DocumentFolder<ComparisonDocument>;
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
    throw cannotGoOn(path, COMPARISON_FOLDER, {
      why: 'it is one of finished runs, which is made at once',
      advice: 'Run it again; comparison.json contains its command.',
    });
  if (state === 'complete')
    throw cannotGoOn(path, COMPARISON_FOLDER, {
      why: `it is complete: ${sentence}`,
      advice: 'plimsoll report DIR shows it. For more pairs begin a new one with --pairs N.',
    });
  let kept: KeptPairs = { a: [], b: [] };
  const { folder, putAside } = await reopenDocumentFolder(COMPARISON_FOLDER, path, async () => {
    kept = await keptPairs(path, a.units, b.units);
    return [...kept.a, ...kept.b].map(({ unit }) => unit.directory);
  });
  return { folder, kept, putAside };
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
  if (!COMPARISON_FOLDER.part.test(unit.directory)) return undefined;
  try {
    const report = await rebuildReport(join(path, unit.directory));
    return report.run.id === unit.runId && !report.interrupted ? { unit, report } : undefined;
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    return undefined;
  }
};
