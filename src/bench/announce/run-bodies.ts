// What a run reports about itself to the daemon, derived from its configuration and a live snapshot.

import type { Report } from '../../core/run/report.ts';
import type { RecentRates, RunProgress } from '../../core/run/run.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
import { runDigest, runRequested } from '../../core/run/run-digest.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { unknown } from '../../core/unknown.ts';
import { buildReport } from '../../metrics/build-report.ts';
import type { RunStart } from '../../wire/run-schema.ts';
import type { AnnounceOptions, ClientProgress } from './run-announcement.ts';

/** The body of POST /api/runs. */
export const runStart = ({
  config,
  directory,
  limits,
  sweep,
}: AnnounceOptions): Omit<RunStart, 'runId'> & { readonly runId: string } => {
  const { run } = config;
  return {
    runId: run.id,
    startedAt: run.startedAt,
    target: run.target,
    ...runRequested(run),
    limits: {
      samplesMax: limits.samplesMax ?? unknown('not limited'),
      durationMs: limits.durationMs ?? unknown('not limited'),
    },
    objectives: config.objectives,
    runObjectives: config.runObjectives,
    attainment: config.attainment,
    directory,
    sweep: sweep ?? unknown('not a stage of a sweep'),
  };
};

/** A report of a live snapshot, with the same definitions as at the end. */
export const liveReport = (config: RunConfig, snapshot: MetricsSnapshot): Report =>
  buildReport({
    config,
    snapshot,
    source: 'live-snapshot',
    // Losses so far are in the snapshot's counters; the client's own losses are known at the end.
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });

/** The body of PUT /api/runs/{runId}/progress. */
export const progressBody = (
  report: Report,
  reported: {
    readonly client: ClientProgress;
    readonly recent: RecentRates;
    readonly contentArrived: RunProgress['contentArrived'];
    readonly agents: MetricsSnapshot['agents'];
    readonly sessions: MetricsSnapshot['sessions'];
    readonly updatesDropped: number;
  },
): Omit<RunProgress, 'runId'> & { readonly runId: string } => ({
  runId: report.run.id,
  phase: reported.client.phase,
  elapsedMs: reported.client.elapsedMs,
  measuredMs: reported.client.measuredMs,
  figures: runDigest(report),
  recent: reported.recent,
  contentArrived: reported.contentArrived,
  agents: reported.agents ?? unknown('one machine makes the load'),
  ...(reported.sessions === undefined ? {} : { sessions: reported.sessions }),
  updatesDropped: reported.updatesDropped,
});
