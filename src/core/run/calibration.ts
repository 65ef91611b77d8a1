// The resolution of this machine's client, as `plimsoll calibrate` measured it against a server that reports
// when it wrote what. Stored in the home, cited by later runs, and stale when the machine has changed.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { measuredTimeText } from '../figure/duration.ts';
import { counted, formatCount } from '../figure/figure.ts';
import { count, figure, type Infer, openObject, reported, text } from '../schema.ts';
import { inColumns } from '../text/columns.ts';
import { isKnown, isUnknown, type Reported, type Unknown } from '../unknown.ts';
import { arrivalStampsSchema, isByKernel, stampsText } from './arrival-stamps.ts';

export const CALIBRATION_SCHEMA = 'plimsoll.calibration/1';

const error = openObject({ p50: figure, p99: figure });

export const calibrationSchema = openObject({
  schema: v.literal(CALIBRATION_SCHEMA),
  /** ISO 8601, wall clock. */
  madeAt: text,
  machine: openObject({
    kernel: text,
    node: text,
    cpu: text,
    cores: count,
    governor: reported(text),
    load: reported(figure),
  }),
  /** 'loopback', or the address of a mock on another machine. */
  target: text,
  /** Who took the timestamps of replies on loopback. */
  stamps: reported(arrivalStampsSchema),
  /** For a mock on another machine: the error of its clock, and the shortest round trip. */
  clock: v.nullable(openObject({ errorNs: figure, roundTripNs: figure })),
  streams: v.pipe(
    v.array(
      openObject({
        streams: count,
        chunksPerSecond: figure,
        ttftErrorNs: error,
        gapErrorNs: error,
        networkNs: reported(error),
        boundNs: reported(figure),
      }),
    ),
    v.maxLength(64),
  ),
  rates: v.pipe(
    v.array(openObject({ requestsPerSecond: figure, achievedPerSecond: figure, sendLatenessNs: error })),
    v.maxLength(64),
  ),
});

export type Calibration = Infer<typeof calibrationSchema>;

export type CalibratedMachine = {
  readonly kernel: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly governor: string | Unknown;
  /** Load average of one minute. */
  readonly load: number | Unknown;
};

export type CalibrationClock = { readonly errorNs: number; readonly roundTripNs: number };

export type StreamStep = {
  readonly streams: number;
  /** Content chunks per second, over all streams. */
  readonly chunksPerSecond: number;
  readonly ttftErrorNs: CalibratedError;
  /** |measured − true| of each gap. */
  readonly gapErrorNs: CalibratedError;
  /**
   * For a mock on another machine: how much later TTFT is read than for the same load on loopback, including
   * the clock's error.
   */
  readonly networkNs: Reported<CalibratedError>;
  /** What the report of this run claims for TTFT p50; unknown if it claims nothing. */
  readonly boundNs: number | Unknown;
};

export type RateStep = {
  readonly requestsPerSecond: number;
  readonly achievedPerSecond: number;
  readonly sendLatenessNs: CalibratedError;
};

export type CalibratedError = { readonly p50: number; readonly p99: number };

/**
 * The most streams, and the highest rate that was also reached, within an error at p99; 0: none of those
 * tried.
 */
export const resolvedWithin = (
  { streams, rates }: Pick<Calibration, 'streams' | 'rates'>,
  errorNs: number,
): { readonly streams: number; readonly requestsPerSecond: number } => ({
  streams: maximumOf([
    0,
    ...streams
      .filter(each => Math.max(each.ttftErrorNs.p99, each.gapErrorNs.p99) <= errorNs)
      .map(each => each.streams),
  ]),
  requestsPerSecond: maximumOf([
    0,
    ...rates
      .filter(
        each =>
          each.sendLatenessNs.p99 <= errorNs &&
          each.achievedPerSecond >= RATE_PART_MIN * each.requestsPerSecond,
      )
      .map(each => each.requestsPerSecond),
  ]),
});

/** Why it does not apply to this machine as it is now; empty if it does. */
export const staleBecause = (
  { machine }: Pick<Calibration, 'machine'>,
  now: CalibratedMachine,
): readonly string[] => [
  ...(['kernel', 'node', 'cpu'] as const)
    .filter(key => machine[key] !== now[key])
    .map(key => `${NAMES[key]} was ${machine[key]} and is ${now[key]}`),
  ...(machine.cores === now.cores
    ? []
    : [`it had ${counted(machine.cores, 'processor')} and has ${now.cores}`]),
  ...(isKnown(machine.governor) && isKnown(now.governor) && machine.governor !== now.governor
    ? [`the frequency governor was ${machine.governor} and is ${now.governor}`]
    : []),
  ...(isKnown(machine.load) &&
  isKnown(now.load) &&
  Math.abs(now.load - machine.load) > LOAD_PART_MAX * now.cores
    ? [`the load was ${machine.load.toFixed(1)} and is ${now.load.toFixed(1)}`]
    : []),
];

/** One sentence for the notices of a run. */
export const calibrationNotice = (calibration: Calibration, now: CalibratedMachine): string => {
  const day = calibration.madeAt.slice(0, 10);
  const stale = staleBecause(calibration, now);
  if (stale.length > 0)
    return `the calibration of ${day} is stale: ${stale.join(', ')}; plimsoll calibrate makes a new one`;
  const { streams, requestsPerSecond } = resolvedWithin(calibration, CITED_NS);
  const by = isByKernel(calibration.stamps) ? ' with timestamps by the kernel' : '';
  return `calibrated on ${day}${by}: within 1 ms at p99 up to ${counted(streams, 'stream')} and ${formatCount(requestsPerSecond)} requests/s`;
};

export const calibrationLines = (calibration: Calibration): readonly string[] => {
  const { streams, rates, clock, machine, target, stamps } = calibration;
  return [
    `Client on ${machine.cpu}, ${counted(machine.cores, 'core')}, ${machine.kernel}, Node ${machine.node}`,
    `governor ${isUnknown(machine.governor) ? `unknown: ${machine.governor.reason}` : machine.governor}, load ${isUnknown(machine.load) ? 'unknown' : machine.load.toFixed(1)}, against ${target}, timestamps of replies ${stampsText(stamps)}`,
    ...(clock === null
      ? []
      : [
          `Errors are of the same load on loopback; the network is what the target adds to them, with a clock error of ±${measuredTimeText(clock.errorNs)} (shortest round trip ${measuredTimeText(clock.roundTripNs)}).`,
        ]),
    '',
    ...inColumns(
      [
        [
          'streams',
          'chunks/s',
          'TTFT error p50',
          'p99',
          'gap error p50',
          'p99',
          'own bound, TTFT p50',
          ...(clock === null ? [] : ['network p50', 'p99']),
        ],
        ...streams.map(each => [
          formatCount(each.streams),
          formatCount(Math.round(each.chunksPerSecond)),
          measuredTimeText(each.ttftErrorNs.p50),
          measuredTimeText(each.ttftErrorNs.p99),
          measuredTimeText(each.gapErrorNs.p50),
          measuredTimeText(each.gapErrorNs.p99),
          isUnknown(each.boundNs) ? '–' : measuredTimeText(each.boundNs),
          ...(clock === null ? [] : networkCells(each.networkNs)),
        ]),
      ],
      { hasFigures: true },
    ),
    '',
    ...inColumns(
      [
        ['requests/s', 'reached', 'sent late p50', 'p99'],
        ...rates.map(each => [
          formatCount(each.requestsPerSecond),
          formatCount(Math.round(each.achievedPerSecond)),
          measuredTimeText(each.sendLatenessNs.p50),
          measuredTimeText(each.sendLatenessNs.p99),
        ]),
      ],
      { hasFigures: true },
    ),
    '',
    ...ERRORS_NS.map(errorNs => {
      const within = resolvedWithin(calibration, errorNs);
      return `within ${measuredTimeText(errorNs)} at p99: up to ${counted(within.streams, 'stream')}, ${formatCount(within.requestsPerSecond)} requests/s`;
    }),
  ];
};

const networkCells = (network: StreamStep['networkNs']): readonly string[] =>
  isUnknown(network) ? ['–', '–'] : [measuredTimeText(network.p50), measuredTimeText(network.p99)];

const NAMES = { kernel: 'the kernel', node: 'Node', cpu: 'the processor' } as const;
const ERRORS_NS: readonly number[] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
/** The limit that runs cite. */
const CITED_NS = 1_000_000;
/** The lateness at a rate that was not reached is meaningless. */
const RATE_PART_MIN = 0.95;
/** Share of the processors: this much more or less other load counts as another machine. */
const LOAD_PART_MAX = 0.5;
