// Makes one attempt at a probe and records its outcome. It first reports what prevents it, and stops a probe if a
// runner starts in the middle of it.

import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { activityOn, benchmarkOn } from '../../core/probe/activity.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { DeviceLock } from '../device-lock.ts';
import type { ProbeCause } from '../lease/lease-message.ts';
import { type AttemptEnding, attemptLink, type LinkAttemptParts } from '../lease/link-attempt.ts';
import { failedProbe } from '../link-outcome.ts';
import {
  type DeviceMeasurement,
  type LinkMeasurement,
  type ProbeDeviceNow,
  type ProbeOutcome,
  withDeadline,
} from '../probe.ts';
import { failureIntervalMs, refusalWaitMs } from '../schedule/backoff.ts';
import { ANY_PORT, portText, sourcePorts } from '../schedule/link-ports.ts';
import { linkIntervalMs, type PortLoads, routineSpendingOf, spendingOf } from '../schedule/probe-interval.ts';
import { budgetOf, DEADLINE_MS, LINK_PROBES_MAX, type ProbeSettings } from '../schedule/probe-settings.ts';
import type { WantedDevice, WantedLink, WantedProbe } from '../schedule/wanted-probes.ts';
import { deviceFact, extrasDueInMs, linkFact } from './profile-facts.ts';
import { ACTIVITY_RETRY_MS, unlessActive } from './unless-active.ts';

export interface ProbeRunnerParts extends LinkAttemptParts {
  readonly settings: () => ProbeSettings;
  readonly record: (fact: Fact) => void;
  readonly probeDevice: ProbeDeviceNow;
  /** Locks this machine against other processes that measure its devices. */
  readonly lockDevices: (what: string) => DeviceLock;
}

interface ProbeAttempt {
  readonly why: ProbeCause;
  readonly signal: AbortSignal;
  readonly loads: PortLoads;
  /** Called when nothing prevents the probe any more. */
  readonly onMeasuring: (expectedMs: number) => void;
}

interface Blocker {
  readonly reason: string;
  readonly retryInMs: number;
}

export class ProbeRunner {
  readonly #parts: ProbeRunnerParts;
  readonly #tookMs = new Map<string, number>();
  #deviceEndedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ProbeRunnerParts) {
    this.#parts = parts;
  }

  blocker(want: WantedProbe, why: ProbeCause): Blocker | undefined {
    const { self, locks, ledger, state } = this.#parts;
    const activity = this.#activity(want, why);
    if (activity !== undefined) return { reason: activity, retryInMs: ACTIVITY_RETRY_MS };
    if (want.kind === 'gpu') return this.#pause();
    const ports = sourcePorts(state(), self, want.connection);
    if (locks.count >= LINK_PROBES_MAX) return this.#soon('the maximum number of probes is running');
    const blocker = locks.blocker(ports);
    if (blocker !== undefined) return this.#soon(blocker);
    // The budget limits only automatic repeats.
    const waitMs = why === 'due' ? ledger.waitMs(ports) : 0;
    if (waitMs > 0) return { reason: `the budget of ${portText(ports)} is spent`, retryInMs: waitMs };
    return undefined;
  }

  /** @throws only the signal's reason, when it aborts */
  async run(want: WantedProbe, attempt: ProbeAttempt): Promise<{ readonly kind: 'ended' } | Postponed> {
    return want.kind === 'gpu' ? await this.#runDevice(want, attempt) : await this.#runLink(want, attempt);
  }

  async #runDevice(
    want: WantedDevice,
    attempt: ProbeAttempt,
  ): Promise<{ readonly kind: 'ended' } | Postponed> {
    const { self, clock, locks, lockDevices, log, probeDevice, record, settings, state } = this.#parts;
    const { device, subject } = want;
    using lock = locks.takeAll(device.deviceName);
    if (lock === undefined)
      return { kind: 'postponed', ...this.#soon(`${locks.busyWith} is being measured`) };
    const machine = lockDevices(device.deviceName);
    if (machine.kind === 'busy')
      return { kind: 'postponed', reason: machine.reason, retryInMs: ACTIVITY_RETRY_MS };
    using _machine = machine.kind === 'held' ? machine.lock : undefined;
    attempt.onMeasuring(this.#tookMs.get(want.kind) ?? EXPECTED_MS.gpu);
    const startedAtMs = clock.nowMs();
    const entry = {
      role: 'device',
      probe: 'gpu',
      node: self,
      what: device.deviceId,
      ports: [ANY_PORT],
    } as const;
    log({ ...entry, kind: 'started', atMs: startedAtMs });
    try {
      const ending = await this.#whileIdle<DeviceMeasurement>(want, attempt, limit =>
        probeDevice(device, limit),
      );
      if (ending.kind === 'postponed') return ending;
      const { outcome } = ending;
      this.#tookMs.set(want.kind, clock.nowMs() - startedAtMs);
      const last = state().nodeGpuProfiles[self]?.[subject.deviceId];
      const intervalMs = this.#intervalMs(attempt, outcome, last?.value, settings().gpuTtlMs);
      record(deviceFact(want, { outcome, last, intervalMs, nowMs: clock.nowMs() }));
      return { kind: 'ended' };
    } finally {
      this.#deviceEndedAtMs = clock.nowMs();
      log({ ...entry, kind: 'ended', atMs: this.#deviceEndedAtMs });
    }
  }

  async #runLink(want: WantedLink, attempt: ProbeAttempt): Promise<{ readonly kind: 'ended' } | Postponed> {
    const { self, clock, record, settings, state } = this.#parts;
    const { connectionKey, sink } = want.subject;
    let startedAtMs: number | undefined;
    const measuresExtras = attempt.why === 'by-hand' || extrasDueInMs(want, clock.nowMs()) <= 0;
    const work = (until: AbortSignal): Promise<AttemptEnding<LinkMeasurement>> =>
      attemptLink(this.#parts, want, {
        why: attempt.why,
        signal: until,
        work: (engine, request) =>
          engine.measure({ ...request, budget: { ...budgetOf(want.connection), measuresExtras } }),
        spendingOf,
        onMeasuring: () => {
          startedAtMs = clock.nowMs();
          attempt.onMeasuring(this.#tookMs.get(want.kind) ?? EXPECTED_MS[want.kind]);
        },
      });
    // The attempt has its own deadline: its requests to the sink come on top.
    const ending = await this.#unlessActive(want, attempt, work);
    if (ending.kind === 'postponed') return ending;
    if (startedAtMs !== undefined) this.#tookMs.set(want.kind, clock.nowMs() - startedAtMs);
    const { outcome } = ending;
    // A connection closed meanwhile has left the state, and a profile would bring it back.
    const connections = state().connections[self]?.[sink];
    if (connections === undefined || !Object.hasOwn(connections, connectionKey)) return { kind: 'ended' };
    const own = outcome.kind === 'measured' ? routineSpendingOf(outcome.measurement) : undefined;
    const link = { source: self, key: connectionKey, connection: want.connection };
    const lastsMs = linkIntervalMs(state(), link, {
      loads: attempt.loads,
      settings: settings(),
      ...(own === undefined ? {} : { own }),
    });
    const intervalMs = this.#intervalMs(attempt, outcome, want.tried?.entry.value, lastsMs);
    record(linkFact(self, want, { outcome, measuresExtras, intervalMs, nowMs: clock.nowMs() }));
    return { kind: 'ended' };
  }

  #intervalMs(
    { why }: ProbeAttempt,
    outcome: ProbeOutcome<unknown>,
    last: { readonly intervalMs: Reported<number>; readonly failure: Reported<'none'> } | undefined,
    lastsMs: number,
  ): Reported<number> {
    if (outcome.kind === 'failed') return failureIntervalMs(last);
    return why === 'by-hand' ? unknown('requested by a person') : lastsMs;
  }

  /**
   * After a device, links get their turn before the next device, including those of peers refused meanwhile.
   */
  #pause(): Blocker | undefined {
    const leftMs = this.#deviceEndedAtMs + DEVICE_PAUSE_MS - this.#parts.clock.nowMs();
    return leftMs > 0 ? { reason: 'connections take turns', retryInMs: leftMs } : undefined;
  }

  /** Why probes of this kind should not run now; a GPU that this node's own probe has just left is not busy. */
  #activity(want: WantedProbe, why: ProbeCause): string | undefined {
    const isOwnLoad = want.kind === 'gpu' && this.#parts.clock.nowMs() - this.#deviceEndedAtMs < OWN_LOAD_MS;
    return this.#activityAt(want, why, isOwnLoad);
  }

  /** At either end. A served model may be busy all day, so socket connections are measured even then. */
  #activityAt(want: WantedProbe, why: ProbeCause, ignoresGpuLoad: boolean): string | undefined {
    const { self, clock, state } = this.#parts;
    const nowMs = clock.nowMs();
    if (want.kind === 'socket' && why === 'by-hand') return undefined;
    const on = (node: NodeId): string | undefined =>
      want.kind === 'socket'
        ? benchmarkOn(state(), node, nowMs)
        : activityOn(state(), node, nowMs, { ignoresGpuLoad });
    return on(self) ?? (want.kind === 'gpu' ? undefined : on(want.subject.sink));
  }

  async #whileIdle<T>(
    want: WantedProbe,
    attempt: ProbeAttempt,
    work: (signal: AbortSignal) => Promise<ProbeOutcome<T>>,
  ): Promise<AttemptEnding<T>> {
    const { clock } = this.#parts;
    return await this.#unlessActive(want, attempt, async until => {
      const timed = await withDeadline(clock, DEADLINE_MS[want.kind], until, work);
      if (timed.kind === 'done') return { kind: 'ended', outcome: timed.value };
      const reason = `it took longer than ${DEADLINE_MS[want.kind] / 1_000} s and was stopped`;
      return { kind: 'ended', outcome: failedProbe(reason, 'deadline') };
    });
  }

  /** The probe's own load on a GPU does not count. */
  async #unlessActive<T>(
    want: WantedProbe,
    { why, signal }: ProbeAttempt,
    work: (signal: AbortSignal) => Promise<AttemptEnding<T>>,
  ): Promise<AttemptEnding<T>> {
    const { clock } = this.#parts;
    return await unlessActive({ clock, signal, activity: () => this.#activityAt(want, why, true) }, work);
  }

  #soon(reason: string): Blocker {
    return { reason, retryInMs: refusalWaitMs(this.#parts.random()) };
  }
}

type Postponed = Extract<AttemptEnding<never>, { kind: 'postponed' }>;

/** For the first of each kind; later ones expect the duration of the last. */
const EXPECTED_MS = { gpu: 20_000, socket: 4_000, rdma: 10_000 } as const;
/** Longer than a refused peer waits before it asks again. */
const DEVICE_PAUSE_MS = 5_000;
/** A load is reported every second, over the previous second. */
const OWN_LOAD_MS = 5_000;
