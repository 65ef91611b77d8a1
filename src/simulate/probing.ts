// When a simulated node measures what: each subject on its own schedule, spread over its time to live, so now and then
// something is being measured; new subjects are measured one after the other. A pure function of time.

import type { Fact } from '../core/event-kinds.ts';
import type { Connection } from '../core/link/connection.ts';
import { BANDWIDTH, FP16_RATE } from '../core/node/gpu-profile.ts';
import { BASELINE_WINDOW_MS, type ProbeSubject } from '../core/probe/probe-status.ts';
import { DOWNLOAD, ROUND_TRIP, UPLOAD } from '../core/probe/unusual-figures.ts';
import { isKnown } from '../core/unknown.ts';
import { connectionAt, type SimulatedConnection } from './connection.ts';
import { type ContactAt, NEW_CONTACT, OLD_CONTACT } from './contact.ts';
import { deviceId, workingGpus } from './durable-readings.ts';
import { seedOf } from './noise.ts';
import { connectionBefore, siteBefore } from './past-profiles.ts';
import {
  deviceProfiles,
  GPU_TTL_MS,
  linkProfile,
  RDMA_TTL_MS,
  SOCKET_TTL_MS,
  THROTTLED_SHARE,
} from './profile.ts';
import type { Site, SiteAt } from './site.ts';

export interface Probed {
  readonly subject: ProbeSubject;
  /** What is measured, if it is not a device. */
  readonly connection: Connection | undefined;
  readonly ttlMs: number;
  readonly durationMs: number;
  /** Whether it can be measured, and since when. */
  readonly contact: ContactAt;
  /** Of its first probe after the simulation started, ms; for earlier subjects. */
  readonly offsetMs: number;
  /** Of its first probe after it appeared, ms. */
  readonly newcomerOffsetMs: number;
  /** Why it is not measured though it is due; undefined if it is. */
  readonly holdReason: string | undefined;
  /** @param atMs since the simulation began */
  profile(attempt: number, atMs: number): Fact;
  /** Its profile at this time before the simulation started; undefined if it is new. */
  readonly past: ((agoMs: number) => Fact) | undefined;
  /** Its usual figures. */
  readonly baseline: readonly Fact[];
}

/** The state of a subject at one moment. */
interface ProbeMoment {
  /** Of the probe that ended last; below 0 if that was before the simulation started. */
  readonly attempt: number;
  readonly isRunning: boolean;
  /** Since the newest probe ended; undefined if there was none. */
  readonly agoMs: number | undefined;
  readonly nextInMs: number;
}

interface ProbedParts {
  readonly site: Site;
  readonly siteAt: SiteAt;
  readonly connections: readonly SimulatedConnection[];
  readonly seed: number;
}

export const probedBy = (parts: ProbedParts): readonly Probed[] => [
  ...devicesOf(parts),
  ...parts.connections.map(connection => linkOf(connection, parts)),
];

/** Undefined if there is no contact with the subject. */
export const probeAt = (probed: Probed, nowMs: number): ProbeMoment | undefined => {
  const { ttlMs, durationMs, offsetMs, newcomerOffsetMs, holdReason } = probed;
  const contact = probed.contact(nowMs / 1_000);
  if (contact.kind !== 'open') return undefined;
  const { sinceSeconds, lostSeconds } = contact;
  // On hold since its last probe, which was before the simulation.
  if (holdReason !== undefined)
    return { attempt: -1, isRunning: false, agoMs: Math.max(0, nowMs) + ttlMs * 1.4, nextInMs: 0 };
  // What was lost for a short time has its figures back and keeps its schedule.
  const isNew = Number.isFinite(sinceSeconds) && lostSeconds * 1_000 >= ttlMs / 2;
  const sinceFirst = nowMs - (isNew ? sinceSeconds * 1_000 + newcomerOffsetMs : offsetMs);
  const round = Math.floor(sinceFirst / ttlMs);
  const sinceStart = sinceFirst - round * ttlMs;
  const isRunning = sinceStart < durationMs && (round >= 0 || !isNew);
  const ended = isRunning ? round - 1 : round;
  return {
    attempt: isNew ? ended + Math.round(sinceSeconds) : ended,
    isRunning,
    agoMs:
      isNew && ended < 0 ? undefined : isRunning ? sinceStart + ttlMs - durationMs : sinceStart - durationMs,
    nextInMs: ttlMs - sinceStart,
  };
};

const linkOf = (connection: SimulatedConnection, { site, seed }: ProbedParts): Probed => {
  const { sink, key, contact, slowed } = connection;
  const isRdma = connection.connection.kind === 'rdma';
  const ttlMs = isRdma ? RDMA_TTL_MS : SOCKET_TTL_MS;
  const subject = { kind: 'link', sink: sink.nodeId, connectionKey: key } as const;
  const isNew = isUnmeasured(site) || isUnmeasured(sink);
  const reported = (of: SimulatedConnection, attempt: number): Fact => ({
    kind: 'link.profiled',
    payload: linkProfile(of, attempt, seed),
  });
  return {
    subject,
    connection: connection.connection,
    baseline: isNew ? [] : linkBaseline(subject, connection),
    ttlMs,
    durationMs: isRdma ? 4_000 : 2_000,
    contact,
    // Soon after it became slow, so that nobody waits for that.
    offsetMs:
      slowed === undefined
        ? spread(seedOf(seed, `${site.machine.name} ${sink.machine.name} ${key}`), ttlMs)
        : slowed.fromSeconds * 1_000 + SLOWED_PROBE_MS,
    newcomerOffsetMs: NEWCOMER_FIRST_MS + newcomerTurn(site, sink) * NEWCOMER_TURN_MS + (isRdma ? 0 : 1_000),
    holdReason: undefined,
    profile: (attempt, atMs) => reported(connectionAt(connection, atMs / 1_000), attempt),
    past: isNew
      ? undefined
      : agoMs =>
          reported(connectionBefore(connection, { agoMs, seed }), -Math.round(agoMs / PAST_ATTEMPT_MS)),
  };
};

const devicesOf = ({ site, siteAt, seed }: ProbedParts): readonly Probed[] => {
  const { hardware, machine, index } = site;
  const devices =
    hardware.gpus.length === 0
      ? [{ id: 'cpu', at: 0, isThere: () => true }]
      : workingGpus(site).map(({ gpu, at }) => ({
          id: deviceId(gpu, index, at),
          at,
          isThere: (atSeconds: number) => workingGpus(siteAt(atSeconds)).some(working => working.at === at),
        }));
  const isNew = isUnmeasured(site);
  return devices.map(({ id, at, isThere }): Probed => {
    const subject = { kind: 'gpu', deviceId: id } as const;
    const reported = (of: Site, attempt: number): Fact => {
      const payload = deviceProfiles(of, attempt, seed)[at];
      if (payload === undefined) throw new RangeError(`${machine.name} has no device ${at}`);
      return { kind: 'gpu.profiled', payload };
    };
    const profile = (attempt: number): Fact => reported(site, attempt);
    return {
      subject,
      connection: undefined,
      baseline: deviceBaseline(subject, site, at, profile(-1)),
      ttlMs: GPU_TTL_MS,
      durationMs: isNew ? 20_000 : 9_000,
      contact: atSeconds => (!isThere(atSeconds) ? { kind: 'absent' } : isNew ? NEW_CONTACT : OLD_CONTACT),
      offsetMs: spread(seedOf(seed, `${machine.name} device ${at}`), GPU_TTL_MS),
      newcomerOffsetMs: 0,
      holdReason:
        machine.quirks?.servesModel === true
          ? `a server on ${machine.name} has requests in flight`
          : undefined,
      profile,
      past: isNew
        ? undefined
        : agoMs => reported(siteBefore(site, agoMs), -Math.round(agoMs / PAST_ATTEMPT_MS)),
    };
  });
};

const isUnmeasured = ({ machine }: Site): boolean => machine.quirks?.isUnmeasured === true;

const spread = (seed: number, ttlMs: number): number => FIRST_MS + (seed % (ttlMs - FIRST_MS));

/** One bandwidth probe at a time on the interface of the newcomer: its peers in their order, both ways in turn. */
const newcomerTurn = (source: Site, sink: Site): number =>
  2 * Math.min(source.index, sink.index) + (source.index < sink.index ? 0 : 1);

const SLOWED_PROBE_MS = 8_000;
/** Nothing is measured again in the first moments: the map fills first. */
const FIRST_MS = 15_000;
const NEWCOMER_FIRST_MS = 3_000;
const NEWCOMER_TURN_MS = 2_000;
/** Past measurements have separate numbers: one per hour. */
const PAST_ATTEMPT_MS = 3_600_000;

// The rates of a simulated connection or device last week: the same as now, unless something has become worse since.

/** None if nothing was ever measured. */
const linkBaseline = (subject: ProbeSubject, connection: SimulatedConnection): readonly Fact[] => {
  const { failure, usualBitsPerSecond: usual = 0, upload, download, roundTripNs } = connection;
  if (failure !== undefined) return [];
  return [
    reported(subject, {
      [UPLOAD]: Math.round(Math.max(usual, upload)),
      [DOWNLOAD]: Math.round(Math.max(usual, download)),
      [ROUND_TRIP]: roundTripNs,
    }),
  ];
};

/** `profile`: the newest; `at`: the machine's device that it belongs to. */
const deviceBaseline = (
  subject: ProbeSubject,
  { machine }: Site,
  at: number,
  profile: Fact,
): readonly Fact[] => {
  if (profile.kind !== 'gpu.profiled' || machine.quirks?.isUnmeasured === true) return [];
  const share = machine.quirks?.throttledGpu === at ? THROTTLED_SHARE : 1;
  const medians = [FP16_RATE, BANDWIDTH].flatMap(({ figure }) => {
    const value = profile.payload[figure];
    return isKnown(value) ? [[figure, Math.round(figure === FP16_RATE.figure ? value / share : value)]] : [];
  });
  return [reported(subject, Object.fromEntries(medians))];
};

const reported = (subject: ProbeSubject, medians: Readonly<Record<string, number>>): Fact => ({
  kind: 'baseline.reported',
  payload: { subject, windowMs: BASELINE_WINDOW_MS, spanMs: BASELINE_WINDOW_MS, count: COUNT, medians },
});

/** Measurements that the medians are of. */
const COUNT = 96;
