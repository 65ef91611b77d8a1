// What a probe of a socket connection does, in order: round trips, upload, download; each direction with more and more
// streams while that raises the rate, within a budget of bytes and time.

import { counted, formatBytes } from '../../core/figure/figure.ts';
import { noDatagramFigures } from '../../core/link/link-profile.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import { isKnown, isUnknown, knownOr, type Reported, reportedSum, unknown } from '../../core/unknown.ts';
import type { ProbeBudget } from '../link-engine.ts';
import type { LinkMeasurement } from '../probe.ts';
import { STREAMS_MAX } from './control-message.ts';
import { DATAGRAM_BYTES } from './datagram-figures.ts';
import { ProbeError } from './probe-error.ts';
import { type DirectionRun, HOURLY, type ProbeDirection, runMsLeast } from './rate-estimate.ts';
import { roundTripFigures } from './round-trip-figures.ts';
import { type SourceParts, SourceSession } from './source-session.ts';
import { EXCHANGE_WARM_UP, ROUND_TRIP_BYTES, STREAMS_READY } from './stream.ts';

/** `bytesMax`: payload of both directions together; `durationMsMax`: of the whole probe. */
export type LinkBudget = ProbeBudget;

export interface MeasureOptions extends SourceParts {
  readonly budget: LinkBudget;
  readonly roundTrips: number;
  /** Streams that this machine's processor can drive. */
  readonly streamsMax: number;
}

/** Reported while it runs, so that a failure can state its cost. */
type OnBytes = (bytesUsed: number) => void;

/** @throws ProbeError */
export const measureLink = async (options: MeasureOptions, onBytes: OnBytes): Promise<LinkMeasurement> => {
  await options.engine.prepare(STREAMS_READY);
  const session = await SourceSession.open(options);
  try {
    const { budget, clock } = options;
    const endMs = clock.nowMs() + budget.durationMsMax;
    const roundTripsNs = await session.roundTrips({
      count: options.roundTrips,
      durationMsMax: Math.min(ROUND_TRIPS_MS_MAX, budget.durationMsMax * ROUND_TRIPS_SHARE),
    });
    onBytes(session.bytesUsed);
    const figures = roundTripFigures(roundTripsNs);
    const beforeBytes = session.bytesUsed;
    const streamsEndMs = budget.measuresExtras ? endMs - budget.durationMsMax * DATAGRAMS_SHARE : endMs;
    const streamsBytesMax = budget.bytesMax - (budget.measuresExtras ? datagramBytes(budget) : 0);
    const allReduces = budget.measuresExtras ? await allReduceFigures(session, budget) : NO_ALL_REDUCES;
    const allReduceBytes = session.bytesUsed - beforeBytes;
    onBytes(session.bytesUsed);
    const roundTripMs = knownOr(figures.roundTripNsP50, 0) / 1e6;
    const streamsMax = Math.min(STREAMS_MAX, options.streamsMax, session.hello.streamsMax);
    const direction = (name: ProbeDirection, share: number): Promise<MeasuredDirection> =>
      measureDirection(session, name, {
        roundTripMs,
        streamsMax,
        bytesMax: (streamsBytesMax - session.bytesUsed) * share,
        measuresQueue: budget.measuresExtras,
        endMs: clock.nowMs() + (streamsEndMs - clock.nowMs()) * share,
        nowMs: () => clock.nowMs(),
        onRun: () => onBytes(session.bytesUsed),
      });
    const upload = await direction('upload', 1 / 2);
    const download = await direction('download', 1);
    if (upload.best === undefined && download.best === undefined && isUnknown(figures.roundTripNsP50)) {
      throw new ProbeError('timeout', 'nothing could be measured in the given time');
    }
    const streamBytes = session.bytesUsed;
    const datagrams = budget.measuresExtras
      ? await session.datagrams({
          roundTripMs,
          uploadBitsPerSecond: bitsPerSecondOf(upload),
          downloadBitsPerSecond: bitsPerSecondOf(download),
          bytesMax: budget.bytesMax - session.bytesUsed,
          endMs,
        })
      : noDatagramFigures(HOURLY);
    const extrasBytes = allReduceBytes + session.bytesUsed - streamBytes;
    const measurement: LinkMeasurement = {
      ...figures,
      ...allReduces,
      ...datagrams,
      uploadBitsPerSecond: bitsPerSecondOf(upload),
      downloadBitsPerSecond: bitsPerSecondOf(download),
      retransmits: reportedSum([...upload.runs, ...download.runs].map(({ retransmits }) => retransmits)),
      uploadStreams: streamsOf(upload),
      downloadStreams: streamsOf(download),
      uploadQueueNs: queueOf(upload),
      downloadQueueNs: queueOf(download),
      bytesUsed: session.bytesUsed,
      extrasBytes,
      engine: bothOn(options, session, 'socket-ffi') ? 'socket-ffi' : 'socket-event-loop',
      method: methodText({
        roundTrips: knownOr(figures.roundTripCount, 0),
        hasAllReduces: isKnown(allReduces.allReduceNs16Kib),
        datagrams: knownOr(datagrams.uploadDatagrams, 0) + knownOr(datagrams.downloadDatagrams, 0),
        upload: upload.best,
        download: download.best,
        weaknesses: [weakness('this end', options.engine), weakness('the other end', session.hello)],
      }),
    };
    return measurement;
  } finally {
    onBytes(session.bytesUsed);
    session.close();
  }
};

interface MeasuredDirection {
  readonly best: DirectionRun | undefined;
  readonly runs: readonly DirectionRun[];
}

interface DirectionOptions {
  readonly roundTripMs: number;
  readonly streamsMax: number;
  readonly bytesMax: number;
  readonly measuresQueue: boolean;
  /** On the clock of `nowMs`. */
  readonly endMs: number;
  readonly nowMs: () => number;
  readonly onRun: () => void;
}

/** One stream, then two, four, eight: the first that does not raise the rate ends it, and does not count. */
const measureDirection = async (
  session: SourceSession,
  direction: ProbeDirection,
  options: DirectionOptions,
): Promise<MeasuredDirection> => {
  const runs: DirectionRun[] = [];
  let best: DirectionRun | undefined;
  const bytesEnd = session.bytesUsed + options.bytesMax;
  for (let streams = 1; streams <= options.streamsMax; streams *= 2) {
    const bytesLeft = bytesEnd - session.bytesUsed;
    const leftMs = options.endMs - options.nowMs();
    // A rate from so few bytes or so short a time is useless; the first run has no alternative.
    const isWorthwhile =
      best === undefined || (leftMs >= runMsLeast(options.roundTripMs) && bytesLeft >= best.bytes);
    if (!isWorthwhile || bytesLeft < BYTES_LEAST || leftMs <= 0) break;
    const run = await session.bandwidth(direction, {
      streams,
      bytesMax: bytesLeft,
      durationMsMax: Math.min(leftMs, RUN_SETTLE_MS_MAX),
      roundTripMs: options.roundTripMs,
      measuresQueue: options.measuresQueue,
    });
    options.onRun();
    runs.push(run);
    if (best !== undefined && rateOf(run) < rateOf(best) * leastGain(best)) break;
    best = run;
  }
  return { best, runs };
};

/** How much faster more streams must be. A slow link's figure varies more than a fast one's. */
const leastGain = (best: DirectionRun): number => (rateOf(best) < SLOW_BITS_PER_SECOND ? 1.25 : 1.05);

const rateOf = ({ bitsPerSecond }: DirectionRun): number => bitsPerSecond ?? 0;

const bitsPerSecondOf = ({ best }: MeasuredDirection): Reported<number> =>
  best === undefined
    ? unknown('its budget of bytes or time is used up')
    : (best.bitsPerSecond ?? unknown('too little arrived to measure a rate'));

const streamsOf = ({ best }: MeasuredDirection): Reported<number> => {
  const rate = bitsPerSecondOf({ best, runs: [] });
  return best === undefined || isUnknown(rate) ? unknown('not measured') : best.streams;
};

const queueOf = ({ best }: MeasuredDirection): Reported<number> => best?.queueNs ?? unknown('not measured');

const datagramBytes = ({ bytesMax }: ProbeBudget): number => Math.min(DATAGRAMS_BYTES, bytesMax * 0.05);

const bothOn = ({ engine }: MeasureOptions, { hello }: SourceSession, name: string): boolean =>
  engine.name === name && hello.engine === name;

const weakness = (end: string, { reason }: { readonly reason: string }): string | undefined =>
  reason === '' ? undefined : `${end} on the event loop: ${reason}`;

const NO_ALL_REDUCES = { allReduceNs16Kib: HOURLY, allReduceNs1Mib: HOURLY };
/** 200 over a slow overlay would take longer; then there are fewer. */
const ROUND_TRIPS_MS_MAX = 5_000;
const ROUND_TRIPS_SHARE = 0.4;
const RUN_SETTLE_MS_MAX = 5_000;
const BYTES_LEAST = 64 * 1_024;
const SLOW_BITS_PER_SECOND = 20e6;
/** Left for the datagrams: of 20 s, four for a search for the MTU and a second of them, each way. */
const DATAGRAMS_SHARE = 0.2;
const DATAGRAMS_BYTES = 8e6;

interface MethodParts {
  readonly roundTrips: number;
  readonly hasAllReduces: boolean;
  readonly datagrams: number;
  readonly upload: DirectionRun | undefined;
  readonly download: DirectionRun | undefined;
  /** What made it less exact. */
  readonly weaknesses: readonly (string | undefined)[];
}

const methodText = ({
  roundTrips,
  hasAllReduces,
  datagrams,
  upload,
  download,
  weaknesses,
}: MethodParts): string =>
  [
    `TCP payload, timed by the receiver after slow start: up ${runText(upload)}, down ${runText(download)}`,
    `${counted(roundTrips, 'round trip')} of ${ROUND_TRIP_BYTES} bytes on a warm connection`,
    ...(hasAllReduces ? ['all-reduce: both ends send at once'] : []),
    ...(datagrams > 0 ? [`${counted(datagrams, 'UDP datagram')} of ${DATAGRAM_BYTES} bytes, paced`] : []),
    ...weaknesses.flatMap(weakness => weakness ?? []),
  ].join('; ');

/** "0.45 s, 512 MB, 1 stream" */
const runText = (run: DirectionRun | undefined): string => {
  if (run === undefined) return 'not measured';
  const streams = counted(run.streams, 'stream');
  const { figure, unit } = formatBytes(run.bytes);
  return `${(run.elapsedMs / 1_000).toFixed(2)} s, ${figure} ${unit}, ${streams}`;
};

// What tensor parallelism over this connection costs for each all-reduce: two machines exchange their vectors, and each adds the
// other's to its own. The exchange is timed, the addition is not: engines do it on their devices.
type AllReduceFigures = Pick<LinkMeasurement, 'allReduceNs16Kib' | 'allReduceNs1Mib'>;

/** @throws ProbeError */
const allReduceFigures = async (session: SourceSession, budget: ProbeBudget): Promise<AllReduceFigures> => ({
  allReduceNs16Kib: await median(session, budget, { bytes: 16 * 1024, count: 100 }),
  allReduceNs1Mib: await median(session, budget, { bytes: 1024 ** 2, count: 8 }),
});

const median = async (
  session: SourceSession,
  { bytesMax, durationMsMax }: ProbeBudget,
  { bytes, count }: { readonly bytes: number; readonly count: number },
): Promise<Reported<number>> => {
  const most = 2 * (count * bytes + Math.max(EXCHANGE_WARM_UP.bytesMax, EXCHANGE_WARM_UP.countMin * bytes));
  if (most > (bytesMax - session.bytesUsed) * BYTES_SHARE) {
    return unknown('its budget of bytes is too small');
  }
  const timesNs = await session.exchanges({
    bytes,
    count,
    durationMsMax: Math.min(EXCHANGES_MS_MAX, durationMsMax * TIME_SHARE),
  });
  if (timesNs.length < EXCHANGES_MIN) {
    return unknown(`${counted(timesNs.length, 'exchange')} in the time given, fewer than ${EXCHANGES_MIN}`);
  }
  return lowerPercentile(Float64Array.from(timesNs).sort(), 50);
};

/** Share of what is left: bandwidth needs the most. */
const BYTES_SHARE = 1 / 4;
const TIME_SHARE = 0.1;
const EXCHANGES_MS_MAX = 1_500;
const EXCHANGES_MIN = 3;
