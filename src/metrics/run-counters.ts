// The counters of a run, METRICS §6, and those of records that did not fit. All are in every snapshot, also while 0.

import type { CounterSampler } from './counter-sampler.ts';

export type CounterName =
  | 'samplesIssued'
  | 'samplesCompleted'
  | 'samplesFailed'
  | 'samplesCancelled'
  | 'trackedSamplesIssued'
  | 'trackedSamplesCompleted'
  | 'trackedSamplesFailed'
  | 'trackedSamplesCancelled'
  | 'chunksReceived'
  | 'bytesSent'
  | 'bytesReceived'
  | 'usageMissing'
  | RecordProblem;

/** Records and samples that did not fit: each is counted, and any that is not 0 is shown. */
export type RecordProblem = keyof typeof RECORD_PROBLEMS;

export const RECORD_PROBLEMS = {
  droppedEvents: 'event batches were lost on the way',
  recordsUndecodable: 'messages could not be read',
  recordsDuplicate: 'records came a second time',
  recordsLate: 'records came after their sample had ended',
  recordsUnknown: 'records spoke of a sample that was never issued',
  recordsAfterEnd: 'records came after the end of the session',
  recordsRefused: 'records had a stamp or figure that is no whole number from 0 on',
  samplesInconsistent: 'samples had stamps or counts that contradict each other and are in no series',
  samplesSentEarly: 'samples were sent before their time',
  samplesNotFollowed: 'samples were issued while too many were in flight to follow them',
  errorsOutsideSamples: 'errors concerned no sample',
  tasksFailed: 'background tasks failed',
  finalFileFailed: 'final_snapshot.json could not be written',
} as const;

export type RunCounters = Readonly<Record<CounterName, CounterSampler>>;

export const runCounters = (counter: (name: string) => CounterSampler): RunCounters => ({
  samplesIssued: counter('samplesIssued'),
  samplesCompleted: counter('samplesCompleted'),
  samplesFailed: counter('samplesFailed'),
  samplesCancelled: counter('samplesCancelled'),
  trackedSamplesIssued: counter('trackedSamplesIssued'),
  trackedSamplesCompleted: counter('trackedSamplesCompleted'),
  trackedSamplesFailed: counter('trackedSamplesFailed'),
  trackedSamplesCancelled: counter('trackedSamplesCancelled'),
  chunksReceived: counter('chunksReceived'),
  bytesSent: counter('bytesSent'),
  bytesReceived: counter('bytesReceived'),
  usageMissing: counter('usageMissing'),
  droppedEvents: counter('droppedEvents'),
  recordsUndecodable: counter('recordsUndecodable'),
  recordsDuplicate: counter('recordsDuplicate'),
  recordsLate: counter('recordsLate'),
  recordsUnknown: counter('recordsUnknown'),
  recordsAfterEnd: counter('recordsAfterEnd'),
  recordsRefused: counter('recordsRefused'),
  samplesInconsistent: counter('samplesInconsistent'),
  samplesSentEarly: counter('samplesSentEarly'),
  samplesNotFollowed: counter('samplesNotFollowed'),
  errorsOutsideSamples: counter('errorsOutsideSamples'),
  tasksFailed: counter('tasksFailed'),
  finalFileFailed: counter('finalFileFailed'),
});
