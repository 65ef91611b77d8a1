// One simulated node's part of the simulation: what it reports at its start and at each tick.

import { EVENT_KINDS, type Fact } from '../core/event-kinds.ts';
import type { Connection, LossCode } from '../core/link/connection.ts';
import type { ReadingConfirmed } from '../core/node/gathered.ts';
import { GPU_VENDORS, type GpuVendor } from '../core/node/gpu.ts';
import type { NodeIdentity } from '../core/node/identity.ts';
import { gatheredKind, type ReadingKind, statusFact } from '../core/node/reading.ts';
import type { Load } from '../core/probe/load.ts';
import { type ProbeSubject, probeKey } from '../core/probe/probe-status.ts';
import { pushAll } from '../core/push-all.ts';
import { endpointRunnerKey } from '../core/run/run-selectors.ts';
import { unknown } from '../core/unknown.ts';
import type { RequestedProbe } from '../wire/api/probe-answers.ts';
import { connectionsOf } from './connection.ts';
import type { Contact } from './contact.ts';
import { DURABLE_INTERVAL_MS, gpuInventories, SIMULATED_SOURCE } from './durable-readings.ts';
import { engineFact, SERVED_ORIGIN } from './engine-reading.ts';
import type { Moment } from './live-readings.ts';
import { seedOf, unrest } from './noise.ts';
import { pastLinesOf } from './past-lines.ts';
import { pastRunsOf } from './past-runs.ts';
import { type Probed, probeAt, probedBy } from './probing.ts';
import { RequestedProbes, type RequestedStep } from './requested-probes.ts';
import { simulatedLoad } from './simulated-load.ts';
import { type SimulatedReading, simulatedReadings } from './simulated-readings.ts';
import { type Site, type SiteAt, siteOverTime, type Wiring } from './site.ts';

/** An event with the age that it has when reported, ms. */
export interface SimulatedFact {
  readonly fact: Fact;
  readonly ageMs: number;
}

interface NodeReportingOptions {
  readonly site: Site;
  readonly wiring: Wiring;
  readonly seed: number;
  readonly plimsollVersion: string;
  /** The wall clock when the simulation started: past benchmarks carry dates. */
  readonly beganWallMs: number;
  /** Real work on this node in addition to the simulation, such as a benchmark: GPUs and RDMA are then not measured. */
  readonly activity: () => string | undefined;
}

export class NodeReporting {
  readonly site: Site;
  readonly #options: NodeReportingOptions;
  readonly #probed: readonly Probed[];
  readonly #siteAt: SiteAt;
  /** As it is since the newest change. */
  #now: Site;
  #readings: readonly SimulatedReading[];
  readonly #running = new Set<Probed>();
  /** Open connections. */
  readonly #open = new Set<Probed>();
  readonly #lost = new Map<Probed, { readonly code: LossCode; readonly atMs: number }>();
  readonly #requested = new RequestedProbes();
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #leasedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NodeReportingOptions) {
    this.site = options.site;
    this.#options = options;
    const { site, wiring, seed } = options;
    this.#siteAt = siteOverTime(site, wiring);
    this.#now = site;
    this.#readings = simulatedReadings(site, options.plimsollVersion);
    const connections = connectionsOf(wiring, site);
    this.#probed = probedBy({ site, siteAt: this.#siteAt, connections, seed });
  }

  /** The initial state of the simulation. */
  begin(nowMs: number): readonly SimulatedFact[] {
    const reported = [...this.#durable(), ...this.#contacts(nowMs)].map(now);
    const { wiring, beganWallMs } = this.#options;
    pushAll(reported, [
      ...pastRunsOf(this.site, wiring, beganWallMs),
      ...pastLinesOf(this.site, wiring, this.#options),
    ]);
    for (const { baseline } of this.#probed) pushAll(reported, baseline.map(now));
    for (const probed of this.#probed) {
      const moment = probeAt(probed, nowMs);
      if (moment?.agoMs !== undefined)
        reported.push({
          fact: probed.profile(moment.attempt, nowMs - moment.agoMs),
          ageMs: Math.max(0, moment.agoMs),
        });
    }
    return [...reported, ...this.tick(nowMs)];
  }

  /** The quarter of an hour before: live readings, oldest first. */
  past(stepSeconds: number): readonly SimulatedFact[] {
    const reported: SimulatedFact[] = [];
    for (let ago = PAST_SECONDS; ago >= stepSeconds; ago -= stepSeconds) {
      for (const fact of this.#moving({ seed: this.#options.seed, seconds: -ago }))
        reported.push({ fact, ageMs: ago * 1_000 });
    }
    return reported;
  }

  tick(nowMs: number): readonly SimulatedFact[] {
    const moment = { seed: this.#options.seed, seconds: nowMs / 1_000 };
    const facts = [...this.#changes(nowMs), ...this.#contacts(nowMs), ...this.#moving(moment)];
    if (nowMs - this.#renewedAtMs >= DURABLE_INTERVAL_MS) {
      this.#renewedAtMs = nowMs;
      pushAll(facts, [...this.#renewals(moment), ...this.#waitingProbes()]);
    }
    if (nowMs - this.#leasedAtMs >= LEASE_REPEAT_MS) {
      this.#leasedAtMs = nowMs;
      pushAll(facts, this.#leases(moment));
    }
    for (const step of this.#requested.steps(nowMs)) pushAll(facts, this.#requestedFacts(step, nowMs));
    for (const probed of this.#probed) pushAll(facts, this.#probe(probed, nowMs));
    return facts.map(now);
  }

  /** A person requested these probes. */
  request(isMeant: (subject: ProbeSubject) => boolean): readonly RequestedProbe[] {
    return this.#probed
      .filter(
        probed => isMeant(probed.subject) && (probed.connection === undefined || this.#open.has(probed)),
      )
      .map(probed => this.#requested.request(probed, this.#storedBy(probed)));
  }

  /** What it reaches while it is kept busy for this long. */
  load(subject: ProbeSubject, durationMs: number, nowMs: number): Load {
    const probed = this.#probed.find(one => probeKey(one.subject) === probeKey(subject));
    const isThere = probed !== undefined && (probed.connection === undefined || this.#open.has(probed));
    const idle = isThere ? this.#storedBy(probed) : 'it is not there now';
    return simulatedLoad(probed, { subject, idle, durationMs, nowMs });
  }

  /** The profile of a subject at this many milliseconds before the simulation started; undefined if there was none. */
  pastOf(isMeant: (profile: Fact) => boolean): ((agoMs: number) => Fact) | undefined {
    return this.#probed.find(({ past }) => past !== undefined && isMeant(past(0)))?.past;
  }

  /** A machine that has changed is read again at once. */
  #changes(nowMs: number): readonly Fact[] {
    const site = this.#siteAt(nowMs / 1_000);
    if (site === this.#now) return [];
    this.#now = site;
    this.#readings = simulatedReadings(site, this.#options.plimsollVersion);
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    return this.#durable();
  }

  /** Connections opened or lost since the last call. */
  #contacts(nowMs: number): readonly Fact[] {
    return this.#probed.flatMap((probed): readonly Fact[] => {
      const { connection, subject } = probed;
      if (connection === undefined || subject.kind !== 'link') return [];
      const contact = probed.contact(nowMs / 1_000);
      if (contact.kind === 'absent') return [];
      if (contact.kind === 'lost') return this.#loss(probed, { subject, connection, contact, nowMs });
      if (this.#open.has(probed)) return [];
      this.#open.add(probed);
      this.#lost.delete(probed);
      return [{ kind: 'connection.opened', payload: connection }];
    });
  }

  /** A connection that was open, or another reason for one that is lost. */
  #loss(probed: Probed, { subject, connection, contact, nowMs }: Loss): readonly Fact[] {
    const { sink, connectionKey } = subject;
    const { code, reason } = contact;
    const before = this.#lost.get(probed);
    if (before?.code === code || (before === undefined && !this.#open.has(probed))) return [];
    this.#open.delete(probed);
    this.#running.delete(probed);
    const atMs = before?.atMs ?? nowMs;
    this.#lost.set(probed, { code, atMs });
    const payload = { sink, connectionKey, connection, code, reason, lostAgeMs: nowMs - atMs };
    return [{ kind: 'connection.lost', payload }];
  }

  #durable(): readonly Fact[] {
    return this.#readings.filter(({ at }) => at === 'start').flatMap(({ facts }) => facts(AT_START));
  }

  #moving(moment: Moment): readonly Fact[] {
    const moving = this.#readings.filter(({ at }) => at === 'tick');
    return this.#read(moving.flatMap(({ facts }) => facts(moment)));
  }

  /** Without what fails or is silent now. */
  #read(facts: readonly Fact[]): readonly Fact[] {
    const { failingReadings = [], silentReadings = [] } = this.#now.machine.quirks ?? {};
    const missing = new Set<string>(
      [...failingReadings.map(({ reading }) => reading), ...silentReadings].map(gatheredKind),
    );
    return missing.size === 0 ? facts : facts.filter(({ kind }) => !missing.has(kind));
  }

  /** Unchanged readings are confirmed, and missing ones are reported. */
  #renewals(moment: Moment): readonly Fact[] {
    const site = this.#now;
    const { platform } = site.hardware.operatingSystem;
    const { failingReadings = [], silentReadings = [], checksOthers } = site.machine.quirks ?? {};
    const facts: Fact[] = [];
    const confirm = (reading: ReadingKind, vendor: GpuVendor | 'none' = 'none'): void => {
      const isMissing =
        silentReadings.includes(reading) || failingReadings.some(failing => failing.reading === reading);
      if (!isMissing) facts.push(statusFact({ ...statusOf(reading, vendor), kind: 'confirmed' }));
    };
    const deny = (reading: ReadingKind, reason: string, vendor: GpuVendor | 'none' = 'none'): void => {
      facts.push(statusFact({ ...statusOf(reading, vendor), kind: 'absent', reason }));
    };
    const vendors = gpuInventories(site).map(({ vendor }) => vendor);
    for (const { reading, at, facts: reported, none } of this.#readings) {
      const found = reported(moment);
      const reason = absenceOn(platform, reading) ?? none;
      if (found.length === 0 && reason !== undefined) deny(reading, reason);
      else if (at === 'renewal') pushAll(facts, this.#read(found));
      else if (at === 'start' && reading === 'gpus') for (const vendor of vendors) confirm(reading, vendor);
      else if (at === 'start') confirm(reading);
    }
    for (const { reading, ...why } of failingReadings)
      facts.push(statusFact({ ...statusOf(reading, 'none'), kind: 'failed', ...why }));
    if (platform === 'linux')
      for (const vendor of LINUX_VENDORS.filter(one => !vendors.includes(one)))
        for (const reading of GPU_READINGS) deny(reading, `no ${vendor} GPU`, vendor);
    facts.push({
      kind: 'endpoints.reported',
      payload: {
        meshPort: MESH_PORT,
        reachabilityPort:
          checksOthers === true ? REACHABILITY_PORT : unknown('simulated nodes do not answer checks'),
      },
    });
    return [...facts, ...this.#conflicts()];
  }

  /** The first node sees every other one that exists twice. */
  #conflicts(): readonly Fact[] {
    if (this.site.index !== 0) return [];
    return this.#options.wiring.sites.flatMap(({ nodeId, machine }): readonly Fact[] => {
      const addresses = machine.quirks?.copyAddresses;
      return addresses === undefined
        ? []
        : [{ kind: 'conflict.seen', payload: { subject: nodeId, addresses } }];
    });
  }

  #waitingProbes(): readonly Fact[] {
    return this.#probed.flatMap(({ subject, holdReason }): readonly Fact[] =>
      holdReason === undefined
        ? []
        : [
            {
              kind: 'probe.reported',
              payload: {
                subject,
                stage: { kind: 'waiting', reason: holdReason, nextInMs: unknown('when it has ended') },
              },
            },
          ],
    );
  }

  #leases(moment: Moment): readonly Fact[] {
    const { nodeId, machine } = this.site;
    if (machine.quirks?.servesModel !== true) return [];
    const requestsInFlight = Math.round(
      5 + 3 * unrest(seedOf(this.#options.seed, machine.name), moment.seconds),
    );
    return [
      engineFact(requestsInFlight),
      {
        kind: 'runner.reported',
        payload: {
          runnerKey: endpointRunnerKey(SERVED_ORIGIN),
          source: 'endpoint',
          targetNode: nodeId,
          requestsInFlight,
        },
      },
    ];
  }

  /** Why it cannot be measured now; a running probe continues. */
  #storedBy({ subject, holdReason }: Probed): string | undefined {
    const isGated = subject.kind === 'gpu' || subject.connectionKey.startsWith('rdma ');
    return holdReason ?? (isGated ? this.#options.activity() : undefined);
  }

  #requestedFacts(step: RequestedStep, nowMs: number): readonly Fact[] {
    const { probed } = step;
    if (step.kind === 'begins') return [runningFact(probed, true)];
    const moment = probeAt(probed, nowMs);
    return moment === undefined
      ? []
      : [probed.profile(step.attempt, nowMs), idleFact(probed, moment.nextInMs)];
  }

  #probe(probed: Probed, nowMs: number): readonly Fact[] {
    if (probed.holdReason !== undefined || this.#requested.isRunning(probed)) return [];
    if (!this.#running.has(probed) && this.#storedBy(probed) !== undefined) return [];
    const moment = probeAt(probed, nowMs);
    if (moment === undefined) return [];
    const { attempt, isRunning, nextInMs } = moment;
    if (isRunning === this.#running.has(probed)) return [];
    if (isRunning) {
      this.#running.add(probed);
      return [runningFact(probed, false)];
    }
    this.#running.delete(probed);
    return [probed.profile(attempt, nowMs), idleFact(probed, nextInMs)];
  }
}

type Platform = NodeIdentity['operatingSystem']['platform'];

interface Loss {
  readonly subject: Extract<ProbeSubject, { kind: 'link' }>;
  readonly connection: Connection;
  readonly contact: Extract<Contact, { kind: 'lost' }>;
  readonly nowMs: number;
}

const runningFact = ({ subject, durationMs }: Probed, isByHand: boolean): Fact => ({
  kind: 'probe.reported',
  payload: { subject, stage: { kind: 'running', expectedMs: durationMs, isByHand } },
});

const idleFact = ({ subject }: Probed, nextInMs: number): Fact => ({
  kind: 'probe.reported',
  payload: { subject, stage: { kind: 'idle', nextInMs } },
});

const now = (fact: Fact): SimulatedFact => ({ fact, ageMs: 0 });

/** Why no machine of its platform has it. */
const absenceOn = (platform: Platform, reading: ReadingKind): string | undefined =>
  platform === 'linux' || platform === 'macos'
    ? EVENT_KINDS[gatheredKind(reading)].absentOn?.[platform]
    : undefined;

const statusOf = (reading: ReadingKind, vendor: GpuVendor | 'none'): ReadingConfirmed => ({
  reading,
  vendor,
  source: SIMULATED_SOURCE,
  intervalMs: DURABLE_INTERVAL_MS,
});

const GPU_READINGS = ['gpus', 'gpuLoads', 'gpuHealths'] as const;
const LINUX_VENDORS: readonly GpuVendor[] = GPU_VENDORS.filter(vendor => vendor !== 'apple');
/** Checked once a second, so it is repeated at least every 2 s. */
const LEASE_REPEAT_MS = 1_500;
const MESH_PORT = 4_181;
const REACHABILITY_PORT = 4_182;
/** What a machine is does not depend on it. */
const AT_START: Moment = { seed: 0, seconds: 0 };
/** As long as live history is stored. */
const PAST_SECONDS = 900;
