// Whether the client can be trusted: did it send on time, did it read when the bytes arrived, did it have the
// processor it needed. If the kernel takes the timestamps, only the first matters: a late read changes no figure, a late send
// changes the load. Every threshold is here with its reason; each one that is exceeded gives one sentence.

import { measuredTimeText } from '../core/figure/duration.ts';
import { counted } from '../core/figure/figure.ts';
import { type ArrivalStamps, isByKernel } from '../core/run/arrival-stamps.ts';
import type { LatenessFigures, ReportClient } from '../core/run/report.ts';
import { isOpenLoop, type RunPattern } from '../core/run/run-pattern.ts';
import { earlyStoppingRank } from '../core/statistics/early-stopping.ts';
import { isUnknown, type Reported, type Unknown } from '../core/unknown.ts';

export interface ClientEvidence {
  readonly pattern: RunPattern;
  readonly stamps: Reported<ArrivalStamps>;
  readonly sendLatenessNs: LatenessFigures | Unknown;
  readonly readLatenessNs: LatenessFigures | Unknown;
  /** For every due heartbeat of all load threads. */
  readonly beatLatenessNs: LatenessFigures | Unknown;
  /** Shares of the time. */
  readonly throttledShare: number | Unknown;
  readonly pressureShare: number | Unknown;
  readonly stolenShare: number | Unknown;
  readonly eventLoopUtilization: number | Unknown;
  readonly cpuShare: number | Unknown;
  readonly gcPauseNs: { readonly total: number; readonly max: number } | Unknown;
  /** Of the thread that was observed longest, and of the one that was starved longest. */
  readonly observedNs: number;
  readonly starvedNs: number;
  /** Of all parse threads together. */
  readonly parsePausedNs: number;
  /** Median of what the run measures: TTFT where streamed, else latency. */
  readonly measuredNsP50: number | Unknown;
  /** Event records that were lost, undecodable or contradictory. */
  readonly lostRecords: number;
  readonly inconsistentSamples: number;
  /** No free connection, no room for a reply, a lost thread: not caused by the server. */
  readonly samplesFailedByClient: number;
  /**
   * false: no measured request completed, and requests failed, including those of the warm-up, or were cancelled
   * after --grace: the client could change no figure.
   */
  readonly hasFigures: boolean;
  /** Requests whose lateness is known. */
  readonly sent: number;
  /** Closed loop: share of the users' time that they waited for this client between a reply and their next request. */
  readonly waitedShare: number | Unknown;
}

type ClientVerdict = Pick<ReportClient, 'verdict' | 'reasons' | 'starved'>;

export const clientVerdict = (evidence: ClientEvidence): ClientVerdict => {
  const starved =
    !isByKernel(evidence.stamps) &&
    evidence.observedNs > 0 &&
    evidence.starvedNs > STARVED_PART_MAX * evidence.observedNs;
  const reasons = [...lossReasons(evidence), ...(evidence.hasFigures ? slowReasons(evidence, starved) : [])];
  if (reasons.length > 0) return { verdict: 'client-bound', reasons, starved };
  if (evidence.observedNs === 0) {
    return { verdict: 'unknown', reasons: ['the client left no measurements of itself'], starved };
  }
  return { verdict: 'trustworthy', reasons: [], starved };
};

const slowReasons = (evidence: ClientEvidence, starved: boolean): readonly string[] =>
  isByKernel(evidence.stamps)
    ? [...lateSendReasons(evidence), ...waitedReasons(evidence), ...stolenReasons(evidence)]
    : lateReaderReasons(evidence, starved);

/** Of a client whose timestamps wait for its own threads. */
const lateReaderReasons = (evidence: ClientEvidence, starved: boolean): readonly string[] => [
  ...(starved ? [starvedReason(evidence)] : []),
  ...pauseReasons(evidence),
  ...hostReasons(evidence),
  ...lateSendReasons(evidence),
  ...lateReadReasons(evidence),
  ...saturationReasons(evidence),
  ...collectionReasons(evidence),
];

const lossReasons = ({
  lostRecords,
  inconsistentSamples,
  samplesFailedByClient,
}: ClientEvidence): readonly string[] => [
  ...(lostRecords > 0 ? [`${lostRecords} event records were lost on the way to the metrics`] : []),
  ...(samplesFailedByClient > 0
    ? [`${counted(samplesFailedByClient, 'request')} failed because of the client itself`]
    : []),
  ...(inconsistentSamples > 0 ? [`${counted(inconsistentSamples, 'request')} had contradictory stamps`] : []),
];

const starvedReason = ({ starvedNs, observedNs, eventLoopUtilization, cpuShare }: ClientEvidence): string =>
  `a load thread waited ${percent(starvedNs / observedNs)} of the time for a processor` +
  (isUnknown(eventLoopUtilization) || isUnknown(cpuShare)
    ? ''
    : ` (busy for ${percent(eventLoopUtilization)}, on a core for ${percent(cpuShare)})`);

/**
 * In closed loop there is no other sign that the client was stopped: bytes that arrived meanwhile were stamped
 * afterwards.
 */
const pauseReasons = ({
  beatLatenessNs,
  measuredNsP50,
  parsePausedNs,
  observedNs,
  ...host
}: ClientEvidence): readonly string[] => {
  const limitNs = lateLimitNs(BEAT_LATENESS_NS_MIN, measuredNsP50, LATE_TAIL_PART_MAX);
  const isLate = !isUnknown(beatLatenessNs) && beatLatenessNs.p99 > limitNs;
  return [
    ...(isLate
      ? [
          `the client was stalled: at 1 of 100 moments it was ${measuredTimeText(beatLatenessNs.p99)} late or more (longest ${measuredTimeText(beatLatenessNs.max)}), over ${measuredTimeText(limitNs)}${causeOf(host)}`,
        ]
      : []),
    ...(observedNs > 0 && parsePausedNs > PARSE_PAUSED_PART_MAX * observedNs
      ? [`parsing was stalled for ${percent(parsePausedNs / observedNs)} of the time`]
      : []),
  ];
};

/** Pressure alone is no evidence: it shows that something on the machine waited, not that this client did. */
const causeOf = ({
  stamps,
  throttledShare,
  stolenShare,
  pressureShare,
}: Pick<ClientEvidence, 'stamps' | 'throttledShare' | 'stolenShare' | 'pressureShare'>): string => {
  const seen = [
    {
      share: throttledShare,
      most: isByKernel(stamps) ? 1 : THROTTLED_PART_MAX,
      text: 'a quota throttled the client',
    },
    { share: stolenShare, most: STOLEN_PART_MAX, text: 'the hypervisor took processors' },
    { share: pressureShare, most: 1, text: 'tasks of this machine waited for a processor' },
  ].flatMap(({ share, most, text }) =>
    // A decisive reason has its own sentence.
    isUnknown(share) || share < CAUSE_PART_MIN || share > most
      ? []
      : [`${text} for ${percent(share)} of the time`],
  );
  return seen.length === 0 ? '' : `; ${seen.join(', ')}`;
};

const hostReasons = (evidence: ClientEvidence): readonly string[] => {
  const { throttledShare } = evidence;
  return [
    ...(isUnknown(throttledShare) || throttledShare <= THROTTLED_PART_MAX
      ? []
      : [`a processor quota throttled the client for ${percent(throttledShare)} of the time`]),
    ...stolenReasons(evidence),
  ];
};

/** The kernel itself does not run meanwhile, so that its timestamps are late, too. */
const stolenReasons = ({ stolenShare }: ClientEvidence): readonly string[] =>
  isUnknown(stolenShare) || stolenShare <= STOLEN_PART_MAX
    ? []
    : [`the hypervisor took ${percent(stolenShare)} of the processors for others`];

const waitedReasons = ({ pattern, waitedShare, ...host }: ClientEvidence): readonly string[] =>
  isOpenLoop(pattern) || isUnknown(waitedShare) || waitedShare <= LATE_PART_MAX
    ? []
    : [
        `users waited ${percent(waitedShare)} of their time for this client before they sent again, over ${percent(LATE_PART_MAX)}: it loaded less than was requested${causeOf(host)}`,
      ];

const lateSendReasons = ({
  pattern,
  sendLatenessNs,
  measuredNsP50,
  sent,
}: ClientEvidence): readonly string[] => {
  if (!isOpenLoop(pattern) || isUnknown(sendLatenessNs)) return [];
  const limitNs = lateLimitNs(SEND_LATENESS_NS_MIN, measuredNsP50);
  if (sendLatenessNs.p99 <= limitNs) return [];
  // For few values there is a value at that rank and no percentile, as in the table.
  if (sent > 0 && earlyStoppingRank(sent, 99) === 0)
    return [
      `${sent - Math.floor(0.99 * (sent - 1))} of ${counted(sent, 'request')} were sent ${measuredTimeText(sendLatenessNs.p99)} or more after their time, over ${measuredTimeText(limitNs)}`,
    ];
  return [
    `requests were sent late: p99 ${measuredTimeText(sendLatenessNs.p99)} after their time, more than ${measuredTimeText(limitNs)}`,
  ];
};

const lateReadReasons = ({ readLatenessNs, measuredNsP50 }: ClientEvidence): readonly string[] => {
  if (isUnknown(readLatenessNs)) return [];
  const limitNs = lateLimitNs(READ_LATENESS_NS_MIN, measuredNsP50);
  if (readLatenessNs.p50 > limitNs)
    return [
      `replies were read late: by ${measuredTimeText(readLatenessNs.p50)} or more in half of all intervals, over ${measuredTimeText(limitNs)}`,
    ];
  const tailLimitNs = lateLimitNs(READ_LATENESS_NS_MIN, measuredNsP50, LATE_TAIL_PART_MAX);
  return readLatenessNs.p99 <= tailLimitNs
    ? []
    : [
        `replies were read late: in 1 of 100 intervals by ${measuredTimeText(readLatenessNs.p99)} or more, over ${measuredTimeText(tailLimitNs)}`,
      ];
};

/** In open loop a thread also spins while it waits for a time to send: being busy means nothing there. */
const saturationReasons = ({ pattern, eventLoopUtilization }: ClientEvidence): readonly string[] =>
  isOpenLoop(pattern) || isUnknown(eventLoopUtilization) || eventLoopUtilization <= UTILIZATION_MAX
    ? []
    : [`a load thread was busy ${percent(eventLoopUtilization)} of the time: the client itself is the limit`];

const collectionReasons = ({ gcPauseNs, observedNs }: ClientEvidence): readonly string[] =>
  isUnknown(gcPauseNs) || observedNs === 0 || gcPauseNs.total <= COLLECTION_PART_MAX * observedNs
    ? []
    : [`garbage collection paused the client ${percent(gcPauseNs.total / observedNs)} of the time`];

const lateLimitNs = (
  leastNs: number,
  measuredNsP50: number | Unknown,
  part: number = LATE_PART_MAX,
): number => (isUnknown(measuredNsP50) ? leastNs : Math.max(leastNs, part * measuredNsP50));

const percent = (part: number): string => `${(part * 100).toFixed(0)}%`;

/** Occasional waiting is normal on a shared machine; a tenth of the time affects every percentile. */
const STARVED_PART_MAX = 0.1;
/** Measurements are off by no more than this part, so that two digits of a figure are correct. */
const LATE_PART_MAX = 0.05;
/**
 * For the tail: an interval's greatest lateness is one of many reads, yet "within 35 ms" is not acceptable for 84 ms.
 */
const LATE_TAIL_PART_MAX = 0.1;
/** A timer's own grain is 1 ms, and a slice of another program's time 3 to 4 ms. */
const BEAT_LATENESS_NS_MIN = 5_000_000;
const PARSE_PAUSED_PART_MAX = 0.05;
/** In a period of 100 ms that is used up, all that comes in its rest is late: a twentieth of the time bends p95. */
export const THROTTLED_PART_MAX = 0.05;
const STOLEN_PART_MAX = 0.1;
/** A smaller part would not be called the cause. */
const CAUSE_PART_MIN = 0.02;
/** DESIGN §8 limits the pacing error to 0.6 ms at p99; lateness under 1 ms is the system's own. */
const SEND_LATENESS_NS_MIN = 1_000_000;
/** Of the greatest lateness in each interval: one late turn of a busy loop is 1 to 3 ms (DESIGN §8, TTFT error). */
const READ_LATENESS_NS_MIN = 5_000_000;
/** A thread at 0.83 was measured to stamp within 1.2 ms; past 0.85 queues form. */
const UTILIZATION_MAX = 0.85;
/** The hot path makes next to no garbage (0.1% was measured). */
const COLLECTION_PART_MAX = 0.05;
