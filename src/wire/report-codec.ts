// report.json as text and back: strict JSON, checked against the core's type when it is read.

import * as v from 'valibot';
import { depthProfileSchema } from '../core/depth/depth-profile.ts';
import { engineCalibrationSchema } from '../core/model/engine-calibration.ts';
import { runHeadroomSchema } from '../core/model/run-standing.ts';
import { recordOf } from '../core/record-of.ts';
import { contaminationFindingsSchema } from '../core/run/contamination.ts';
import { energySchema } from '../core/run/energy.ts';
import { seriesBoundSchema } from '../core/run/event-record.ts';
import { runFailuresSchema } from '../core/run/failure-groups.ts';
import { finishNamesSchema } from '../core/run/finish-name-tally.ts';
import { objectiveAnswersSchema } from '../core/run/judge-objective.ts';
import { AGENTS_MAX } from '../core/run/live-agent.ts';
import { variantFiguresSchema } from '../core/run/model-mix.ts';
import { OBJECTIVE_NAMES } from '../core/run/objective.ts';
import { FINISH_REASONS, failuresByKindSchema, type SampleCounts } from '../core/run/outcome.ts';
import { provenanceSchema } from '../core/run/provenance.ts';
import { rateBoundsSchema } from '../core/run/rate-bounds.ts';
import {
  environmentSchema,
  REPORT_SCHEMA,
  type Report,
  type ReportSeries,
  reportClientSchema,
  sentences,
} from '../core/run/report.ts';
import type { ReportAgent } from '../core/run/report-agent.ts';
import { REPORT_RATE_KEYS } from '../core/run/run-rates.ts';
import { runStopSchema } from '../core/run/run-stop.ts';
import { serverEvidenceSchema } from '../core/run/server-tally.ts';
import { sessionReportSchema } from '../core/run/session-report.ts';
import type { TokenizerAccount } from '../core/run/tokenizer-account.ts';
import { count, figure, longText, openObject, reported, text, unknownSchema } from '../core/schema.ts';
import { DecodeError } from './decode-error.ts';
import { parseJson, reportRunSchema } from './run-config.ts';

// The energy of a run, as stored in report.json.

// Where a run is relative to the bound, in report.json.

// The counts of a tokenizer, as stored in report.json.
const tokenizerSchema: v.GenericSchema<unknown, TokenizerAccount> = openObject({
  name: text,
  sha256: reported(text),
  model: reported(text),
  vocabulary: reported(count),
  answers: count,
  tokens: count,
  uncounted: count,
  filled: count,
  compared: reported(openObject({ answers: count, countedTokens: count, reportedTokens: count })),
});

/** Limit for one report. */
export const REPORT_BYTES_MAX: number = 16 * 1024 * 1024;

export const reportToJson = (report: Report): string => `${JSON.stringify(report, undefined, 2)}\n`;

/** @throws DecodeError when it is not a report of this version. */
export const reportFromJson = (json: string): Report => {
  if (json.length > REPORT_BYTES_MAX)
    throw new DecodeError(`a report of ${json.length} characters is too large`);
  const result = v.safeParse(reportSchema, parseJson(json, 'report.json'));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(`report.json is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
};

const figureOrNull = v.nullable(figure);
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(128));
const percentileKey = v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/));

const counts: v.GenericSchema<unknown, SampleCounts> = openObject({
  issued: count,
  completed: count,
  failed: count,
  cancelled: count,
  unresolved: count,
});

const series: v.GenericSchema<unknown, ReportSeries> = openObject({
  unit: v.picklist(['ns', 'tokens', 'ratio', 'bytes']),
  count,
  total: v.pipe(v.string(), v.regex(/^\d{1,100}(\.\d{1,100})?$/)),
  min: figureOrNull,
  max: figureOrNull,
  mean: figureOrNull,
  stdDev: figureOrNull,
  percentiles: v.record(percentileKey, figure),
  failureAdjusted: v.exactOptional(v.record(percentileKey, figureOrNull)),
  estimates: v.exactOptional(v.record(percentileKey, figureOrNull)),
  intervals: v.exactOptional(v.record(percentileKey, openObject({ low: figure, high: figureOrNull }))),
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(1_024)),
  isExact: v.boolean(),
  errorBound: v.exactOptional(seriesBoundSchema),
});

const agent: v.GenericSchema<unknown, ReportAgent> = openObject({
  name: text,
  version: text,
  state: v.picklist(['complete', 'interrupted', 'incomplete', 'lost']),
  reason: longText,
  counts,
  errors: failuresByKindSchema,
  verdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
  verdictReasons: sentences,
  sendLatenessNsP99: v.exactOptional(reported(figure)),
  clockErrorMs: reported(figure),
  clockDriftPpm: reported(figure),
  planned: reported(count),
  cpu: text,
  cores: count,
});

export const reportSchema: v.GenericSchema<unknown, Report> = openObject({
  schema: v.literal(REPORT_SCHEMA),
  plimsoll: openObject({ version: text }),
  run: reportRunSchema,
  state: v.picklist(['initialize', 'live', 'draining', 'complete', 'interrupted']),
  complete: v.boolean(),
  incompleteReason: v.exactOptional(longText),
  interrupted: v.boolean(),
  stopped: v.exactOptional(runStopSchema),
  source: v.picklist(['complete-message', 'final-snapshot-file', 'samples-file', 'live-snapshot', 'nothing']),
  runProblems: sentences,
  notices: sentences,
  counts,
  cutAfterGrace: v.exactOptional(count),
  warmup: counts,
  pendingTasks: count,
  droppedEvents: count,
  eventLogDropped: count,
  recordProblems: v.record(name, count),
  errors: failuresByKindSchema,
  failures: reported(runFailuresSchema),
  finishReasons: v.record(v.picklist(FINISH_REASONS), v.exactOptional(count)),
  finishNames: v.exactOptional(finishNamesSchema),
  bytes: openObject({ sent: count, received: count }),
  ...recordOf(REPORT_RATE_KEYS, () => reported(figure)),
  perUserTokensPerSecond: openObject({ p50: reported(figure), p90: reported(figure) }),
  goodput: v.exactOptional(reported(figure)),
  goodOutputTokensPerSecond: v.exactOptional(reported(figure)),
  objectives: v.exactOptional(
    v.array(
      openObject({
        name: v.picklist(OBJECTIVE_NAMES),
        limitNs: figure,
        metSamples: count,
        unknownSamples: count,
        samples: count,
      }),
    ),
  ),
  objectiveAnswers: reported(objectiveAnswersSchema),
  series: v.record(name, series),
  client: reportClientSchema,
  rateBounds: reported(rateBoundsSchema),
  contamination: reported(contaminationFindingsSchema),
  server: reported(serverEvidenceSchema),
  littlesLaw: reported(
    openObject({ inFlight: figure, expected: figure, allowance: figure, holds: v.boolean() }),
  ),
  machine: reported(
    openObject({
      otherLoad: reported(figure),
      swappedPages: reported(count),
      memoryWaitShare: reported(figure),
      retransmittedShare: reported(figure),
      droppedPackets: reported(count),
      heatThrottles: reported(count),
      governor: reported(text),
      sharesProcessors: v.boolean(),
    }),
  ),
  environment: environmentSchema,
  energy: v.exactOptional(v.union([unknownSchema, energySchema])),
  tokenizer: v.exactOptional(v.union([unknownSchema, tokenizerSchema])),
  headroom: v.exactOptional(v.union([unknownSchema, runHeadroomSchema])),
  calibration: v.exactOptional(v.union([unknownSchema, engineCalibrationSchema])),
  depth: v.exactOptional(depthProfileSchema),
  sessions: v.exactOptional(sessionReportSchema),
  provenance: reported(provenanceSchema),
  variants: v.exactOptional(variantFiguresSchema),
  agents: v.exactOptional(v.pipe(v.array(agent), v.maxLength(AGENTS_MAX))),
});
