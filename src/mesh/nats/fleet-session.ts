// One connection of a node to its fleet's server: it subscribes, reads the last values, passes them to
// replication, and tracks which nodes are present, until the connection ends.

import { errors, type Msg, type Subscription } from '@nats-io/nats-core';
import { type Clock, pause, unlessAborted } from '../../clock/clock.ts';
import { AddressBuckets } from '../../clock/token-bucket.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { isRequestFrame } from '../../wire/request-message.ts';
import type { MeshIdentity, MeshLink } from '../mesh.ts';
import { REPLICATION_LIMITS } from '../replication/limits.ts';
import { createRecordChunks } from '../replication/record-chunks.ts';
import type { ReplicaStore } from '../replication/replica-store.ts';
import { ReplicationCounts } from '../replication/replication-counts.ts';
import { FLEET_MEMBERS_MAX, type FleetMembers, type FleetStanding } from './fleet-members.ts';
import { type FleetCounts, FleetMessages } from './fleet-messages.ts';
import {
  type FleetProblem,
  misdirected,
  misused,
  noStateStream,
  noStream,
  notPermitted,
  unreachable,
} from './fleet-problem.ts';
import { FleetPublisher } from './fleet-publisher.ts';
import type { FleetRequestLinks } from './fleet-request-links.ts';
import {
  EVENT_STREAM,
  type FleetSubject,
  type FleetSubjects,
  type FleetSubscriptions,
  HELLO,
} from './fleet-subjects.ts';
import { LateJoiners } from './late-joiners.ts';
import { isMisdirected } from './misdirected-reply.ts';
import { NatsLink } from './nats-link.ts';
import type { ReplayGuard } from './replay-guard.ts';
import type { Sealer } from './sealed-message.ts';
import { causeOf, type FleetServer, lossOf, refusedSubject, silenceOf } from './server-connection.ts';
import { readStates, StateStreamMissing } from './state-snapshot.ts';
import { readStreamFacts } from './stream-facts.ts';

interface FleetSessionParts {
  readonly identity: MeshIdentity;
  readonly servers: readonly string[];
  readonly store: ReplicaStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly plimsollVersion: string;
  readonly fleetServer: FleetServer;
  readonly counts: FleetCounts;
  readonly members: FleetMembers;
  readonly requestLinks: FleetRequestLinks;
  readonly sealer: Sealer;
  readonly guard: ReplayGuard;
  readonly subjects: FleetSubjects;
  readonly subscriptions: FleetSubscriptions;
  /** This node's location no longer matches its subjects. */
  readonly hasMoved: () => boolean;
  readonly twin: (node: NodeId) => void;
  readonly stand: (standing: FleetStanding) => void;
  readonly up: (link: MeshLink) => void;
}

/** One connection, from the first value read to its end. */
export class FleetSession implements AsyncDisposable {
  readonly #parts: FleetSessionParts;
  readonly #messages: FleetMessages;
  readonly #publisher: FleetPublisher;
  readonly #subscriptions: Subscription[] = [];
  readonly #lateJoiners: LateJoiners;
  /** What arrives while last values are still being read. */
  #early: { readonly of: FleetSubject; readonly message: Msg }[] | undefined = [];
  #earlyBytes = 0;
  readonly #rates: PublisherRates;
  #link: NatsLink | undefined;
  #trouble: FleetProblem | undefined;
  /** A node whose credentials are used against the fleet. */
  #misuse: FleetProblem | undefined;
  /** A new node that replication has not been notified of. */
  #hasMet = false;
  readonly #stop = new AbortController();

  constructor(parts: FleetSessionParts) {
    const { fleetServer: server, identity, store, clock } = parts;
    this.#parts = parts;
    const { nodeId: self, publicKey } = identity;
    this.#messages = new FleetMessages({
      ...parts,
      server,
      self,
      trouble: problem => this.#report(problem),
    });
    const chunks = createRecordChunks({
      store,
      own: { nodeId: self, publicKey },
      counts: new ReplicationCounts(),
      chunkBytesMax: REPLICATION_LIMITS.chunkBytesMax,
      nowMs: () => clock.nowMs(),
    });
    this.#rates = new PublisherRates(clock);
    this.#publisher = new FleetPublisher({
      ...parts,
      self,
      messages: this.#messages,
      chunks,
      memberCount: () => parts.members.size,
    });
    this.#lateJoiners = new LateJoiners({
      ...parts,
      scheduleRetry: untilMs => this.#publisher.scheduleRetry(untilMs),
      failed: error => this.#fail(unreachable(parts.servers, causeOf(error))),
      signal: this.#stop.signal,
    });
  }

  /** Resolves when the connection has ended, for any reason of a server or a network. */
  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#stop.signal]);
    const { connection } = this.#parts.fleetServer;
    const closed = connection.closed().then(error => {
      if (!until.aborted) this.#fail(this.#problemOf(error ?? 'the connection was closed'));
    });
    const followed = this.#follow(until);
    const reporting = this.#publisher.run(until);
    try {
      await this.#begin(until);
      await this.#beat(until);
    } catch (error) {
      if (!until.aborted) this.#fail(this.#problemOf(error));
    } finally {
      // The last messages must still be sent.
      await reporting;
      if (signal.aborted) await unlessAborted(this.#flush(), AbortSignal.timeout(FLUSH_MS));
      this.#leave(signal.aborted);
      await connection.close();
      await Promise.all([closed, followed]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#parts.fleetServer.connection.close();
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { subjects, subscriptions, clock, identity, plimsollVersion, members, counts, up } = this.#parts;
    const { connection } = this.#parts.fleetServer;
    for (const subject of subjects.received(subscriptions))
      this.#subscriptions.push(
        connection.subscribe(subject, { callback: (error, message) => this.#receive(error, message) }),
      );
    const events = await readStreamFacts(connection, EVENT_STREAM);
    if (events === undefined) {
      this.#fail(noStream(EVENT_STREAM));
      return;
    }
    const snapshot = await readStates({
      connection,
      nowMs: () => clock.nowMs(),
      subjects,
      serverNowMs: events.serverNowMs,
      withoutStream: () => {
        this.#trouble = noStateStream(subjects);
      },
      skipped: node =>
        this.#reportMisuse(node, 'what it left on the server does not open under the cluster key'),
      misdirected: node => {
        this.#misuse ??= misdirected(node);
      },
      open: (subject, of, data) => this.#messages.open(subject, of, data),
      signal,
    });
    // It failed meanwhile: it must not count as connected again.
    if (signal.aborted) return;
    const link = new NatsLink({
      self: identity.nodeId,
      fleetId: subjects.fleetId,
      remoteAddress: this.#address,
      messages: this.#messages,
      publisher: this.#publisher,
      members,
      snapshot,
      plimsollVersion,
      chunkBytesMax: REPLICATION_LIMITS.chunkBytesMax,
      nowMs: () => clock.nowMs(),
      muted: () => (counts.muted += 1),
      dropped: () => (counts.dropped += 1),
      settled: () => this.#report(undefined),
    });
    this.#link = link;
    link.onClose(({ by }) => {
      if (by === 'self') this.#stop.abort();
    });
    this.#standConnected();
    up(link);
    link.greet();
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { of, message } of early) this.#open(of, message);
  }

  async #flush(): Promise<void> {
    try {
      await this.#parts.fleetServer.connection.flush();
    } catch {
      this.#parts.counts.lost += 1; // it ended first: others learn of this node's end by its silence
    }
  }

  get #address(): HostPort {
    const { info } = this.#parts.fleetServer.connection;
    return { host: info?.host ?? 'fleet', port: info?.port ?? 0 };
  }

  #receive(error: Error | null, message: Msg): void {
    // A missing permission: `#follow` ends the session for it.
    if (error !== null) return;
    const { subjects, counts } = this.#parts;
    const of = subjects.parse(message.subject);
    if (of === undefined) return;
    if (of.what === GONE) {
      // By the server alone: a request with this subject as its reply subject could also end it.
      if (message.headers?.code === NO_RESPONDERS && message.data.length === 0)
        this.#parts.requestLinks.close(of.publisher, 'it is not connected to the fleet');
      return;
    }
    // Checked before its rate: the node whose id is in the subject did not publish it.
    if (isMisdirected(message)) {
      counts.reflected += 1;
      return;
    }
    const bytes = message.data.length;
    if (!this.#rates.take(of.publisher, bytes)) {
      counts.dropped += 1;
      this.#reportMisuse(of.publisher, 'it publishes more than the others can read');
      return;
    }
    if (this.#early === undefined) {
      this.#open(of, message);
      return;
    }
    this.#earlyBytes += bytes;
    if (this.#early.length < EARLY_MAX && this.#earlyBytes <= EARLY_BYTES_MAX)
      this.#early.push({ of, message });
    else counts.dropped += 1;
  }

  #open(of: FleetSubject, message: Msg): void {
    const { counts, members, requestLinks } = this.#parts;
    const frame = this.#messages.open(message.subject, of, message.data);
    if (frame === undefined) return;
    counts.received += 1;
    const { publisher } = of;
    // An event may be an old one that the server repeats: it does not prove that its node is present.
    if (of.channel !== 'event' && members.received(publisher)) this.#met(publisher);
    if (of.channel === 'reading' && of.what === HELLO) this.#lateJoiners.came();
    else if (of.channel === 'ask' && isRequestFrame(frame)) requestLinks.receive(publisher, frame);
    else this.#link?.receive({ ...of, frame });
  }

  #met(node: NodeId): void {
    const { requestLinks, subjects } = this.#parts;
    requestLinks.open(node, this.#address, (to, verb, frame) => {
      // Without a subscriber, the server replies there with an empty message.
      const gone = subjects.requestSubject(this.#parts.identity.nodeId, GONE).replace(/[^.]+$/, to);
      this.#messages.report(subjects.requestSubject(to, verb), frame, gone);
    });
    this.#hasMet = true;
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, members, requestLinks } = this.#parts;
    for (let beat = 1; !signal.aborted; beat += 1) {
      await pause(clock, BEAT_MS, signal);
      const gone = members.sweep();
      for (const node of gone) requestLinks.close(node, 'nothing arrived from it for a while');
      // All that joined within one second, at once: a list of a thousand with each of a thousand would be a
      // million names.
      if (gone.length > 0 || this.#hasMet) this.#link?.membersChanged();
      this.#hasMet = false;
      if (this.#parts.hasMoved()) this.#stop.abort(); // after reconnecting, it subscribes and publishes for its current location
      if (beat % BEATS_OF_DIGEST !== 0) continue;
      this.#link?.publishDigest();
      this.#link?.publishLost();
      this.#publisher.reportSlow();
    }
  }

  /** Status of the server apart from messages: missing permissions, a slow reader, its own end. */
  async #follow(signal: AbortSignal): Promise<void> {
    for await (const status of this.#parts.fleetServer.connection.status()) {
      if (signal.aborted) return;
      if (status.type !== 'error') continue;
      this.#parts.counts.refused += 1;
      const { error } = status;
      // Without all of its subjects this node would silently lack what is published there. It connects again,
      // because a server that reloads its permissions keeps the connection, but not what it refused.
      if (error instanceof errors.PermissionViolationError) this.#fail(notPermitted(error.subject));
    }
  }

  #problemOf(error: unknown): FleetProblem {
    if (error instanceof StateStreamMissing) return noStateStream(this.#parts.subjects);
    const { servers, fleetServer: server } = this.#parts;
    const refused = refusedSubject(error);
    if (refused !== undefined) return notPermitted(refused);
    const violation = server.violation();
    return silenceOf(server.connection, violation ?? error) ?? lossOf(servers, violation ?? error);
  }

  /** The server responds: with trouble, or without it again. */
  #report(trouble: FleetProblem | undefined): void {
    if (this.#stop.signal.aborted || this.#link === undefined) return;
    if (trouble === undefined && this.#trouble === undefined) return;
    if (trouble !== undefined && trouble.code === this.#trouble?.code) return;
    this.#trouble = trouble;
    this.#standConnected();
  }

  /** Once per connection: the reader must act on the first report. */
  #reportMisuse(node: NodeId, what: string): void {
    if (this.#misuse !== undefined) return;
    this.#parts.counts.misuses += 1;
    this.#misuse = misused(node, what);
    if (this.#link !== undefined) this.#standConnected();
  }

  #standConnected(): void {
    const { version } = this.#parts.fleetServer.connection.info ?? { version: 'unknown' };
    const trouble = this.#trouble ?? this.#misuse;
    this.#parts.stand({ kind: 'connected', server: this.#address, version, trouble });
  }

  #fail(problem: FleetProblem): void {
    this.#parts.counts.lost += 1;
    this.#parts.stand({ kind: 'failed', problem });
    this.#stop.abort();
  }

  #leave(isStopped: boolean): void {
    const { members, requestLinks } = this.#parts;
    const detail = isStopped ? 'this node stops' : 'the connection to the fleet ended';
    this.#link?.end({ reason: isStopped ? 'stopped' : 'lost', by: 'peer', detail });
    requestLinks.closeAll(detail);
    members.clear();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }
}

const NO_RESPONDERS = 503;
const GONE = 'gone';
const EARLY_MAX = 65_536;
const EARLY_BYTES_MAX = 67_108_864;
const BEAT_MS = 1_000;
const BEATS_OF_DIGEST = 5;
const FLUSH_MS = 500;

// How much each publisher of a fleet may have this node read: opening a message costs time, and one whose
// credentials were stolen can send as fast as its network carries. Messages above the rate are dropped before
// they are opened; readings are repeated, records requested again.
class PublisherRates {
  readonly #messages: AddressBuckets;
  readonly #bytes: AddressBuckets;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#messages = new AddressBuckets(clock, MESSAGE_RATE, FLEET_MEMBERS_MAX);
    this.#bytes = new AddressBuckets(clock, BYTE_RATE, FLEET_MEMBERS_MAX);
  }

  take(publisher: NodeId, bytes: number): boolean {
    return this.#messages.of(publisher).take() && this.#bytes.of(publisher).take(bytes);
  }
}

/** A node sends ten readings a second at most, and answers 64 requests for records. */
const MESSAGE_RATE = { burst: 4_096, perSecond: 512 };
const BYTE_RATE = { burst: 67_108_864, perSecond: 16_777_216 };
