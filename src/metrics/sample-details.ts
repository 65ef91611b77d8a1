// What a report has of single requests together: sessions, the prefix cache, speculative decoding. From samples.jsonl alone, in one
// pass: the same at the end of a run and whenever it is rebuilt.

import { errorCode } from '../core/problem.ts';
import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import { withLostHistory } from '../core/run/lost-history.ts';
import { PrefixCacheTally } from '../core/run/prefix-cache.ts';
import type { Report } from '../core/run/report.ts';
import { shapeOf } from '../core/run/run-shape.ts';
import type { SkippedTurn } from '../core/run/session-outcome.ts';
import { SessionTally } from '../core/run/session-report.ts';
import { SpeculationTally, speculationOf } from '../core/run/speculation.ts';
import { isUnknown, knownOr } from '../core/unknown.ts';
import { decodeSampleLine } from '../wire/sample-line.ts';
import { fileLines } from './file-lines.ts';
import { sampleFigures } from './sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from './samples-file.ts';
import { SeenIds } from './seen-ids.ts';

/** Returns the report unchanged if its requests have none of these, or cannot be read any more. */
export const withSampleDetails = async (report: Report, samplesFile: string): Promise<Report> => {
  const { run, series } = report;
  const shape = shapeOf(run).sessions;
  const requestedShare = knownOr(run.requests, undefined)?.hitRate;
  const sessions = isUnknown(shape) ? undefined : new SessionTally();
  const hasHits = requestedShare !== undefined || (series.cachedTokens?.max ?? 0) > 0;
  // A depth profile has its hits in its rows.
  const hasCache = isUnknown(shape) && hasHits && report.depth === undefined;
  const cache = hasCache ? new PrefixCacheTally() : undefined;
  const drafts = (series.tokensPerStep?.count ?? 0) > 0 ? new SpeculationTally() : undefined;
  const isNeeded = sessions !== undefined || cache !== undefined || drafts !== undefined;
  const isRead =
    isNeeded &&
    (await readSamples(samplesFile, {
      ended: sample => {
        sessions?.ended(sample);
        if (sample.outcome !== 'completed' || sample.window < 0) return;
        if (sample.inputTokens !== NO_FIGURE) cache?.ended(sample);
        const figures = drafts === undefined ? undefined : sampleFigures(sample, run.streaming);
        if (figures === undefined) return;
        const { tokensPerStep, tpotNs } = figures;
        if (tokensPerStep !== NO_FIGURE && tpotNs !== NO_FIGURE) drafts?.ended({ tokensPerStep, tpotNs });
      },
      skipped: turn => sessions?.skipped(turn),
    }));
  if (isNeeded && !isRead) return report;
  const speculation = speculationOf(report.server, drafts?.pairs);
  const detailed: Report = {
    ...report,
    ...(cache === undefined ? {} : { prefixCache: cache.report(requestedShare) }),
    ...(speculation === undefined ? {} : { speculation }),
  };
  return sessions === undefined || isUnknown(shape)
    ? detailed
    : withLostHistory({ ...detailed, sessions: sessions.report(shape.concurrencyOf) });
};

/** Each request once. @returns false if the file cannot be read */
const readSamples = async (
  path: string,
  to: { readonly ended: (sample: EndedSample) => void; readonly skipped: (turn: SkippedTurn) => void },
): Promise<boolean> => {
  const seen = new SeenIds();
  try {
    for await (const line of fileLines(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
      const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
      if (decoded?.kind === 'sample' && seen.add(decoded.sample.sampleId)) to.ended(decoded.sample);
      else if (decoded?.kind === 'skipped' && seen.add(decoded.turn.sampleId)) to.skipped(decoded.turn);
    }
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};
