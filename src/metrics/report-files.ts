// Writes report.json and report.txt, each whole or not at all, and each even if the other one fails.

import { unlink } from 'node:fs/promises';
import { errorMessage } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { reportToJson } from '../wire/report-codec.ts';
import { runFiles } from './run-files.ts';
import { renderReport } from './text-report.ts';

/** One sentence for each file that could not be written; empty if both were. */
export const writeReportFiles = async (directory: string, report: Report): Promise<readonly string[]> => {
  const files = runFiles(directory);
  // A killed run left it.
  await unlink(files.reserve).catch(() => undefined);
  const written = await Promise.allSettled([
    writeFileAtomic(files.report, reportToJson(report)),
    writeFileAtomic(
      files.reportText,
      `${renderReport(report, { isUnicode: true, isFull: true }).join('\n')}\n`,
    ),
  ]);
  return written.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? []
      : [
          `${index === 0 ? files.report : files.reportText} could not be written: ${errorMessage(result.reason)}`,
        ],
  );
};
