// Which part of a recorded trace a run replays and how fast, with its text for every form of a report. Figures
// only: the names of a trace are its owner's.

import * as v from 'valibot';
import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { counted, figureText, formatCount, formatFinePercent, formatThreeDigits } from '../figure/figure.ts';
import { count, type Infer, nonNegative, openObject, reported } from '../schema.ts';
import { isUnknown, type Reported } from '../unknown.ts';

export const traceShapeSchema = openObject({
  /** Times of the trace are divided by it. */
  speed: nonNegative,
  /** Planned requests: in the part that is replayed, up to the limits of the run. */
  requests: count,
  /** Which part, in the trace's own time since its first request. */
  fromMs: reported(nonNegative),
  untilMs: reported(nonNegative),
  /** Shares of a conversation between which each one started. */
  startAt: reported(openObject({ from: nonNegative, to: nonNegative })),
  /** Longest pause, in the trace's own time. */
  gapMsMax: reported(nonNegative),
  gapsCapped: count,
  /** As recorded, from the first request to the last. Unknown: times are only given within conversations. */
  spanMs: reported(nonNegative),
  /** Total of all planned prompts, as recorded. */
  inputTokens: count,
  /**
   * The part of them in leading blocks that an earlier request has too: what an unlimited prefix cache could
   * answer.
   */
  sharedTokens: reported(count),
  /** Longest time without a request in flight, ms: then all pauses are shortened by the same time. Absent: no limit. */
  idleMsMax: v.exactOptional(nonNegative),
  /** Requests before time zero that prime the server's cache; `startAt` then concerns only the first sessions. */
  primed: v.exactOptional(count),
  /** After the last conversation the first begins again. */
  recycles: v.exactOptional(v.literal(true)),
  /** Sessions have nonces of their own, after what conversations share. Absent: one of the run. */
  marksSessions: v.exactOptional(v.literal(true)),
  /** Of all conversations, each once. */
  subagents: v.exactOptional(count),
});

export type TraceShape = Infer<typeof traceShapeSchema>;

/** "10 times its speed", "its own speed". */
export const speedText = ({ speed }: Pick<TraceShape, 'speed'>): string =>
  speed === 1 ? 'its own speed' : `${formatThreeDigits(speed).replace(/\.0+$/, '')} times its speed`;

/** "from 10 min to 20 min, pauses of at most 60 s (14 were longer)"; '' for all of it unchanged. */
const partText = ({
  fromMs,
  untilMs,
  startAt,
  gapMsMax,
  gapsCapped,
  idleMsMax,
  primed,
  recycles,
  marksSessions,
}: TraceShape): string =>
  [
    ...(isUnknown(fromMs) ? [] : [`from ${timeText(fromMs)}`]),
    ...(isUnknown(untilMs) ? [] : [`until ${timeText(untilMs)}`]),
    ...(isUnknown(startAt)
      ? []
      : [
          `${primed === undefined ? 'each conversation starts' : 'the first conversations start'} at ${percent(startAt.from)} to ${percent(startAt.to)} of it`,
        ]),
    ...(isUnknown(gapMsMax)
      ? []
      : [`pauses of at most ${timeText(gapMsMax)} (${formatCount(gapsCapped)} were longer)`]),
    ...(idleMsMax === undefined ? [] : [`at most ${timeText(idleMsMax)} without a request in flight`]),
    ...(primed === undefined ? [] : [`the cache primed by ${counted(primed, 'request')}`]),
    ...(marksSessions === undefined ? [] : ['a nonce for each session']),
    ...(recycles === undefined ? [] : ['repeated']),
  ].join(', ');

/** Rows of a run of a trace in addition to those of every run; none for other runs. */
export const traceRows = (
  {
    trace,
    sessions,
  }: {
    readonly trace: Reported<TraceShape>;
    readonly sessions: Reported<{ readonly concurrencyOf: string }>;
  },
  issued: number,
): readonly (readonly [name: string, text: string])[] => {
  if (isUnknown(trace)) return [];
  const part = partText(trace);
  const span = isUnknown(trace.spanMs) ? '' : `, recorded over ${timeText(trace.spanMs)}`;
  const skipped = Math.max(0, trace.requests - issued);
  return [
    ['trace', `${speedText(trace)}${span}${part === '' ? '' : `, ${part}`}`],
    // Turns of sessions are counted separately.
    ...(isUnknown(sessions)
      ? [
          [
            'trace requests',
            `${formatCount(trace.requests)} planned: ${formatCount(issued)} issued, ${formatCount(skipped)} skipped`,
          ] as const,
        ]
      : []),
    [
      'trace sharing',
      isUnknown(trace.sharedTokens)
        ? `unknown: ${trace.sharedTokens.reason}`
        : `${percent(trace.inputTokens === 0 ? 0 : trace.sharedTokens / trace.inputTokens)} of the input tokens are in a prefix of an earlier prompt`,
    ],
  ];
};

const timeText = (ms: number): string => figureText(formatMeasuredNanoseconds(ms * 1e6));

const percent = (share: number): string => figureText(formatFinePercent(share));
