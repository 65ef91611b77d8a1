// When a simulated node measures what: each subject in its own rhythm, spread over its time to live, so that now and then
// something is being measured. A pure function of time.

import type { Fact } from '../core/event.ts';
import type { ProbeSubject } from '../core/probe/probe-status.ts';
import { deviceBaseline, linkBaseline } from './baseline.ts';
import type { SimulatedConnection } from './connection.ts';
import { deviceId } from './durable-readings.ts';
import { seedOf } from './noise.ts';
import { deviceProfiles, GPU_TTL_MS, linkProfile, RDMA_TTL_MS, SOCKET_TTL_MS } from './profile.ts';
import type { Site } from './site.ts';

export interface Probed {
  readonly subject: ProbeSubject;
  readonly ttlMs: number;
  readonly durationMs: number;
  /** Of its first probe after the simulation began, ms. */
  readonly offsetMs: number;
  /** It was never measured before the simulation began. */
  readonly isNew: boolean;
  /** Why it is not measured though it is due; undefined where it is. */
  readonly holdReason: string | undefined;
  profile(attempt: number): Fact;
  /** What it usually comes to. */
  readonly baseline: readonly Fact[];
}

/** Where a subject stands at a moment. */
export interface ProbeMoment {
  /** Of the probe that ended last; below 0 where that was before the simulation began. */
  readonly attempt: number;
  readonly isRunning: boolean;
  /** Since the newest probe ended; undefined where there was none. */
  readonly agoMs: number | undefined;
  readonly nextInMs: number;
}

export const probedBy = (
  site: Site,
  connections: readonly SimulatedConnection[],
  seed: number,
): readonly Probed[] => [
  ...devicesOf(site, seed),
  ...connections.map((connection): Probed => {
    const isRdma = connection.connection.kind === 'rdma';
    const ttlMs = isRdma ? RDMA_TTL_MS : SOCKET_TTL_MS;
    const subject = { kind: 'link', sink: connection.sink.nodeId, connectionKey: connection.key } as const;
    return {
      subject,
      baseline: linkBaseline(subject, connection),
      ttlMs,
      durationMs: isRdma ? 4_000 : 2_000,
      offsetMs:
        FIRST_MS +
        (seedOf(seed, `${site.machine.name} ${connection.sink.machine.name} ${connection.key}`) %
          (ttlMs - FIRST_MS)),
      isNew: false,
      holdReason: undefined,
      profile: attempt => ({ kind: 'link.profiled', payload: linkProfile(connection, attempt, seed) }),
    };
  }),
];

export const probeAt = (probed: Probed, nowMs: number): ProbeMoment => {
  const { ttlMs, durationMs, offsetMs, isNew, holdReason } = probed;
  // Held back since its last probe, which lies before the simulation.
  if (holdReason !== undefined)
    return { attempt: -1, isRunning: false, agoMs: nowMs + ttlMs * 1.4, nextInMs: 0 };
  const sinceFirst = nowMs - offsetMs;
  const round = Math.floor(sinceFirst / ttlMs);
  const sinceStart = sinceFirst - round * ttlMs;
  const isRunning = sinceStart < durationMs && (round >= 0 || !isNew);
  const ended = isRunning ? round - 1 : round;
  return {
    attempt: ended,
    isRunning,
    agoMs:
      isNew && ended < 0 ? undefined : isRunning ? sinceStart + ttlMs - durationMs : sinceStart - durationMs,
    nextInMs: ttlMs - sinceStart,
  };
};

const devicesOf = (site: Site, seed: number): readonly Probed[] => {
  const { hardware, machine, index } = site;
  const ids = hardware.gpus.length === 0 ? ['cpu'] : hardware.gpus.map((gpu, at) => deviceId(gpu, index, at));
  const isNew = machine.quirks?.isUnmeasured === true;
  return ids.map((id, at): Probed => {
    const subject = { kind: 'gpu', deviceId: id } as const;
    const profile = (attempt: number): Fact => {
      const payload = deviceProfiles(site, attempt, seed)[at];
      if (payload === undefined) throw new RangeError(`${machine.name} has no device ${at}`);
      return { kind: 'gpu.profiled', payload };
    };
    return {
      subject,
      baseline: deviceBaseline(subject, site, at, profile(-1)),
      ttlMs: GPU_TTL_MS,
      durationMs: isNew ? 20_000 : 9_000,
      offsetMs: isNew
        ? 0
        : FIRST_MS + (seedOf(seed, `${machine.name} device ${at}`) % (GPU_TTL_MS - FIRST_MS)),
      isNew,
      holdReason:
        machine.quirks?.servesModel === true
          ? `a server on ${machine.name} has requests in flight`
          : undefined,
      profile,
    };
  });
};

/** Nothing is measured again in the first moments: the picture fills first. */
const FIRST_MS = 15_000;
