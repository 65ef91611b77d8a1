// Runs in words and figures: everything that a person reads of one, made apart from how it is drawn.

import { formatClock, formatMeasuredNanoseconds } from '../../../src/core/figure/duration.ts';
import { counted, figureText, formatCount, UNKNOWN_FIGURE } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import { foreignLabel } from '../../../src/core/run/foreign-run.ts';
import { hasSeries } from '../../../src/core/run/has-series.ts';
import type { Run, RunFigures, RunPhase, RunProgress } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import type { SeriesKey } from '../../../src/core/run/run-series.ts';
import { isOfSessions } from '../../../src/core/run/run-shape.ts';
import type { State } from '../../../src/core/state.ts';
import { isKnown, isUnknown, knownOr, type Unknown } from '../../../src/core/unknown.ts';
import { whyNoFigure } from '../../../src/render/run/report-summary.ts';

/** ", 5 min", ", 200 requests", or nothing. */
export const limitText = ({ limits, shape }: Pick<Run, 'limits' | 'shape'>): string => {
  const duration = knownOr(limits.durationMs, undefined);
  const samples = knownOr(limits.samplesMax, undefined);
  return [
    ...(duration === undefined ? [] : [durationText(duration)]),
    ...(samples === undefined
      ? []
      : [`${formatCount(samples)} ${isOfSessions(shape) ? 'sessions' : 'requests'}`]),
  ].join(', ');
};

/** Who measured it where that was another tool, what a person called it, then its tags; none where there are none. */
export const nameText = ({
  runName,
  tags,
  foreign,
}: Pick<Run, 'runName' | 'tags' | 'foreign'>): readonly string[] => [
  ...(foreign === undefined ? [] : [`from ${foreignLabel(foreign)}`]),
  ...(isUnknown(runName) ? [] : [runName]),
  ...(isUnknown(tags) ? [] : tags),
];

export const modelLabel = ({ model }: Pick<Run, 'model'>): string =>
  knownOr(model, 'model could not be determined');

/** "vLLM on bosun", "http://10.0.0.7:8000". */
export const targetLabel = (state: State, run: Pick<Run, 'target' | 'targetNode' | 'serverKind'>): string => {
  const target = isKnown(run.targetNode)
    ? `on ${nodeName(state, run.targetNode)}`
    : run.target === ''
      ? 'at an unknown target'
      : `at ${run.target}`;
  return isKnown(run.serverKind) ? `${run.serverKind} ${target}` : target;
};

/** Why a run has neither files nor a process that could be asked; '' where it has. */
/** Why this daemon has neither the requests nor the report of a run; '' where it may have them. */
export const remoteRunNotice = (
  view: Pick<RunView, 'node'> | undefined,
  { header, cluster }: { readonly header: { readonly nodeId: NodeId } | undefined; readonly cluster: State },
): string =>
  view === undefined || header === undefined || view.node === header.nodeId
    ? ''
    : `The requests and the report of this run are on ${nodeName(cluster, view.node)}: open the page there.`;

export const noSamplesNotice = (origin: {
  readonly isRecording: boolean;
  /** Of the machine: the demo runs real benchmarks on simulated ones. */
  readonly isSimulated: boolean;
  readonly hasSamples: boolean;
}): string => {
  if (origin.isRecording) return 'A recording has the figures of a run, not its requests and files.';
  return origin.isSimulated && !origin.hasSamples
    ? 'This run is simulated: it has figures, but no samples and no files.'
    : '';
};

export interface StateText {
  readonly tone: 'live' | 'ended' | 'cut' | 'broken';
  readonly label: string;
}

/** @param at what is added while it is live: " 1:24" */
export const documentState = (state: string, isLive: boolean, at = ''): StateText => {
  if (isLive) return { tone: 'live', label: `live${at}` };
  if (state === 'complete') return { tone: 'ended', label: state };
  if (state === 'failed') return { tone: 'broken', label: state };
  return { tone: 'cut', label: state === 'running' ? 'silent' : state };
};

export const stateText = ({ state, progress, isLive }: RunView): StateText =>
  documentState(state, isLive, progress === undefined ? '' : ` ${formatClock(progress.elapsedMs)}`);

/** The figures that a view shows: the report's once there is one, the newest before. */
export const shownFigures = ({ run, progress }: RunView): RunFigures | undefined =>
  isUnknown(run.figures) ? progress?.figures : run.figures;

/** "measuring, 2:46 to go, then what is in flight". */
export const phaseText = (run: Run, progress: RunProgress | undefined): string => {
  if (progress === undefined) return 'no figures yet';
  switch (progress.phase) {
    case 'connecting':
      return 'opening connections';
    case 'warmup':
      return 'warming up; not counted';
    case 'measuring':
      return `measuring${toGoText(run, progress)}`;
    case 'draining':
      return `no more requests; ${formatCount(Math.max(0, progress.figures.counts.unresolved))} still in flight`;
    default:
      return progress.phase satisfies never;
  }
};

const toGoText = ({ limits, shape }: Run, { measuredMs, figures: { counts } }: RunProgress): string => {
  if (isKnown(limits.durationMs)) {
    return `, ${formatClock(Math.max(0, limits.durationMs - measuredMs))} left, then those in flight`;
  }
  // How many requests so many sessions come to is known when they are over.
  if (!isKnown(limits.samplesMax) || isOfSessions(shape)) return '';
  return `, ${counted(Math.max(0, limits.samplesMax - counts.issued), 'request')} left`;
};

export interface PhaseLine {
  /** Shares of the line's length. */
  readonly warmupUntil: number;
  readonly now: number;
  readonly ticks: readonly number[];
  /** For "2:14 of 5:00". */
  readonly done: string;
  readonly whole: string;
}

/** How far a run has progressed; undefined if it has no limit. */
export const phaseLine = ({ limits, shape }: Run, progress: RunProgress): PhaseLine | undefined => {
  const { elapsedMs, measuredMs, figures, phase } = progress;
  const warmupMs = Math.max(0, elapsedMs - measuredMs);
  if (isKnown(limits.durationMs) && limits.durationMs > 0) {
    const wholeMs = warmupMs + limits.durationMs;
    return {
      warmupUntil: Math.min(1, warmupMs / wholeMs),
      now: Math.min(1, elapsedMs / wholeMs),
      ticks: tickShares(warmupMs, limits.durationMs),
      done: formatClock(Math.min(measuredMs, limits.durationMs)),
      whole: formatClock(limits.durationMs),
    };
  }
  if (!isKnown(limits.samplesMax) || limits.samplesMax === 0 || isOfSessions(shape)) return undefined;
  const { issued, unresolved } = figures.counts;
  const ended = Math.max(0, issued - unresolved);
  return {
    warmupUntil: 0,
    now: phase === 'warmup' || phase === 'connecting' ? 0 : Math.min(1, ended / limits.samplesMax),
    ticks: [0, 0.25, 0.5, 0.75, 1],
    done: formatCount(ended),
    whole: `${formatCount(limits.samplesMax)} requests`,
  };
};

const tickShares = (warmupMs: number, durationMs: number): readonly number[] => {
  const stepMs = TICK_STEPS_MS.find(step => durationMs / step <= 8) ?? durationMs / 8;
  const wholeMs = warmupMs + durationMs;
  const steps = Array.from(
    { length: Math.floor(durationMs / stepMs) + 1 },
    (_, index) => (warmupMs + index * stepMs) / wholeMs,
  );
  return [0, ...steps, 1].filter((share, index, all) => index === 0 || share > (all[index - 1] ?? 0));
};

const TICK_STEPS_MS: readonly number[] = [1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 3_600_000];

/** When a run began, for display: the time if it was today, otherwise the date. */
export const startedText = (startedAt: string, nowWallMs: number): string => {
  const at = new Date(startedAt);
  if (Number.isNaN(at.getTime())) return UNKNOWN_FIGURE.figure;
  const isToday = new Date(nowWallMs).toDateString() === at.toDateString();
  return isToday
    ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
};

/** A percentile of a series; undefined while it has no value. */
export const percentileNs = (
  figures: RunFigures | undefined,
  series: SeriesKey,
  percentile: string,
): number | undefined => figures?.series[series]?.percentiles[percentile];

/** Why there is no such figure yet. */
export const whyNoPercentile = (
  run: Pick<Run, 'isStreaming' | 'pattern'>,
  { counts, perUserTokensPerSecond }: Pick<RunFigures, 'counts' | 'perUserTokensPerSecond'>,
  series: SeriesKey,
): string =>
  hasSeries(series, run)
    ? whyNoFigure({ completed: counts.completed, perUser: perUserTokensPerSecond }, series)
    : 'not streamed';

export const nsText = (value: number | Unknown | undefined): string =>
  value === undefined || isUnknown(value)
    ? UNKNOWN_FIGURE.figure
    : figureText(formatMeasuredNanoseconds(value));

/** "5 min", "90 s", "500 ms". */
export const durationText = (durationMs: number): string => {
  if (durationMs < 1_000) return `${durationMs}\u00a0ms`;
  const seconds = durationMs / 1_000;
  if (seconds >= 120 && seconds % 60 === 0) return `${formatCount(seconds / 60)}\u00a0min`;
  return `${formatCount(Math.round(seconds))}\u00a0s`;
};

export const PHASE_NAMES: Readonly<Record<RunPhase, string>> = {
  connecting: 'Connecting',
  warmup: 'Warm-up',
  measuring: 'Measured phase',
  draining: 'Draining',
};
