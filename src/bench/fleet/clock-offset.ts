// How far an agent's clock is ahead of the coordinator's, from round trips: the reply was stamped at some moment
// between sending and receiving, so half the shortest round trip bounds the error (Cristian 1989). Two such
// measurements, before and after a run, give the drift between them. Offsets align windows; latencies come from one
// clock each and are never mixed.

import { maximumOf } from '../../core/extremes.ts';

export interface RoundTrip {
  /** On the coordinator's clock, ns. */
  readonly sentNs: number;
  readonly receivedNs: number;
  /** On the agent's clock, ns. */
  readonly agentNs: number;
}

export interface ClockOffset {
  /** Middle of the shortest round trip, on the coordinator's clock. */
  readonly atNs: number;
  /** Agent's clock minus the coordinator's then. */
  readonly offsetNs: number;
  /** The true offset is within this distance of it. */
  readonly errorNs: number;
  /** The longest of all round trips: how late a message may be, ns. */
  readonly worstRoundTripNs: number;
}

/** From the shortest round trip. @throws RangeError without any. */
export const clockOffset = (trips: readonly RoundTrip[]): ClockOffset => {
  const [first, ...rest] = trips;
  if (first === undefined) throw new RangeError('no round trip to measure a clock by');
  const best = rest.reduce((least, trip) => (tripNs(trip) < tripNs(least) ? trip : least), first);
  const atNs = (best.sentNs + best.receivedNs) / 2;
  return {
    atNs,
    offsetNs: best.agentNs - atNs,
    errorNs: tripNs(best) / 2,
    worstRoundTripNs: maximumOf(trips.map(tripNs)),
  };
};

/** From the agent's clock to the coordinator's, at any moment of a run. */
export interface ClockLine {
  toCoordinatorNs(agentNs: number): number;
  /** For a time between the two measurements; with one measurement, at its own time. */
  readonly errorNs: number;
  /** How much faster the agent's clock runs: 1e-6 is a millionth. 0 if it was measured once. */
  readonly drift: number;
}

/** Linear between the two; without `after` the first offset applies, and later drift is not known. */
export const clockLine = (before: ClockOffset, after: ClockOffset | undefined): ClockLine => {
  const elapsedNs = after === undefined ? 0 : after.atNs - before.atNs;
  const drift = after === undefined || elapsedNs <= 0 ? 0 : (after.offsetNs - before.offsetNs) / elapsedNs;
  const agentAtNs = before.atNs + before.offsetNs;
  return {
    // agent = coordinator + offset + drift · (coordinator − before), solved for the coordinator.
    toCoordinatorNs: agentNs => before.atNs + (agentNs - agentAtNs) / (1 + drift),
    errorNs: Math.max(before.errorNs, after?.errorNs ?? 0),
    drift,
  };
};

/** Lead time of the common start: long enough that every agent has received it. */
export const startLeadNs = (worstRoundTripNs: number, leastMs: number): number =>
  Math.max(leastMs * 1e6, START_LEAD_ROUND_TRIPS * worstRoundTripNs);

/**
 * Above it an agent's arrivals would be visibly displaced from the schedule of all agents.
 * @param medianGapNs between arrivals of one agent; undefined without a schedule of send times
 */
export const clockErrorNsMax = (medianGapNs: number | undefined): number =>
  Math.min(CLOCK_ERROR_MS_MAX * 1e6, CLOCK_ERROR_GAP_SHARE * (medianGapNs ?? Number.POSITIVE_INFINITY));

const tripNs = ({ sentNs, receivedNs }: RoundTrip): number => receivedNs - sentNs;

export const CLOCK_ROUND_TRIPS = 20;
const START_LEAD_ROUND_TRIPS = 20;
const CLOCK_ERROR_MS_MAX = 50;
const CLOCK_ERROR_GAP_SHARE = 0.1;
