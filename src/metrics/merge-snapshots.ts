// One snapshot of several machines that load one target: counts add, histograms add cell by cell, so that percentiles are
// those of all values together, and what describes one client is that of the worst.

import { addedFailures } from '../core/run/failure-groups.ts';
import { FinishNameTally } from '../core/run/finish-name-tally.ts';
import { addedSessions } from '../core/run/live-sessions.ts';
import type {
  CounterMetric,
  Metric,
  MetricsSnapshot,
  SeriesMetric,
  SnapshotState,
} from '../core/run/snapshot.ts';
import type { MetricsBody } from './metrics-publisher.ts';
import { SeriesSampler } from './series-sampler.ts';

interface SnapshotMerge {
  readonly state: SnapshotState;
  /** On the coordinator's CLOCK_MONOTONIC; 0 before. */
  readonly measuringSinceNs: number;
}

interface MergedMetrics extends MetricsBody {
  /** Series that some machine sent without their histogram, and that are left out. */
  readonly unadded: readonly string[];
}

export const mergeSnapshots = (
  all: readonly Pick<MetricsSnapshot, 'metrics' | 'pendingTasks' | 'sessions' | 'failures' | 'finishNames'>[],
  { state, measuringSinceNs }: SnapshotMerge,
): MergedMetrics => {
  const counters = new Map<string, number>();
  const series = new Map<string, SeriesSampler>();
  const unadded = new Set<string>();
  for (const { metrics } of all) {
    for (const metric of metrics) {
      if (metric.kind === 'counter') counters.set(metric.name, combined(metric, counters.get(metric.name)));
      else if (!addTo(series, metric)) unadded.add(metric.name);
    }
  }
  if (counters.has('measuringSinceNs')) counters.set('measuringSinceNs', measuringSinceNs);
  const metrics: readonly Metric[] = [
    ...counters.entries().map(([name, value]) => ({ kind: 'counter' as const, name, value })),
    ...series
      .entries()
      .filter(([name]) => !unadded.has(name))
      .map(([, sampler]) => sampler.live()),
  ];
  const pendingTasks = all.reduce((sum, snapshot) => sum + snapshot.pendingTasks, 0);
  const sessions = addedSessions(all.flatMap(({ sessions }) => sessions ?? []));
  const failures = addedFailures(all.flatMap(({ failures }) => failures ?? []));
  const ofFailures = failures === undefined ? {} : { failures };
  const ofSessions = sessions === undefined ? {} : { sessions };
  const names = new FinishNameTally();
  for (const { finishNames = [] } of all) names.add(finishNames);
  const finishNames = names.counts();
  return {
    state,
    pendingTasks,
    metrics,
    ...ofFailures,
    ...ofSessions,
    ...(finishNames.length === 0 ? {} : { finishNames }),
    unadded: [...unadded],
  };
};

const addTo = (series: Map<string, SeriesSampler>, metric: SeriesMetric): boolean => {
  const { name, unit } = metric;
  const sampler = series.get(name) ?? new SeriesSampler(name, { unit });
  series.set(name, sampler);
  return sampler.add(metric);
};

const combined = ({ name, value }: CounterMetric, before: number | undefined): number => {
  if (before === undefined) return value;
  return OF_THE_WORST.has(name) ? Math.max(before, value) : before + value;
};

/** Figures about one machine's time: a sum over machines has no meaning. */
const OF_THE_WORST: ReadonlySet<string> = new Set([
  'windowNs',
  'measuringSinceNs',
  'steadyStateNs',
  'client.observedNs',
  'client.starvedNs',
  'client.eventLoopUtilization',
  'client.cpuShare',
  'client.gcPauseNsTotal',
  'client.gcPauseNsMax',
  'client.parsePausedNs',
  'finalFileFailed',
]);
