// The counters of a run, METRICS §6: one row each, from which samplers, snapshots, reports, every view and
// the table in docs/metrics.md derive. Each is in every snapshot, also while it is 0; those of objectives
// only if a run has any.

import type { ObjectiveName } from './objective.ts';
import { FAILURE_KINDS, type FailureKind, FINISH_REASONS, type FinishReason } from './outcome.ts';
import { TOKEN_DOUBT_KEYS, type TokenDoubt } from './token-doubts.ts';

interface CounterRow {
  /** Missing for a number of things. */
  readonly unit?: 'ns' | 'bytes' | 'tokens' | 'share';
  readonly label: string;
  /** What is counted. */
  readonly help?: string;
  /** Records and samples that did not fit, shown if there are any: the text after their number. */
  readonly problem?: string;
}

export const RUN_COUNTERS = {
  samplesIssued: { label: 'issued', help: 'requests of the whole run' },
  samplesCompleted: { label: 'completed', help: 'of those, answered to their end' },
  samplesFailed: { label: 'failed', help: 'of those, failed' },
  samplesCancelled: {
    label: 'cancelled',
    help: 'of those, stopped with the run or cancelled as planned',
  },
  trackedSamplesIssued: { label: 'issued', help: 'requests of the measured phase' },
  trackedSamplesCompleted: { label: 'completed', help: 'of those, answered to their end' },
  trackedSamplesFailed: { label: 'failed', help: 'of those, failed' },
  trackedSamplesCancelled: {
    label: 'cancelled',
    help: 'of those, stopped with the run or cancelled as planned',
  },
  cancelledAsPlanned: { label: 'cancelled as planned', help: 'of those, broken off by --cancel-after' },
  cancelledAfterGrace: {
    label: 'cancelled after grace',
    help: 'of those, in flight when the time of --grace after the load was over',
  },
  samplesSkipped: { label: 'skipped', help: 'turns of sessions that were planned and never sent' },
  trackedSamplesSkipped: { label: 'skipped', help: 'of those, of sessions of the measured phase' },
  'answers.fits': {
    label: 'answers that fit',
    help: 'completed requests whose calls or JSON fit their schema',
  },
  'answers.not-json': { label: 'answers not JSON', help: 'of those that were checked' },
  'answers.misfit': {
    label: 'answers that do not fit',
    help: 'JSON that does not fit, or a call of no such tool',
  },
  'answers.absent': {
    label: 'answers without it',
    help: 'no call, or an empty answer, although one was requested',
  },
  chunksReceived: { label: 'chunks', help: 'content chunks of measured requests' },
  chunksCompleted: { label: 'chunks, completed', help: 'of those, of completed requests' },
  bytesSent: { unit: 'bytes', label: 'sent', help: 'of measured requests' },
  bytesReceived: { unit: 'bytes', label: 'received', help: 'of measured requests' },
  requestsWithChoices: {
    label: 'with several choices',
    help: 'completed requests that were answered with several choices (`n` > 1)',
  },
  choicesCompleted: { label: 'choices', help: 'of those requests' },
  completedWithoutText: {
    label: 'completed without text',
    help: 'completed requests whose tokens were not text yet when the limit ended them',
  },
  usageMissing: { label: 'without usage', help: 'completed requests without usage from the server' },
  recordsReceived: { label: 'records', help: 'event records that the aggregator took, each once' },
  droppedEvents: { label: 'dropped events', problem: 'event batches were lost on the way' },
  recordsUndecodable: { label: 'unreadable messages', problem: 'messages could not be decoded' },
  recordsDuplicate: { label: 'repeated records', problem: 'records arrived twice' },
  recordsLate: { label: 'late records', problem: 'records arrived after their request had ended' },
  recordsUnknown: {
    label: 'records without a request',
    problem: 'records belong to a request that was never issued',
  },
  recordsAfterEnd: {
    label: 'records after the end',
    problem: 'records arrived after the end of the session',
  },
  recordsRefused: {
    label: 'refused records',
    problem: 'records had a stamp or figure that is not a whole number of at least 0',
  },
  samplesInconsistent: {
    label: 'inconsistent requests',
    problem: 'requests had contradictory stamps or counts and are in no series',
  },
  samplesSentEarly: { label: 'sent early', problem: 'requests were sent early' },
  samplesNotFollowed: {
    label: 'not tracked',
    problem: 'requests were issued while too many were in flight to track',
  },
  errorsOutsideSamples: { label: 'errors outside requests', problem: 'errors did not belong to a request' },
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
    help: 'how long the requested concurrency was in flight; set at the end',
  },
  steadyStateCompleted: { label: 'completed, steady', help: 'requests that ended in the steady state' },
  steadyStateOutputTokens: { unit: 'tokens', label: 'output tokens, steady', help: 'of those requests' },
  connectionsOpened: { label: 'connections opened', help: 'in the whole run' },
  connectionsReused: { label: 'connections reused', help: 'requests on a reused connection' },
  connectionsClosed: { label: 'connections closed', help: 'by either end' },
  connectionsStale: {
    label: 'resent on a new connection',
    help: 'requests whose reused connection the server had already closed',
  },
  connectionsAhead: {
    label: 'opened in advance',
    help: 'connections opened before a request needed them, because the server closes after each reply',
  },
  'client.backoffNs': {
    unit: 'ns',
    label: 'backoff',
    help: 'users waited after requests that failed at once; of all users together',
  },
  'client.threads': { label: 'load threads', help: 'that reported on themselves' },
  'client.observedNs': { unit: 'ns', label: 'observed', help: 'of the thread that observed itself longest' },
  'client.starvedNs': {
    unit: 'ns',
    label: 'starved',
    help: 'how long a thread waited for a processor; of the worst thread',
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
    help: 'for how long the system reported it',
  },
  'client.throttledNs': {
    unit: 'ns',
    label: 'throttled',
    help: 'throttled by the processor quota of a control group',
  },
  'client.pressureObservedNs': {
    unit: 'ns',
    label: 'pressure observed',
    help: 'for how long the system reported it',
  },
  'client.pressureNs': {
    unit: 'ns',
    label: 'pressure',
    help: 'some task of the machine waited for a processor',
  },
  'client.stealObservedNs': {
    unit: 'ns',
    label: 'steal observed',
    help: 'for how long the system reported it',
  },
  'client.arrivalsWaiting': {
    label: 'arrivals waiting',
    help: 'due and held back by --max-in-flight; of an ended run those that were never sent',
  },
  'client.stolenNs': { unit: 'ns', label: 'stolen', help: 'of each processor, taken by the hypervisor' },
} as const;

type PlainCounterKey = keyof typeof RUN_COUNTERS;
export type CounterKey =
  | PlainCounterKey
  | `errors.${FailureKind}`
  | `finishReason.${FinishReason}`
  | `doubts.${TokenDoubt}`;
/** Only for a run with objectives. */
export type ObjectiveCounterKey =
  | 'goodSamples'
  | 'goodOutputTokens'
  | `objective.${ObjectiveName}.${'met' | 'unknown'}`;

const isPlainCounterKey = (name: string): name is PlainCounterKey => Object.hasOwn(RUN_COUNTERS, name);

/** Without those that exist once per item. */
export const PLAIN_COUNTER_KEYS: readonly PlainCounterKey[] =
  Object.keys(RUN_COUNTERS).filter(isPlainCounterKey);

export const COUNTER_KEYS: readonly CounterKey[] = [
  ...PLAIN_COUNTER_KEYS,
  ...FAILURE_KINDS.map(kind => `errors.${kind}` as const),
  ...FINISH_REASONS.map(reason => `finishReason.${reason}` as const),
  ...TOKEN_DOUBT_KEYS.map(doubt => `doubts.${doubt}` as const),
];

export const counterRow = (key: PlainCounterKey): CounterRow => RUN_COUNTERS[key];

/** For records and samples that did not fit. */
export const RECORD_PROBLEMS: readonly { readonly key: PlainCounterKey; readonly text: string }[] =
  PLAIN_COUNTER_KEYS.flatMap(key => {
    const { problem } = counterRow(key);
    return problem === undefined ? [] : [{ key, text: problem }];
  });
