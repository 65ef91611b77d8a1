// Contamination of a run's figures, as sent between processes and stored on disk.

import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import type { ContaminationFinding } from '../core/run/contamination.ts';
import type { SampleEvidence } from '../core/run/contamination-tally.ts';
import { SERVER_FIGURE_KEYS } from '../core/run/server-reading.ts';
import type { ServerEvidence, ServerFigureSummary } from '../core/run/server-tally.ts';
import { count, figure, openObject, reported, text } from './schema.ts';

const FINDINGS_MAX = 64;

export const contaminationFindings: v.GenericSchema<unknown, ContaminationFinding[]> = v.pipe(
  v.array(
    openObject({
      code: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
      count: figure,
      of: figure,
      unit: text,
      spoils: v.pipe(v.array(v.pipe(v.string(), v.maxLength(128))), v.maxLength(64)),
      problem: text,
      advice: text,
    }),
  ),
  v.maxLength(FINDINGS_MAX),
);

export const sampleEvidenceSchema: v.GenericSchema<unknown, SampleEvidence> = openObject({
  completed: count,
  cacheReported: count,
  cacheTokensRequested: count,
  cacheTokensHit: count,
  cacheHits: count,
  predicted: count,
  predictedTokens: count,
  predictedOf: count,
  repeats: count,
  sameAnswers: reported(count),
  instant: reported(count),
  firstDecodeNs: reported(figure),
  repeatDecodeNs: reported(figure),
  keptTurns: reported(count),
  lostHistories: reported(count),
  otherModel: count,
  otherModelName: text,
  rateLimited: count,
  overloaded: count,
  retryAfter: count,
  errorsIn200: count,
  streams: count,
  merged: count,
  oneChunk: count,
  burst: count,
  ttftPairs: count,
  inputSpan: reported(figure),
  ttftByInput: reported(figure),
  ttftGrowth: reported(figure),
});

const summary: v.GenericSchema<unknown, ServerFigureSummary> = openObject({
  min: figure,
  max: figure,
  mean: figure,
  last: figure,
  rose: figure,
});

export const serverEvidenceSchema: v.GenericSchema<unknown, ServerEvidence> = openObject({
  readings: count,
  figures: openObject(recordOf(SERVER_FIGURE_KEYS, () => v.exactOptional(summary))),
  compared: count,
  excess: count,
  excessMost: figure,
  countedOver: v.picklist(['whole', 'within']),
  restarts: count,
  severalProcesses: v.boolean(),
});
