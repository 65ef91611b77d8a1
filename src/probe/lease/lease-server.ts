// Leases this node's interfaces to peers for measurements: one at a time each, for a limited time, with a
// one-time ticket. A peer that does not return a lease, loses its link or reports a false cost consumes no
// more than the leased time.

import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import { ageMsOf } from '../../core/entry-maps.ts';
import type { NodeId } from '../../core/ids.ts';
import { type Connection, connectionKey } from '../../core/link/connection.ts';
import { interfacesWith } from '../../core/node/network.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { activityOn, benchmarkOn } from '../../core/probe/activity.ts';
import { errorMessage } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import { unknown } from '../../core/unknown.ts';
import type { LinkEngines, OpenSink, SinkPayload } from '../link-engine.ts';
import type { PeerQuestion, PeerReply, PeerRequests } from '../peer-requests.ts';
import { ANY_PORT, portAddressesOf, portText, sinkPorts } from '../schedule/link-ports.ts';
import type { PortLock, PortLocks } from '../schedule/port-locks.ts';
import type { ProbeLog, ProbeLogEntry } from '../schedule/probe-log.ts';
import {
  budgetOf,
  DEADLINE_MS,
  LEASE_SLACK_MS,
  LINK_PROBES_MAX,
  type ProbeSettings,
  ttlMsOf,
} from '../schedule/probe-settings.ts';
import type { Spending, SpendLedger } from '../schedule/spend-ledger.ts';
import {
  decodeLeaseRequest,
  decodeReturn,
  LEASE_TOPIC,
  type LeaseAnswer,
  type LeaseRefusal,
  type LeaseRequest,
  RELEASE_TOPIC,
} from './lease-message.ts';

interface LeaseServerParts {
  readonly self: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly settings: () => ProbeSettings;
  readonly requests: PeerRequests;
  readonly engines: LinkEngines;
  readonly locks: PortLocks;
  readonly ledger: SpendLedger;
  readonly log: ProbeLog;
  /** Different each time, and impossible to guess. */
  readonly newTicket: () => string;
}

interface Lease {
  readonly id: number;
  readonly source: NodeId;
  readonly connection: Connection;
  readonly portLock: PortLock;
  readonly startedAtMs: number;
  readonly stop: AbortController;
  readonly returned: PromiseWithResolvers<void>;
  /** What the source claims to have used, once it has returned the lease. */
  claim: Spending | undefined;
}

export class LeaseServer {
  readonly #parts: LeaseServerParts;
  readonly #leases = new Map<number, Lease>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #failure = Promise.withResolvers<never>();
  #nextId = 1;

  constructor(parts: LeaseServerParts) {
    this.#parts = parts;
    this.#failure.promise.catch(() => undefined); // `run` reports it
  }

  /** Grants leases until the abort; resolves when every sink has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { requests } = this.#parts;
    const ends = [
      requests.serve(LEASE_TOPIC, requested => this.#answer(requested)),
      requests.serve(RELEASE_TOPIC, requested => this.#takeBack(requested)),
    ];
    try {
      await Promise.race([untilAborted(signal), this.#failure.promise]);
    } finally {
      for (const end of ends) end();
      for (const lease of this.#leases.values()) lease.stop.abort();
      await Promise.all(this.#tasks);
    }
  }

  async #answer({ from, body, signal }: PeerQuestion): Promise<PeerReply> {
    const request = decodeLeaseRequest(body);
    if (request === undefined) return { kind: 'refused', reason: 'not a lease request' };
    return { kind: 'answer', body: { ...(await this.#lend(from, request, signal)) } };
  }

  async #lend(source: NodeId, request: LeaseRequest, signal: AbortSignal): Promise<LeaseAnswer> {
    const { self, clock, state, settings, engines, locks, newTicket } = this.#parts;
    const connection = connectionOf(self, request);
    const ports = sinkPorts(state(), connection);
    const engine = engines[connection.kind];
    const name = nodeName(state(), self);
    if (!settings().isEnabled) return refused(`probes are off on ${name}`, OFF_RETRY_MS);
    if (engine === undefined) return refused(`no tool on ${name} measures RDMA`, OFF_RETRY_MS);
    const refusal = this.#refusalOf(source, request, connection, ports);
    if (refusal !== undefined) return refusal;
    const portLock = locks.take(ports, portText(ports), request.together);
    const lease: Lease = {
      id: this.#nextId,
      source,
      connection,
      portLock,
      startedAtMs: clock.nowMs(),
      stop: new AbortController(),
      returned: Promise.withResolvers(),
      claim: undefined,
    };
    this.#nextId += 1;
    const ticket = newTicket();
    try {
      const sink = await engine.openSink({
        source,
        connection,
        sinkInterface: interfaceOf(state(), connection),
        ticket,
        sourceAddresses: portAddressesOf(state(), source),
        signal: AbortSignal.any([signal, lease.stop.signal]),
      });
      this.#leases.set(lease.id, lease);
      const task = this.#follow(lease, sink)
        .catch(error => this.#failure.reject(error))
        .finally(() => this.#tasks.delete(task));
      this.#tasks.add(task);
      return { kind: 'granted', leaseId: lease.id, port: sink.port, ticket };
    } catch (error) {
      portLock[Symbol.dispose]();
      const reason = errorMessage(error);
      const text = `${name} cannot listen: ${reason}`;
      return { kind: 'failed', reason: text.slice(0, REASON_LENGTH_MAX) };
    }
  }

  #refusalOf(
    source: NodeId,
    request: LeaseRequest,
    connection: Connection,
    ports: readonly string[],
  ): LeaseRefusal | undefined {
    const { self, clock, locks, ledger } = this.#parts;
    const state = this.#parts.state();
    const name = nodeName(state, self);
    if (ports.includes(ANY_PORT)) return refused(`${wayText(request)} is not on ${name} now`, 0);
    const { together } = request;
    const activity =
      connection.kind === 'rdma' || together !== undefined
        ? activityOn(state, self, clock.nowMs(), { ignoresGpuLoad: together !== undefined })
        : request.why === 'by-hand'
          ? undefined
          : benchmarkOn(state, self, clock.nowMs());
    if (activity !== undefined) return refused(activity, 0);
    if (locks.count >= LINK_PROBES_MAX) return refused(`${name} takes part in as many probes as allowed`, 0);
    const busy = locks.blocker(ports, together);
    if (busy !== undefined) return refused(`${busy} on ${name}`, 0);
    const waitMs = ledger.waitMs(ports);
    if (waitMs === 0 || request.why === 'by-hand') return undefined;
    // This node also has its own record of whether it is the first: no peer stays new forever.
    if (request.why === 'first' && !this.#isTriedLately(state, source, connection)) return undefined;
    return refused(`the budget of ${portText(ports)} on ${name} is spent`, waitMs);
  }

  /** Within a lifetime: a path that was lost for longer is new again, one that flaps is not. */
  #isTriedLately(state: State, source: NodeId, connection: Connection): boolean {
    const { clock, settings } = this.#parts;
    const entry = state.linkProfiles[source]?.[this.#parts.self]?.[connectionKey(connection)];
    return entry !== undefined && ageMsOf(entry, clock.nowMs()) < ttlMsOf(connection.kind, settings());
  }

  #takeBack({ from, body }: PeerQuestion): PeerReply {
    const returned = decodeReturn(body);
    const lease = returned === undefined ? undefined : this.#leases.get(returned.leaseId);
    if (returned === undefined || lease === undefined || lease.source !== from)
      return { kind: 'refused', reason: 'there is no such lease' };
    lease.claim = returned;
    lease.returned.resolve();
    return { kind: 'answer', body: null };
  }

  async #follow(lease: Lease, sink: OpenSink): Promise<void> {
    const { self, clock, ledger, log } = this.#parts;
    const { source, connection, portLock, startedAtMs, stop } = lease;
    const entry: Omit<ProbeLogEntry, 'kind' | 'atMs'> = {
      role: 'sink',
      probe: connection.kind,
      node: self,
      what: `${source} ${connectionKey(connection)}`,
      ports: portLock.ports,
    };
    log({ ...entry, kind: 'started', atMs: startedAtMs });
    const lastMs = DEADLINE_MS[connection.kind] + LEASE_SLACK_MS;
    const over = new AbortController();
    try {
      const isStopped = untilAborted(stop.signal);
      await Promise.race([sink.ended, lease.returned.promise, isStopped, pause(clock, lastMs, over.signal)]);
      // The source's last message reaches the sink on another connection than the return: its counters are
      // complete then.
      if (lease.claim !== undefined)
        await Promise.race([sink.ended, isStopped, pause(clock, GOODBYE_MS_MAX, over.signal)]);
    } finally {
      over.abort();
      this.#leases.delete(lease.id);
      await sink[Symbol.asyncDispose]();
      portLock[Symbol.dispose]();
      const payload = await sink.ended;
      const waitedMs = clock.nowMs() - startedAtMs;
      ledger.charge(portLock.ports, ownSpending(lease, payload, waitedMs));
      log({ ...entry, kind: 'ended', atMs: clock.nowMs() });
    }
  }
}

/**
 * What a lease cost by this node's own clock and counters. A source's claim lowers the figures that this node
 * cannot count exactly, and raises none: no other node can use up the budget of an interface with a false
 * number.
 */
const ownSpending = (
  { connection, claim }: Lease,
  { bytes, isExact }: SinkPayload,
  waitedMs: number,
): Spending => {
  const bytesMax = Math.min(bytes, budgetOf(connection).bytesMax);
  return {
    busyMs: Math.min(waitedMs, claim?.busyMs ?? waitedMs),
    bytesUsed: isExact ? bytes : Math.min(bytesMax, claim?.bytesUsed ?? bytesMax),
  };
};

const connectionOf = (self: NodeId, { way }: LeaseRequest): Connection => {
  const rest = { sink: self, type: ELSEWHERE, negotiatedBitsPerSecond: ELSEWHERE };
  if (way.kind === 'rdma') return { ...way, ...rest };
  return { ...way, ...rest, sourceInterface: ELSEWHERE, sinkInterface: ELSEWHERE };
};

const interfaceOf = (state: State, connection: Connection): string | undefined =>
  connection.kind === 'rdma'
    ? connection.sinkInterface
    : interfacesWith(state.nodeNetworks[connection.sink]?.value, connection.sinkAddress)[0]?.name;

const wayText = ({ way }: LeaseRequest): string =>
  way.kind === 'socket' ? way.sinkAddress : way.sinkInterface;

const refused = (reason: string, retryInMs: number): LeaseRefusal => ({
  kind: 'refused',
  reason: reason.slice(0, REASON_LENGTH_MAX),
  retryInMs,
});

const ELSEWHERE = unknown('known at the source');
const REASON_LENGTH_MAX = 300;
/** For a sink to end by itself, once its source has returned the lease. */
const GOODBYE_MS_MAX = 1_000;
/** A setting may change, though not every second. */
const OFF_RETRY_MS = 60_000;
