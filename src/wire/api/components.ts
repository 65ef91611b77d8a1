// The named schemas of /openapi.json: those that are used in several places, or are worth a type in a client.
// Bodies are described as they are sent, with optional fields; responses as they arrive.

import type * as v from 'valibot';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import { readingStatusSchema } from '../../core/node/gathered.ts';
import { gpuDeviceSchema, gpuLoadSchema } from '../../core/node/gpu.ts';
import { gatheredKind, READING_KINDS } from '../../core/node/reading.ts';
import { reportSchema } from '../../core/run/report.ts';
import { runEndSchema, runFiguresSchema, runProgressSchema, runStartSchema } from '../../core/run/run.ts';
import {
  comparisonIdSchema,
  documentIdSchema,
  nodeIdSchema,
  runIdSchema,
  sweepIdSchema,
  unknownSchema,
} from '../../core/schema.ts';
import { stageSchema } from '../../core/sweep/stage.ts';
import {
  sweepEndSchema,
  sweepProgressSchema,
  sweepStartSchema,
  sweepUpdateSchema,
} from '../../core/sweep/sweep.ts';
import { lineDocumentSchema, sweepDocumentSchema } from '../../core/sweep/sweep-document.ts';
import { warningSchema } from '../../core/warnings/warning.ts';
import {
  headroomDeviceSchema,
  headroomDocumentSchema,
  headroomFitSchema,
  headroomPlacementSchema,
} from '../headroom-schema.ts';
import { meshStatusSchema } from '../mesh-status.ts';
import { noticeSchema } from '../notice.ts';
import { apiProblemSchema } from './api-problem.ts';
import {
  clusterTotalsSchema,
  listedGpuSchema,
  listedLinkSchema,
  listedMeasurementSchema,
  listedNodeSchema,
  listedVendorSchema,
} from './cluster-answers.ts';
import { daemonAnswerSchema } from './daemon-answers.ts';
import { listedGroupSchema } from './group-answers.ts';
import {
  hourlySummarySchema,
  liveHistoryAnswerSchema,
  profileHistoryAnswerSchema,
  profileRecordSchema,
} from './history-answers.ts';
import { probeRequestSchema, probesAnswerSchema } from './probe-answers.ts';
import { listedRunSchema, runSeriesAnswerSchema } from './run-answers.ts';
import {
  batchMessageSchema,
  droppedMessageSchema,
  eventSchema,
  heartbeatMessageSchema,
  snapshotMessageSchema,
  stateAnswerSchema,
  stateSchema,
} from './state-answers.ts';
import { statusDocumentSchema } from './status-document.ts';
import { listedSweepSchema } from './sweep-answers.ts';

type Components = Readonly<Record<string, v.GenericSchema>>;

/** The same in both directions. */
const WORDS: Components = {
  NodeId: nodeIdSchema,
  RunId: runIdSchema,
  SweepId: sweepIdSchema,
  ComparisonId: comparisonIdSchema,
  DocumentId: documentIdSchema,
  Unknown: unknownSchema,
};

/** "NodeMemory". */
const READINGS: Components = Object.fromEntries(
  READING_KINDS.map(reading => [
    `Node${reading.charAt(0).toUpperCase()}${reading.slice(1)}`,
    EVENT_KINDS[gatheredKind(reading)].schema.entries.value,
  ]),
);

export const API_COMPONENTS: Components = {
  ...WORDS,
  Problem: apiProblemSchema,
  Daemon: daemonAnswerSchema,
  Notice: noticeSchema,
  Headroom: headroomDocumentSchema,
  HeadroomPlacement: headroomPlacementSchema,
  HeadroomDevice: headroomDeviceSchema,
  HeadroomFit: headroomFitSchema,
  MeshStatus: meshStatusSchema,
  ...READINGS,
  ReadingStatus: readingStatusSchema,
  GpuDevice: gpuDeviceSchema,
  GpuLoad: gpuLoadSchema,
  GpuProfile: EVENT_KINDS['gpu.profiled'].schema,
  Connection: EVENT_KINDS['connection.opened'].schema,
  LinkProfile: EVENT_KINDS['link.profiled'].schema,
  ProbeStatus: EVENT_KINDS['probe.reported'].schema,
  ProbeBaseline: EVENT_KINDS['baseline.reported'].schema,
  Runner: EVENT_KINDS['runner.reported'].schema,
  Run: EVENT_KINDS['run.started'].schema,
  RunProgress: runProgressSchema,
  RunFigures: runFiguresSchema,
  Report: reportSchema,
  Sweep: EVENT_KINDS['sweep.started'].schema,
  SweepProgress: sweepProgressSchema,
  Stage: stageSchema,
  SweepDocument: sweepDocumentSchema,
  LineDocument: lineDocumentSchema,
  Status: statusDocumentSchema,
  Warning: warningSchema,
  State: stateSchema,
  StateNow: stateAnswerSchema,
  Event: eventSchema,
  StreamSnapshot: snapshotMessageSchema,
  StreamBatch: batchMessageSchema,
  StreamHeartbeat: heartbeatMessageSchema,
  StreamDropped: droppedMessageSchema,
  ListedNode: listedNodeSchema,
  ListedVendor: listedVendorSchema,
  ListedGpu: listedGpuSchema,
  ListedMeasurement: listedMeasurementSchema,
  ListedLink: listedLinkSchema,
  ListedRun: listedRunSchema,
  ListedSweep: listedSweepSchema,
  ClusterTotals: clusterTotalsSchema,
  ListedGroup: listedGroupSchema,
  RunSeries: runSeriesAnswerSchema,
  LiveHistory: liveHistoryAnswerSchema,
  ProfileHistory: profileHistoryAnswerSchema,
  ProfileRecord: profileRecordSchema,
  HourlySummary: hourlySummarySchema,
  RequestedProbes: probesAnswerSchema,
};

export const BODY_COMPONENTS: Components = {
  ...WORDS,
  ReportedFigures: runFiguresSchema,
  ReportedRunStart: runStartSchema,
  ReportedRunProgress: runProgressSchema,
  ReportedRunEnd: runEndSchema,
  ReportedStage: stageSchema,
  ReportedSweepStart: sweepStartSchema,
  ReportedSweepUpdate: sweepUpdateSchema,
  ReportedSweepEnd: sweepEndSchema,
  ProbeRequest: probeRequestSchema,
};
