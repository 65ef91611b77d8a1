// The results of a run of sessions, from its samples.jsonl alone: the same at its end and whenever it is rebuilt.

import { errorCode } from '../core/problem.ts';
import { withLostHistory } from '../core/run/lost-history.ts';
import type { Report } from '../core/run/report.ts';
import { shapeOf } from '../core/run/run-shape.ts';
import { SessionTally } from '../core/run/session-report.ts';
import { isUnknown } from '../core/unknown.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import { SAMPLE_LINE_BYTES_MAX } from './samples-file.ts';
import { SeenIds } from './seen-ids.ts';

/** Returns the report unchanged if requests belong to no sessions, or cannot be read any more. */
export const withSessions = async (report: Report, samplesFile: string): Promise<Report> => {
  const { sessions } = shapeOf(report.run);
  if (isUnknown(sessions)) return report;
  const tally = new SessionTally();
  const seen = new SeenIds();
  try {
    for await (const line of fileLines(samplesFile, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
      const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
      if (decoded?.kind === 'sample' && seen.add(decoded.sample.sampleId)) tally.ended(decoded.sample);
      else if (decoded?.kind === 'skipped' && seen.add(decoded.turn.sampleId)) tally.skipped(decoded.turn);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return report;
  }
  return withLostHistory({ ...report, sessions: tally.report(sessions.concurrencyOf) });
};
