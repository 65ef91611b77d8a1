// How the load of a run changes over time, in addition to its pattern, and how that is written. The pattern
// contains the highest level that the load reaches; a version without shapes reads only that.

import * as v from 'valibot';
import { maximumOf, minimumOf } from '../extremes.ts';
import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { counted, figureText, formatCount, formatThreeDigits } from '../figure/figure.ts';
import { count, type Infer, nonNegative, openObject, reported } from '../schema.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { isOpenLoop, patternLabel, type RunPattern, scheduleLabel } from './run-pattern.ts';
import { speedText, type TraceShape, traceShapeSchema } from './trace-shape.ts';

export const SESSION_HISTORIES = ['client', 'server'] as const;

/**
 * Where the previous turns are stored: each request contains them, or it refers to the previous answer at a
 * server that stores it.
 */
export type SessionHistory = (typeof SESSION_HISTORIES)[number];

export const CONCURRENCY_UNITS = ['sessions', 'requests'] as const;

/**
 * What a closed loop limits: whole sessions, however many turns of one are in flight, or requests of any
 * session.
 */
export type ConcurrencyUnit = (typeof CONCURRENCY_UNITS)[number];

const sessionShapeSchema = openObject({
  concurrencyOf: v.picklist(CONCURRENCY_UNITS),
  /** Absent: stored by the client. */
  history: v.exactOptional(v.picklist(SESSION_HISTORIES)),
});

type SessionShape = Infer<typeof sessionShapeSchema>;

const loadStepSchema = openObject({
  /** Requests per second or in flight, depending on the pattern; it changes evenly from one to the other. */
  from: nonNegative,
  to: nonNegative,
  durationMs: nonNegative,
});

/** `--stages` calls it a stage; the stages of a sweep are runs of their own. */
export type LoadStep = Infer<typeof loadStepSchema>;

export const LOAD_STEPS_MAX = 64;

export const runShapeSchema = openObject({
  /** Time in which the load grows evenly to its first level; not measured. 0: at once. */
  rampMs: nonNegative,
  /** At the first level, after the ramp; not measured. */
  warmupMs: nonNegative,
  /** For a schedule: an arrival above it waits for a slot. */
  inFlightCap: reported(count),
  /** One after the other, all measured; none: the level of the pattern for the whole run. */
  steps: v.pipe(v.array(loadStepSchema), v.maxLength(LOAD_STEPS_MAX)),
  /** If requests belong to sessions: the pattern then describes the sessions' arrivals. */
  sessions: reported(sessionShapeSchema),
  /** If requests are those of a recorded trace: the pattern then contains their mean rate. */
  trace: reported(traceShapeSchema),
  /**
   * For a load that ends after a time: how long it then waits for requests in flight. Absent: to their end.
   */
  graceMs: v.exactOptional(nonNegative),
});

export type RunShape = Infer<typeof runShapeSchema>;

export const PLAIN_SHAPE: RunShape = {
  rampMs: 0,
  warmupMs: 0,
  inFlightCap: unknown('not limited'),
  steps: [],
  sessions: unknown('requests are independent'),
  trace: unknown('no trace is replayed'),
};

/** Versions before shapes had plain runs only. */
export const shapeOf = ({ shape }: { readonly shape: Reported<RunShape> }): RunShape =>
  isUnknown(shape) ? PLAIN_SHAPE : shape;

/** Whether its schedule has arrivals that wait for a slot. */
export const isCapped = (shape: Reported<RunShape>): boolean =>
  !isUnknown(shape) && !isUnknown(shape.inFlightCap);

export const isOfSessions = (shape: Reported<RunShape>): boolean =>
  !isUnknown(shape) && !isUnknown(shape.sessions);

export const isOfTrace = (shape: Reported<RunShape>): boolean => !isUnknown(shape) && !isUnknown(shape.trace);

/** Longest time without a request in flight that it allows; undefined: it has no limit. */
export const idleMsMaxOf = ({ trace }: Pick<RunShape, 'trace'>): number | undefined =>
  isUnknown(trace) ? undefined : trace.idleMsMax;

export const hasSteps = (shape: Reported<RunShape> | undefined): boolean =>
  shape !== undefined && !isUnknown(shape) && shape.steps.length > 0;

/** "Poisson 20.0 req/s, at most 64 in flight, ramp 30 s", "constant 5.00 to 20.0 req/s in 3 stages". */
export const loadLabel = (run: {
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
}): string => {
  const { rampMs, warmupMs, inFlightCap, steps, sessions, trace } = shapeOf(run);
  const label = steps.length === 0 ? patternLabel(run.pattern) : stepsLabel(run.pattern, steps);
  return [
    isUnknown(sessions)
      ? replayLabel(run.pattern, trace, label)
      : sessionsLabel(run.pattern, { ...sessions, label, isMoving: steps.length > 0 }),
    ...(isUnknown(trace) || isUnknown(sessions) ? [] : [`of a trace at ${speedText(trace)}`]),
    ...(isUnknown(sessions) || sessions.history !== 'server' ? [] : ['history stored by the server']),
    ...(isUnknown(inFlightCap) ? [] : [`at most ${formatCount(inFlightCap)} in flight`]),
    ...(rampMs > 0 ? [`ramp ${timeText(rampMs)}`] : []),
    ...(warmupMs > 0 ? [`warm-up ${timeText(warmupMs)}`] : []),
  ].join(', ');
};

/**
 * What happens to requests in flight when the load is over, as a row of a table; none for a run that waits
 * for all of them.
 */
export const graceRows = ({
  shape,
}: {
  readonly shape: Reported<RunShape>;
}): readonly (readonly [string, string])[] => {
  const { graceMs } = shapeOf({ shape });
  return graceMs === undefined
    ? []
    : [['grace', `requests in flight at the end get ${timeText(graceMs)}, then they are cancelled`]];
};

/** "trace at 10 times its speed, 33.2 req/s on average". */
const replayLabel = (pattern: RunPattern, trace: Reported<TraceShape>, label: string): string =>
  !isUnknown(trace) && isOpenLoop(pattern)
    ? `trace at ${speedText(trace)}, ${formatThreeDigits(pattern.requestsPerSecond)} req/s on average`
    : label;

/** "8 sessions at a time", "sessions: 1 to 8 at a time in 3 stages", "sessions, 8 requests at a time", "sessions: Poisson 2.00 a second". */
const sessionsLabel = (
  pattern: RunPattern,
  { concurrencyOf, label, isMoving }: SessionShape & { readonly label: string; readonly isMoving: boolean },
): string => {
  if (isOpenLoop(pattern)) return `sessions: ${label.replace(/req\/s/g, 'a second')}`;
  if (isMoving) return `sessions: ${label}`;
  if (pattern.kind !== 'concurrency') return `sessions, ${label} of ${concurrencyOf}`;
  return concurrencyOf === 'sessions'
    ? `${counted(pattern.concurrency, 'session')} at a time`
    : `sessions, ${counted(pattern.concurrency, 'request')} at a time`;
};

const stepsLabel = (pattern: RunPattern, steps: readonly LoadStep[]): string => {
  const levels = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [minimumOf(levels), maximumOf(levels)];
  const count = `in ${counted(steps.length, 'stage')}`;
  return isOpenLoop(pattern)
    ? scheduleLabel(pattern, `${formatThreeDigits(low)} to ${formatThreeDigits(high)} req/s ${count}`)
    : `${formatCount(low)} to ${formatCount(high)} at a time ${count}`;
};

const timeText = (ms: number): string => figureText(formatMeasuredNanoseconds(ms * 1e6));

// Name and tags of a run: how a person identifies it among others.

export const RUN_NAME_LENGTH_MAX = 100;
export const TAGS_MAX = 16;
export const TAG_KEY_LENGTH_MAX = 40;
export const TAG_VALUE_LENGTH_MAX = 100;

/**
 * A letter first, so that no tag has the name of an inherited property or of an array index, or looks like an
 * option.
 */
export const TAG_KEY: RegExp = /^[a-zA-Z][a-zA-Z0-9_.-]{0,39}$/;

export const runNameSchema = v.pipe(v.string(), v.maxLength(RUN_NAME_LENGTH_MAX));

export const runTagsSchema = v.pipe(
  v.record(v.pipe(v.string(), v.regex(TAG_KEY)), v.pipe(v.string(), v.maxLength(TAG_VALUE_LENGTH_MAX))),
  v.maxEntries(TAGS_MAX),
);

/** "engine" to "vllm 0.11". */
export type RunTags = Infer<typeof runTagsSchema>;

/** "engine=vllm" */
export const tagTextsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(TAG_KEY_LENGTH_MAX + 1 + TAG_VALUE_LENGTH_MAX))),
  v.maxLength(TAGS_MAX),
);

/** "before the update · engine=vllm"; '' if there are none. */
export const nameLabel = (run: {
  readonly name: Reported<string>;
  readonly tags: Reported<RunTags>;
}): string => nameTexts(run).join(' · ');

export const nameTexts = ({
  name,
  tags,
}: {
  readonly name: Reported<string>;
  readonly tags: Reported<RunTags>;
}): readonly string[] => [...(isUnknown(name) ? [] : [name]), ...(isUnknown(tags) ? [] : tagTexts(tags))];

/** "engine=vllm", in the order in which they were given. */
export const tagTexts = (tags: RunTags): readonly string[] =>
  Object.entries(tags).map(([key, value]) => `${key}=${value}`);
