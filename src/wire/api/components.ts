// The named schemas of /openapi.json: those that are used in several places, or are worth a type in a client.
// Bodies are described as they are sent, with optional fields; responses as they arrive.

import type * as v from 'valibot';
import { readingStatusSchema } from '../../core/node/gathered.ts';
import { gatheredKind, READING_KINDS } from '../../core/node/reading.ts';
import {
  comparisonIdSchema,
  documentIdSchema,
  nodeIdSchema,
  runIdSchema,
  sweepIdSchema,
  unknownSchema,
} from '../../core/schema.ts';
import { stageSchema } from '../../core/sweep/stage.ts';
import { sweepProgressSchema } from '../../core/sweep/sweep.ts';
import { warningSchema } from '../../core/warnings/warning.ts';
import { PAYLOAD_SCHEMAS } from '../event-schema.ts';
import { gpuDeviceSchema, gpuLoadSchema } from '../gpu-schema.ts';
import {
  headroomDeviceSchema,
  headroomDocumentSchema,
  headroomFitSchema,
  headroomPlacementSchema,
} from '../headroom-schema.ts';
import { meshStatusSchema } from '../mesh-status.ts';
import { noticeSchema } from '../notice.ts';
import { READING_SCHEMAS } from '../reading-schema.ts';
import { reportSchema } from '../report-codec.ts';
import { runEndSchema, runFiguresSchema, runProgressSchema, runStartSchema } from '../run-schema.ts';
import { sweepEndSchema, sweepStartSchema, sweepUpdateSchema } from '../sweep-digest-schema.ts';
import { lineDocumentSchema, sweepDocumentSchema } from '../sweep-schema.ts';
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
    READING_SCHEMAS[gatheredKind(reading)].entries.value,
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
  GpuProfile: PAYLOAD_SCHEMAS['gpu.profiled'],
  Connection: PAYLOAD_SCHEMAS['connection.opened'],
  LinkProfile: PAYLOAD_SCHEMAS['link.profiled'],
  ProbeStatus: PAYLOAD_SCHEMAS['probe.reported'],
  ProbeBaseline: PAYLOAD_SCHEMAS['baseline.reported'],
  Runner: PAYLOAD_SCHEMAS['runner.reported'],
  Run: PAYLOAD_SCHEMAS['run.started'],
  RunProgress: runProgressSchema,
  RunFigures: runFiguresSchema,
  Report: reportSchema,
  Sweep: PAYLOAD_SCHEMAS['sweep.started'],
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
