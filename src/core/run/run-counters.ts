// The counters of a run, METRICS §6: one row each, from which samplers, snapshots, reports, every view and the table in
// docs/metrics.md derive. Each is in every snapshot, also while it is 0; those of objectives where a run has any.

import type { ObjectiveName } from './objective.ts';
import type { FailureKind, FinishReason } from './outcome.ts';
import { FAILURE_KINDS, FINISH_REASONS } from './outcome.ts';

export interface CounterRow {
  /** None of a number of things. */
  readonly unit?: 'ns' | 'bytes' | 'tokens' | 'share';
  readonly label: string;
  /** What is counted. */
  readonly help?: string;
  /** Records and samples that did not fit, shown where there are any: the words after their number. */
  readonly problem?: string;
}

export const RUN_COUNTERS = {
  samplesIssued: { label: 'issued', help: 'samples of the whole run' },
  samplesCompleted: { label: 'completed', help: 'of those, answered to their end' },
  samplesFailed: { label: 'failed', help: 'of those, ended by a failure' },
  samplesCancelled: { label: 'cancelled', help: 'of those, ended because the run was stopped' },
  trackedSamplesIssued: { label: 'issued', help: 'samples of the measured phase' },
  trackedSamplesCompleted: { label: 'completed', help: 'of those, answered to their end' },
  trackedSamplesFailed: { label: 'failed', help: 'of those, ended by a failure' },
  trackedSamplesCancelled: { label: 'cancelled', help: 'of those, ended because the run was stopped' },
  chunksReceived: { label: 'chunks', help: 'content chunks of measured samples' },
  bytesSent: { unit: 'bytes', label: 'sent', help: 'of measured samples' },
  bytesReceived: { unit: 'bytes', label: 'received', help: 'of measured samples' },
  usageMissing: { label: 'without usage', help: 'completed samples of which the server told no usage' },
  droppedEvents: { label: 'dropped events', problem: 'event batches were lost on the way' },
  recordsUndecodable: { label: 'unreadable messages', problem: 'messages could not be read' },
  recordsDuplicate: { label: 'repeated records', problem: 'records came a second time' },
  recordsLate: { label: 'late records', problem: 'records came after their sample had ended' },
  recordsUnknown: {
    label: 'records of no sample',
    problem: 'records spoke of a sample that was never issued',
  },
  recordsAfterEnd: {
    label: 'records after the end',
    problem: 'records came after the end of the session',
  },
  recordsRefused: {
    label: 'refused records',
    problem: 'records had a stamp or figure that is no whole number from 0 on',
  },
  samplesInconsistent: {
    label: 'inconsistent samples',
    problem: 'samples had stamps or counts that contradict each other and are in no series',
  },
  samplesSentEarly: { label: 'sent early', problem: 'samples were sent before their time' },
  samplesNotFollowed: {
    label: 'not followed',
    problem: 'samples were issued while too many were in flight to follow them',
  },
  errorsOutsideSamples: { label: 'errors outside samples', problem: 'errors concerned no sample' },
  tasksFailed: { label: 'failed tasks', problem: 'background tasks failed' },
  finalFileFailed: { label: 'final file', problem: 'final_snapshot.json could not be written' },
  windowNs: { unit: 'ns', label: 'window', help: 'first request sent to last completed end' },
  measuringSinceNs: {
    unit: 'ns',
    label: 'measuring since',
    help: 'when the measured phase began, on CLOCK_MONOTONIC of the host as timestampNs is; 0 before',
  },
  steadyStateNs: {
    unit: 'ns',
    label: 'steady state',
    help: 'how long the asked concurrency was in flight; set at the end',
  },
  steadyStateCompleted: { label: 'completed, steady', help: 'samples that ended in the steady state' },
  steadyStateOutputTokens: { unit: 'tokens', label: 'output tokens, steady', help: 'of those samples' },
  connectionsOpened: { label: 'connections opened', help: 'in the whole run' },
  connectionsReused: { label: 'connections reused', help: 'requests on one that had served before' },
  connectionsClosed: { label: 'connections closed', help: 'by either end' },
  connectionsStale: {
    label: 'sent again on a fresh connection',
    help: 'requests whose reused connection the server had closed already',
  },
  'client.threads': { label: 'load threads', help: 'that told something of themselves' },
  'client.observedNs': { unit: 'ns', label: 'observed', help: 'of the thread that observed itself longest' },
  'client.starvedNs': {
    unit: 'ns',
    label: 'starved',
    help: 'how long a thread wanted its processor and did not have it; of the one that was worst off',
  },
  'client.eventLoopUtilization': { unit: 'share', label: 'busy', help: 'of the busiest thread' },
  'client.cpuShare': { unit: 'share', label: 'on a core', help: 'of the same thread' },
  'client.gcPauseNsTotal': { unit: 'ns', label: 'garbage collection', help: 'of all threads together' },
  'client.gcPauseNsMax': { unit: 'ns', label: 'longest collection', help: 'of any thread' },
  'client.parsePausedNs': {
    unit: 'ns',
    label: 'parsing paused',
    help: 'heartbeats of parse threads that came more than 250 ms late: by how much',
  },
  'client.throttleObservedNs': {
    unit: 'ns',
    label: 'quota observed',
    help: 'for how long the system told it',
  },
  'client.throttledNs': {
    unit: 'ns',
    label: 'throttled',
    help: 'held back by the processor quota of a control group',
  },
  'client.pressureObservedNs': {
    unit: 'ns',
    label: 'pressure observed',
    help: 'for how long the system told it',
  },
  'client.pressureNs': {
    unit: 'ns',
    label: 'pressure',
    help: 'some task of the machine waited for a processor',
  },
  'client.stealObservedNs': { unit: 'ns', label: 'steal observed', help: 'for how long the system told it' },
  'client.stolenNs': { unit: 'ns', label: 'stolen', help: 'of each processor, taken by the hypervisor' },
} as const;

type PlainCounterKey = keyof typeof RUN_COUNTERS;
export type CounterKey = PlainCounterKey | `errors.${FailureKind}` | `finishReason.${FinishReason}`;
/** Only of a run with objectives. */
export type ObjectiveCounterKey = 'goodSamples' | `objective.${ObjectiveName}.${'met' | 'unknown'}`;

const isPlainCounterKey = (name: string): name is PlainCounterKey => Object.hasOwn(RUN_COUNTERS, name);

/** Without those of one kind of thing each. */
export const PLAIN_COUNTER_KEYS: readonly PlainCounterKey[] =
  Object.keys(RUN_COUNTERS).filter(isPlainCounterKey);

export const COUNTER_KEYS: readonly CounterKey[] = [
  ...PLAIN_COUNTER_KEYS,
  ...FAILURE_KINDS.map(kind => `errors.${kind}` as const),
  ...FINISH_REASONS.map(reason => `finishReason.${reason}` as const),
];

export const counterRow = (key: PlainCounterKey): CounterRow => RUN_COUNTERS[key];

/** Of records and samples that did not fit. */
export const RECORD_PROBLEMS: readonly { readonly key: PlainCounterKey; readonly words: string }[] =
  PLAIN_COUNTER_KEYS.flatMap(key => {
    const { problem } = counterRow(key);
    return problem === undefined ? [] : [{ key, words: problem }];
  });
