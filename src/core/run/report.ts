// The final result of a run: METRICS §7, schema plimsoll.report/1.

import * as v from 'valibot';
import { depthPlanSchema } from '../depth/depth-plan.ts';
import { depthProfileSchema } from '../depth/depth-profile.ts';
import { engineCalibrationSchema } from '../model/engine-calibration.ts';
import { runHeadroomSchema } from '../model/run-standing.ts';
import { recordOf } from '../record-of.ts';
import { runScenarioSchema, scenarioFiguresSchema } from '../scenario/run-scenario.ts';
import {
  count,
  figure,
  type Infer,
  longText,
  openObject,
  reported,
  type Schema,
  text,
  unknownSchema,
} from '../schema.ts';
import { arrivalStampsSchema } from './arrival-stamps.ts';
import { contaminationFindingsSchema } from './contamination.ts';
import { energySchema } from './energy.ts';
import { percentileKey, seriesBoundSchema } from './event-record.ts';
import { OFFERED_MODELS_MAX } from './failure-advice.ts';
import { runFailuresSchema } from './failure-groups.ts';
import { finishNamesSchema } from './finish-name-tally.ts';
import { foreignOriginSchema } from './foreign-run.ts';
import { objectiveAnswersSchema } from './judge-objective.ts';
import { littlesLawSchema } from './littles-law.ts';
import { AGENTS_MAX, trustVerdict } from './live-agent.ts';
import { modelMixSchema, urlMixSchema, variantFiguresSchema } from './model-mix.ts';
import { OBJECTIVE_NAMES, objectiveEntries } from './objective.ts';
import { FINISH_REASONS, failuresByKindSchema } from './outcome.ts';
import { prefixCacheSchema } from './prefix-cache.ts';
import { provenanceSchema } from './provenance.ts';
import { rateBoundsSchema } from './rate-bounds.ts';
import { reportAgentSchema, reportCountsSchema, sentences } from './report-agent.ts';
import { costSchema, pricesSchema } from './run-cost.ts';
import { runPatternSchema } from './run-pattern.ts';
import { REPORT_RATE_KEYS } from './run-rates.ts';
import { requestLengthsSchema, runRequestsSchema } from './run-requests.ts';
import type { SeriesKey } from './run-series.ts';
import { runNameSchema, runShapeSchema, runTagsSchema } from './run-shape.ts';
import { runStopSchema } from './run-stop.ts';
import { serverEvidenceSchema } from './server-tally.ts';
import { sessionReportSchema } from './session-report.ts';
import { metricNameSchema, seriesUnit, snapshotState } from './snapshot.ts';
import { speculationSchema } from './speculation.ts';
import { stallProbesSchema } from './stall-probes.ts';
import { tokenizerAccountSchema } from './tokenizer-account.ts';

export const REPORT_SCHEMA = 'plimsoll.report/1';

export const reportRunSchema = openObject({
  id: text,
  /** ISO 8601, wall clock, for display. */
  startedAt: text,
  /** Without credentials. */
  target: text,
  serverKind: reported(text),
  /** API of the server, by its name on the command line: "chat". */
  api: reported(text),
  model: reported(text),
  /** If it requested several. */
  models: v.exactOptional(modelMixSchema),
  /** Models that the server listed before the run, if it listed others than that one. */
  offeredModels: v.exactOptional(v.pipe(v.array(text), v.maxLength(OFFERED_MODELS_MAX))),
  /** If it loaded several. */
  urls: v.exactOptional(urlMixSchema),
  /** Addresses of the target's name, if it has several; `variants` refer to their positions here. */
  addresses: v.exactOptional(v.pipe(v.array(text), v.maxLength(64))),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  /** The name that a person gave it, to find it again. */
  name: reported(runNameSchema),
  tags: reported(runTagsSchema),
  dataset: text,
  seed: figure,
  streaming: v.boolean(),
  /** Which requests the client itself cancelled, and when; missing if it cancelled none. */
  cancelled: v.exactOptional(text),
  warmupRequests: count,
  hasNonce: v.boolean(),
  /** Who takes the timestamps of replies, and why; of a run from many machines see `agents`. */
  stamps: reported(arrivalStampsSchema),
  /** Contamination checks were disabled (--no-guard). */
  isUnguarded: v.exactOptional(v.literal(true)),
  /** What an hour of the server, or a kWh, costs. */
  price: v.exactOptional(pricesSchema),
  /** Command that repeats it, without secrets. */
  command: reported(text),
  /** Names of the agents of a run from many machines; missing if one machine made it. */
  from: v.exactOptional(v.pipe(v.array(text), v.maxLength(AGENTS_MAX))),
  /** Unknown: from a version that left lengths to the server. */
  requests: reported(runRequestsSchema),
  /** For a run with `--scenario`. */
  scenario: v.exactOptional(runScenarioSchema),
  /** For a run that another tool measured, and that was imported. */
  foreign: v.exactOptional(foreignOriginSchema),
});

export type ReportRun = Infer<typeof reportRunSchema>;

export const environmentSchema = openObject({
  node: text,
  os: text,
  cpu: text,
  cores: count,
});

export type ReportEnvironment = Infer<typeof environmentSchema>;

const figureOrNull = v.nullable(figure);

const reportSeriesSchema = openObject({
  unit: seriesUnit,
  count,
  /** Decimal digits; of a ratio with up to six after the point. */
  total: v.pipe(v.string(), v.regex(/^\d{1,100}(\.\d{1,100})?$/)),
  min: figureOrNull,
  max: figureOrNull,
  mean: figureOrNull,
  stdDev: figureOrNull,
  percentiles: v.record(percentileKey, figure),
  /** Failures counted as +∞, which is null here. */
  failureAdjusted: v.exactOptional(v.record(percentileKey, figureOrNull)),
  /** null: n is too small. */
  estimates: v.exactOptional(v.record(percentileKey, figureOrNull)),
  /**
   * Final only, for percentiles without an estimate: the 95 % confidence interval of each, assuming
   * independent requests.
   */
  intervals: v.exactOptional(v.record(percentileKey, openObject({ low: figure, high: figureOrNull }))),
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(1_024)),
  /** false: from the histogram, because the run was cut short or had more values than are stored. */
  isExact: v.boolean(),
  /** How much the client may be off; missing if unknown. */
  errorBound: v.exactOptional(seriesBoundSchema),
});

export type ReportSeries = Infer<typeof reportSeriesSchema>;

const seriesByKey: Schema<{ readonly [K in SeriesKey]?: ReportSeries }> = v.record(
  metricNameSchema,
  reportSeriesSchema,
);

export const latenessFiguresSchema = openObject({
  p50: figure,
  p99: figure,
  max: figure,
});

export const reportClientSchema = openObject({
  /** 'unknown': the client's own figures are lost, so it cannot be trusted. */
  verdict: trustVerdict,
  reasons: sentences,
  sendLatenessNs: reported(latenessFiguresSchema),
  /** Over the greatest value of each observation interval and thread. */
  readLatenessNs: reported(latenessFiguresSchema),
  eventLoopDelayNs: reported(latenessFiguresSchema),
  /** Over every moment at which a heartbeat of a load thread was due. */
  beatLatenessNs: reported(latenessFiguresSchema),
  /**
   * Shares of the time: throttled by a quota, some task waited for a processor, processors taken by the
   * hypervisor.
   */
  throttledShare: reported(figure),
  pressureShare: reported(figure),
  stolenShare: reported(figure),
  /** Busiest thread, 0..1. */
  eventLoopUtilization: reported(figure),
  /** The same thread, in cores. */
  cpuShare: reported(figure),
  /** No processor for a part of the time that matters; false if timestamps are the kernel's, which do not wait for one. */
  starved: v.boolean(),
  gcPauseNs: reported(openObject({ total: figure, max: figure })),
  connections: openObject({ opened: count, reused: count, closed: count, stale: count }),
});

export type ReportClient = Infer<typeof reportClientSchema>;

export type LatenessFigures = Infer<typeof latenessFiguresSchema>;

// Other activity of the client's machine during the measurement, in figures: the sentences about it are in
// the notices.
const machineSchema = openObject({
  /** In processors, of all other programs, including the server if it runs here. */
  otherLoad: reported(figure),
  /** Pages in and out. */
  swappedPages: reported(count),
  /** Share of the time in which some task waited for memory (PSI). */
  memoryWaitShare: reported(figure),
  /** Share of the TCP segments that were retransmitted, over all connections of the machine. */
  retransmittedShare: reported(figure),
  /** Received and dropped, over all interfaces except loopback. */
  droppedPackets: reported(count),
  /** How often heat throttled the first package. */
  heatThrottles: reported(count),
  /** Frequency governor: "performance". */
  governor: reported(text),
  /** The target is this machine's loopback: client and server share its processors. */
  sharesProcessors: v.boolean(),
});

export type MachineDuringRun = Infer<typeof machineSchema>;

const objectiveResultSchema = openObject({
  name: v.picklist(OBJECTIVE_NAMES),
  limitNs: figure,
  metSamples: count,
  /** Completed ones whose figure is unknown, because the server reported no usage; they count as not met. */
  unknownSamples: count,
  /** Completed and failed ones. */
  samples: count,
});

export type ObjectiveResult = Infer<typeof objectiveResultSchema>;

export const reportSchema = openObject({
  schema: v.literal(REPORT_SCHEMA),
  plimsoll: openObject({ version: text }),
  run: reportRunSchema,
  state: snapshotState,
  /** Nothing is missing: the state is complete, no task was pending, no sample unresolved. */
  complete: v.boolean(),
  incompleteReason: v.exactOptional(longText),
  interrupted: v.boolean(),
  /** A rule ended the run before its limits; the figures are for the time before. */
  stopped: v.exactOptional(runStopSchema),
  /** Where the figures come from, best first: METRICS §7 and DESIGN §4 "Report". */
  source: v.picklist(['complete-message', 'final-snapshot-file', 'samples-file', 'live-snapshot', 'nothing']),
  /**
   * What went wrong as far as the load process detected it, also part of incompleteReason: stored for a later
   * rebuild.
   */
  runProblems: sentences,
  /** What a reader must know in addition to the figures, one sentence each. */
  notices: sentences,
  /** In the measured phase. */
  counts: reportCountsSchema,
  /** The part of them cancelled at the end of --grace; missing if there were none. */
  cutAfterGrace: v.exactOptional(count),
  /** For all requests outside the measured phase. */
  warmup: reportCountsSchema,
  pendingTasks: count,
  droppedEvents: count,
  eventLogDropped: count,
  /** Records that did not fit: name of the counter to their number; empty if all is well. */
  recordProblems: v.record(metricNameSchema, count),
  errors: failuresByKindSchema,
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  failures: reported(runFailuresSchema),
  finishReasons: v.record(v.picklist(FINISH_REASONS), v.exactOptional(count)),
  /** The server's names for those that are 'other'; missing if there are none. */
  finishNames: v.exactOptional(finishNamesSchema),
  bytes: openObject({ sent: count, received: count }),
  ...recordOf(REPORT_RATE_KEYS, () => reported(figure)),
  perUserTokensPerSecond: openObject({ p50: reported(figure), p90: reported(figure) }),
  /** Both only if objectives were given. */
  goodput: v.exactOptional(reported(figure)),
  goodOutputTokensPerSecond: v.exactOptional(reported(figure)),
  /** Only of rankings. */
  documentsPerSecond: v.exactOptional(reported(figure)),
  objectives: v.exactOptional(v.array(objectiveResultSchema)),
  /** Whether each was met, and how certain that is; none without objectives. */
  objectiveAnswers: reported(objectiveAnswersSchema),
  /** Including those that are only known to another version. */
  series: seriesByKey,
  client: reportClientSchema,
  /** How much each rate may be off because of the client, or why no figure of the run has an error bound. */
  rateBounds: reported(rateBoundsSchema),
  /** What contaminates its figures; empty if nothing was found. */
  contamination: reported(contaminationFindingsSchema),
  /** What the server reported on its metrics page during the measured phase. */
  server: reported(serverEvidenceSchema),
  /** Whether the count in flight agrees with the requests' records. */
  littlesLaw: reported(littlesLawSchema),
  /** Other activity of the client's machine during the run. */
  machine: reported(machineSchema),
  environment: environmentSchema,
  /** From the sensors of the node that it loaded; missing if they were not read. */
  energy: v.exactOptional(v.union([unknownSchema, energySchema])),
  /** If it was probed (--probe-rate): how long others waited. */
  probes: v.exactOptional(stallProbesSchema),
  /** By the config.toml of the node that it loaded; missing if it has none, or if the run was given prices. */
  nodePrices: v.exactOptional(pricesSchema),
  /** If there are prices. */
  cost: v.exactOptional(costSchema),
  /** For a run with a tokenizer that the person provided. */
  tokenizer: v.exactOptional(v.union([unknownSchema, tokenizerAccountSchema])),
  /** Where it is relative to the bound of the machine that it loaded; missing if it was not judged. */
  headroom: v.exactOptional(v.union([unknownSchema, runHeadroomSchema])),
  /** Engine constants from its depth profile; missing for any other run. */
  calibration: v.exactOptional(v.union([unknownSchema, engineCalibrationSchema])),
  /** For a run with `--profile depth`. */
  depth: v.exactOptional(depthProfileSchema),
  /** For a run of sessions: by turn, by session. */
  sessions: v.exactOptional(sessionReportSchema),
  /** For a run with `--scenario`: what its rules are judged by, apart from everything above. */
  scenario: v.exactOptional(scenarioFiguresSchema),
  /** For a run of single requests with cached prompt tokens, or with `--hit-rate`. */
  prefixCache: v.exactOptional(prefixCacheSchema),
  /** If the server or its replies report draft tokens. */
  speculation: v.exactOptional(speculationSchema),
  /** Where it comes from, to repeat it. */
  provenance: reported(provenanceSchema),
  /** For each model of a mix or each URL, in order; missing if the run had only one. */
  variants: v.exactOptional(variantFiguresSchema),
  /** For a run from many machines; its client is the worst of them. */
  agents: v.exactOptional(v.pipe(v.array(reportAgentSchema), v.maxLength(AGENTS_MAX))),
});

export type Report = Infer<typeof reportSchema>;

// The content of a run directory's config.json: everything about a run that was known before its first
// request, so that a report can be rebuilt from the directory alone. It contains no secrets.
export const RUN_CONFIG_SCHEMA = 'plimsoll.run/1';

export const runConfigSchema = openObject({
  schema: v.literal(RUN_CONFIG_SCHEMA),
  plimsoll: openObject({ version: text }),
  run: reportRunSchema,
  ...objectiveEntries,
  /** Unknown: none were drawn. */
  requestLengths: reported(requestLengthsSchema),
  /** For a depth profile. */
  depth: v.exactOptional(depthPlanSchema),
  environment: environmentSchema,
  provenance: reported(provenanceSchema),
});

export type RunConfig = Infer<typeof runConfigSchema>;
