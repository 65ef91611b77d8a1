// Messages over one connection to a fleet's server: sealed on the way out, opened and checked on the way in.
// What is refused is counted by reason; nothing from a server or a stranger is passed on unopened.

import type { NodeId } from '../../core/ids.ts';
import { type FleetProblem, publishFailed, unreachable } from './fleet-problem.ts';
import type { FleetSubject, FleetSubjects } from './fleet-subjects.ts';
import type { ReplayGuard } from './replay-guard.ts';
import { SEAL_BYTES, type Sealer } from './sealed-message.ts';
import { causeOf, type FleetServer } from './server-connection.ts';
import { SERVER_PAYLOAD_BYTES_MAX } from './server-reader.ts';

export class FleetCounts {
  published = 0;
  received = 0;
  /** Sealed with no cluster key that this node accepts: from a stranger, or a node whose key is old. */
  wrongKey = 0;
  /** Changed on the way, or published under another node's id. */
  broken = 0;
  otherVersions = 0;
  /** Received before. */
  repeated = 0;
  /** Messages with a subject or headers that no node sends, or that are too large: not read. */
  leftOut = 0;
  /** Replies of the server to others, redirected to a subject of the fleet. */
  reflected = 0;
  /** From another daemon with the same identity. */
  twins = 0;
  /** From a muted node. */
  muted = 0;
  /** Connections on which a node was muted: too much of it does not open, or it publishes too fast. */
  misuses = 0;
  /** Above the server's limit for one message. */
  tooLarge = 0;
  /** Readings that waited here and were replaced by newer ones, or had no room. */
  dropped = 0;
  /** Times that a connection to a server was lost. */
  lost = 0;
  publishFailed = 0;
  /** What the server did not permit this node. */
  refused = 0;
}

export interface ReceivedMessage extends FleetSubject {
  readonly frame: Uint8Array;
}

interface FleetMessagesParts {
  readonly server: FleetServer;
  readonly subjects: FleetSubjects;
  readonly sealer: Sealer;
  readonly guard: ReplayGuard;
  readonly counts: FleetCounts;
  readonly self: NodeId;
  /** Another daemon publishes under this node's identity, or two under another's. */
  readonly twin: (node: NodeId) => void;
  /** The server does not accept a record, although it responds. */
  readonly trouble: (problem: FleetProblem) => void;
}

export class FleetMessages {
  readonly #parts: FleetMessagesParts;
  /** Bytes that were passed to the connection and may not have been sent yet. */
  #unflushedBytes = 0;
  #unackedBytes = 0;
  #isFlushing = false;
  #drained: () => void = () => undefined;

  constructor(parts: FleetMessagesParts) {
    this.#parts = parts;
  }

  get queuedBytes(): number {
    return this.#unflushedBytes + this.#unackedBytes;
  }

  get payloadBytesMax(): number {
    const { info } = this.#parts.server.connection;
    return Math.min(info?.max_payload ?? PAYLOAD_BYTES_DEFAULT, SERVER_PAYLOAD_BYTES_MAX);
  }

  onDrained(listener: () => void): void {
    this.#drained = listener;
  }

  /** Publishes to all current subscribers. */
  report(subject: string, frame: Uint8Array, reply?: string): void {
    const { server, sealer, counts } = this.#parts;
    if (server.connection.isClosed() || !this.#fits(frame)) return;
    const sealed = sealer.seal(subject, frame);
    server.connection.publish(subject, sealed, reply === undefined ? {} : { reply });
    counts.published += 1;
    this.#unflushedBytes += sealed.length;
    this.#flush();
  }

  /**
   * Stores a message in a stream. `id`: by which the server recognises a duplicate, sealed. False if the
   * server did not accept it; true also for one that is too large, because resending it would be useless.
   */
  async store(subject: string, frame: Uint8Array, id?: string): Promise<boolean> {
    const { server, sealer, counts } = this.#parts;
    if (!this.#fits(frame)) return true;
    const sealed = sealer.seal(subject, frame);
    counts.published += 1;
    this.#unackedBytes += sealed.length;
    try {
      const options = {
        timeout: ACK_TIMEOUT_MS,
        ...(id === undefined ? {} : { msgID: sealer.sealedId(id) }),
      };
      await server.jetStream.publish(subject, sealed, options);
      return true;
    } catch (error) {
      if (!server.connection.isClosed()) {
        counts.publishFailed += 1;
        this.#parts.trouble(publishFailed(subject, causeOf(error)));
      }
      return false;
    } finally {
      this.#settled(sealed.length);
    }
  }

  /** Undefined if it is refused. */
  open(subject: string, of: FleetSubject, data: Uint8Array): Uint8Array | undefined {
    const { sealer, guard, counts, self, twin } = this.#parts;
    const opened = sealer.open(subject, of.publisher, data);
    switch (opened.kind) {
      case 'opened':
        break;
      case 'wrong-key':
        counts.wrongKey += 1;
        return undefined;
      case 'broken':
        counts.broken += 1;
        return undefined;
      case 'other-version':
        counts.otherVersions += 1;
        return undefined;
      default:
        return opened satisfies never;
    }
    if (of.channel === 'state') return opened.frame;
    if (of.publisher === self) {
      if (opened.number.salt === sealer.salt) return undefined;
      counts.twins += 1;
      twin(self);
      return undefined;
    }
    if (of.channel === 'event') return opened.frame;
    const freshness = guard.check(of.publisher, opened.number);
    if (freshness === 'fresh') return opened.frame;
    if (freshness === 'twin') {
      counts.twins += 1;
      twin(of.publisher);
    } else counts.repeated += 1;
    return undefined;
  }

  #fits(frame: Uint8Array): boolean {
    if (frame.length + SEAL_BYTES + HEADER_BYTES <= this.payloadBytesMax) return true;
    this.#parts.counts.tooLarge += 1;
    return false;
  }

  /** Until the server has replied, what was sent counts as queued. */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const { connection } = this.#parts.server;
    const bytes = this.#unflushedBytes;
    connection.flush().then(
      () => {
        this.#isFlushing = false;
        this.#unflushedBytes -= bytes;
        if (this.#unflushedBytes > 0) this.#flush();
        this.#drained();
      },
      (error: unknown) => {
        this.#isFlushing = false;
        // The end of a connection is reported to its owner.
        if (!connection.isClosed())
          this.#parts.trouble(unreachable([connection.getServer()], causeOf(error)));
      },
    );
  }

  #settled(bytes: number): void {
    this.#unackedBytes -= bytes;
    this.#drained();
  }
}

const PAYLOAD_BYTES_DEFAULT = 1_048_576;
/** For a message in a stream: its id and protocol. */
const HEADER_BYTES = 256;
const ACK_TIMEOUT_MS = 10_000;
