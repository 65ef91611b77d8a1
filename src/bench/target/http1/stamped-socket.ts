// A connection in our own read loop, whose bytes carry the kernel's timestamps. The kernel merges segments that wait to be
// read, and the newest timestamp remains: what arrived between two timestamps is reported with that interval.

import { EventEmitter } from 'node:events';
import { POLLED } from '../../../native/kernel-layout.ts';
import { NOTHING_YET, SocketError } from '../../../native/sockets.ts';
import type { PolledSocket, ReadLoop } from '../../loop/read-loop.ts';
import type { DialedSocket, ReadArrival, ReadReceiver } from './dialer.ts';
import { eventEnd, lastEventStart, SegmentCount } from './read-parts.ts';

interface StampedSocketParts {
  readonly loop: ReadLoop;
  readonly port: number;
  readonly received: ReadReceiver;
}

export class StampedSocket extends EventEmitter implements DialedSocket, PolledSocket {
  readonly #parts: StampedSocketParts;
  #fd = CLOSED;
  #id = 0;
  #isConnecting = false;
  #addresses: readonly string[] = [];
  #attempt: Disposable | undefined;
  /** Of the first address that failed. */
  #failure: Error | undefined;
  #unsent: Uint8Array = NOTHING;
  #unsentFrom = 0;
  /** Bytes written so far: departures are numbered by them. */
  #written = 0;
  /** What was read later had not arrived at this time. */
  #emptyNs = 0;
  #lastStampNs = 0;
  /** Reads of the reply that are still separated, however punctual they are. */
  #firstReads = 0;
  /** The server last sent the head and what follows in one segment: there was nothing to separate. */
  #startsInOneSegment = false;
  readonly #arrival: ReadArrival = { stampNs: 0, lateNs: 0, hasMore: false };
  readonly #segments: SegmentCount = new SegmentCount();
  /** Ends and timestamps of the events of one read. */
  readonly #ends: number[] = [];
  readonly #stampsNs: number[] = [];

  constructor(parts: StampedSocketParts) {
    super();
    this.#parts = parts;
  }

  /** Tries one after the other. */
  connect(addresses: readonly string[]): void {
    const [address, ...others] = addresses;
    if (address === undefined || this.#fd === DESTROYED) return;
    this.#addresses = others;
    const { loop, port } = this.#parts;
    try {
      this.#fd = loop.io.connect(address, port);
      this.#isConnecting = true;
      this.#id = loop.add(this.#fd, POLLED.in | POLLED.out, this);
      if (others.length > 0) this.#attempt = loop.after(ATTEMPT_MS, () => this.#attemptFailed('ETIMEDOUT'));
      this.emit('connectionAttempt');
    } catch (error) {
      // Observers of the connection come after the call that starts it.
      queueMicrotask(() => this.#attemptFailed(error instanceof SocketError ? error.code : String(error)));
    }
  }

  /** Its name could not be resolved. */
  failed(error: Error): void {
    this.#fail(error);
  }

  get writableLength(): number {
    return this.#unsent.length - this.#unsentFrom;
  }

  /** Every connection has it from the start. */
  setNoDelay(): void {}

  write(bytes: Uint8Array): void {
    this.#unsent = bytes;
    this.#unsentFrom = 0;
    this.#emptyNs = Math.max(this.#emptyNs, this.#parts.loop.nowNs());
    this.#firstReads = FIRST_READS;
    this.#flush(false);
  }

  /** When the last byte written left; undefined if that is not known yet. */
  departedNs(fromNs: number): number | undefined {
    const { io, clock, nowNs } = this.#parts.loop;
    if (this.writableLength > 0) return undefined;
    while (this.#fd >= 0 && io.departure(this.#fd)) {
      if (io.stamp.byteIndex !== (this.#written - 1) >>> 0 || io.stamp.stampNs < 0) continue;
      const untilNs = nowNs();
      clock.check(untilNs);
      const departedNs = clock.toRun(io.stamp.stampNs) - clock.errorNs;
      const isPlausible = departedNs > fromNs - DOUBT_NS && departedNs < untilNs + DOUBT_NS;
      if (clock.isUnsteady || !isPlausible) return undefined;
      return Math.min(untilNs, Math.max(fromNs, departedNs));
    }
    return undefined;
  }

  destroy(): void {
    this.#close();
    this.#fd = DESTROYED;
  }

  ready(events: number): void {
    if (this.#isConnecting) {
      this.#connected();
      return;
    }
    if ((events & POLLED.error) !== 0) while (this.#parts.loop.io.departure(this.#fd));
    if ((events & POLLED.out) !== 0 && this.writableLength > 0) this.#flush(true);
    if ((events & (POLLED.in | POLLED.error | POLLED.hangUp)) !== 0 && this.#fd >= 0) this.#read();
  }

  #connected(): void {
    const { loop } = this.#parts;
    const code = loop.io.errorOf(this.#fd);
    if (code !== '') {
      this.#attemptFailed(code);
      return;
    }
    this.#isConnecting = false;
    this.#attempt?.[Symbol.dispose]();
    // If the kernel refuses, reads without a timestamp have an interval.
    loop.io.enableStamps(this.#fd);
    loop.change(this.#fd, POLLED.in, this.#id);
    this.#emptyNs = loop.roundNs;
    this.emit('connect');
  }

  #attemptFailed(code: string): void {
    if (this.#fd === DESTROYED) return;
    this.#failure ??= new SocketError('connect', code);
    this.#close();
    if (this.#addresses.length > 0) this.connect(this.#addresses);
    else this.#fail(this.#failure);
  }

  #fail(error: Error): void {
    this.#close();
    if (this.#fd === DESTROYED) return;
    this.emit('error', error);
    this.emit('close');
  }

  #close(): void {
    this.#attempt?.[Symbol.dispose]();
    this.#unsent = NOTHING;
    this.#unsentFrom = 0;
    if (this.#fd < 0) return;
    this.#parts.loop.remove(this.#id);
    this.#parts.loop.io.close(this.#fd);
    this.#fd = CLOSED;
    this.#isConnecting = false;
  }

  #flush(isWatched: boolean): void {
    const { loop } = this.#parts;
    try {
      while (this.writableLength > 0) {
        const sent = loop.io.send(this.#fd, this.#unsent, this.#unsentFrom);
        if (sent === NOTHING_YET) break;
        this.#unsentFrom += sent;
        this.#written += sent;
      }
    } catch (error) {
      this.#failLater(error);
      return;
    }
    const isWaiting = this.writableLength > 0;
    if (isWaiting !== isWatched)
      loop.change(this.#fd, isWaiting ? POLLED.in | POLLED.out : POLLED.in, this.#id);
  }

  /** Not within the call that writes. */
  #failLater(error: unknown): void {
    queueMicrotask(() => this.#fail(asError(error)));
  }

  #read(): void {
    const { loop } = this.#parts;
    const { io } = loop;
    for (let reads = 0; reads < READS_MAX && this.#fd >= 0; reads += 1) {
      let count: number;
      // An interval of the first events would reach back to the request.
      const isApart = loop.isLate || (this.#firstReads > 0 && !this.#startsInOneSegment);
      try {
        count = isApart ? io.peek(this.#fd) : io.receive(this.#fd);
      } catch (error) {
        this.#fail(asError(error));
        return;
      }
      if (count === NOTHING_YET) {
        this.#segments.drained();
        return;
      }
      if (count === 0) {
        this.emit('end');
        this.#close();
        return;
      }
      if (this.#firstReads > 0) this.#firstReads -= 1;
      const isDrained = count < io.bytes.length;
      loop.clock.check(loop.nowNs());
      const isWhole = this.#deliver(isApart ? this.#separate(count) : this.#together(count));
      if (!isWhole) return;
      if (isDrained) this.#emptyNs = Math.max(this.#emptyNs, loop.roundNs);
      if (isDrained && !this.#segments.isUncounted) return;
    }
  }

  /** Only the last event of several segments has a timestamp of its own. @returns the number of parts */
  #together(count: number): number {
    const { io } = this.#parts.loop;
    const lastStart = lastEventStart(io.bytes, count);
    const stampNs = this.#stampNs();
    this.#segments.read();
    const isOne = lastStart === 0 || this.#segments.isOne(io, this.#fd);
    if (!isOne) this.#startsInOneSegment = false;
    this.#ends[0] = isOne ? count : lastStart;
    this.#stampsNs[0] = stampNs;
    this.#ends[1] = count;
    this.#stampsNs[1] = stampNs;
    return isOne ? 1 : 2;
  }

  /** Takes peeked bytes event by event: each that was not merged has its own timestamp. @returns the number of parts */
  #separate(count: number): number {
    const { io } = this.#parts.loop;
    let parts = 0;
    for (let from = 0; from < count; parts += 1) {
      const end = parts === PARTS_MAX - 1 ? count : eventEnd(io.bytes, from, count);
      io.skip(this.#fd, end - from);
      const stampNs = this.#stampNs();
      // Of events with the same timestamp, all but the last form one part.
      if (parts > 1 && this.#stampsNs[parts - 1] === stampNs && this.#stampsNs[parts - 2] === stampNs)
        parts -= 1;
      this.#ends[parts] = end;
      this.#stampsNs[parts] = stampNs;
      from = end;
    }
    this.#segments.read();
    if (parts !== 2 || this.#stampsNs[0] !== this.#stampsNs[1] || !this.#segments.isOne(io, this.#fd))
      return parts;
    this.#startsInOneSegment = true;
    this.#ends[0] = count;
    return 1;
  }

  /** @returns false if the connection was closed meanwhile */
  #deliver(parts: number): boolean {
    const { loop, received } = this.#parts;
    const { io } = loop;
    const arrival = this.#arrival;
    const errorNs = loop.clock.errorNs + STAMP_ERROR_NS;
    let emptyNs = this.#emptyNs;
    let start = 0;
    for (let part = 0; part < parts; part += 1) {
      const end = this.#ends[part] ?? 0;
      const ownNs = this.#stampsNs[part] ?? UNSTAMPED;
      const isMerged = part + 1 < parts && this.#stampsNs[part + 1] === ownNs;
      const stampNs = ownNs === UNSTAMPED ? loop.nowNs() : ownNs;
      arrival.stampNs = stampNs;
      arrival.lateNs = isMerged || ownNs === UNSTAMPED ? Math.max(errorNs, stampNs - emptyNs) : errorNs;
      arrival.hasMore = part + 1 < parts;
      if (!isMerged) emptyNs = Math.max(emptyNs, stampNs - errorNs);
      if (!received(io.bytes, start, end, arrival)) return false;
      start = end;
    }
    return true;
  }

  /** Of the last bytes received; UNSTAMPED if there is none that can be true. */
  #stampNs(): number {
    const { loop } = this.#parts;
    const { stampNs: wallNs } = loop.io.stamp;
    const stampNs = wallNs < 0 ? UNSTAMPED : loop.clock.toRun(wallNs);
    // Most bytes came before the round that reads them.
    const latestNs = stampNs > loop.roundNs ? loop.nowNs() : loop.roundNs;
    if (stampNs === UNSTAMPED || stampNs > latestNs + DOUBT_NS || stampNs < this.#emptyNs - DOUBT_NS)
      return UNSTAMPED;
    this.#lastStampNs = Math.max(this.#lastStampNs, this.#emptyNs, Math.min(stampNs, latestNs));
    return this.#lastStampNs;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const CLOSED = -1;
const DESTROYED = -2;
const UNSTAMPED = -1;
const NOTHING: Uint8Array = new Uint8Array(0);
/** A name with several addresses: how long each may take, as in Node. */
const ATTEMPT_MS = 250;
/** Reads of one connection before others get their turn. */
const READS_MAX = 4;
/** Of a reply: its head and its first events, also where an event without content precedes the first token. */
const FIRST_READS = 3;
/** Events of one read that are separated. */
const PARTS_MAX = 64;
/**
 * How late the kernel's own timestamp may be: 4 µs on average and 22 µs at p99 were measured with a load average of ten,
 * and 31 µs for a server that writes ten times a second, whose first write after a pause takes longer.
 */
const STAMP_ERROR_NS = 60_000;
/** Beyond it a timestamp contradicts the clock: the wall clock was set. */
const DOUBT_NS = 50_000;
