// A link over a pipe: pings, the queue's limits, and an orderly end. It is up once both ends have accepted it, so both
// always agree on which of two links stays.

import { type Clock, unlessAborted } from '../../clock/clock.ts';
import { deadline } from '../../clock/deadline.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { errorMessage } from '../../core/problem.ts';
import { showable } from '../../core/text/single-line.ts';
import type { CloseReason, LinkClose, MeshLimits, MeshLink, Unsubscribe } from '../mesh.ts';
import { FrameListeners, Listeners } from './listeners.ts';
import { isPing, Pings } from './pings.ts';
import { FRAME, type Handshake } from './pipe.ts';

export class PeerLink implements MeshLink {
  readonly peerId: NodeId;
  readonly peerPublicKey: Uint8Array;
  readonly peerStart: number;
  readonly peerInstance: string;
  readonly remoteAddress: HostPort;
  readonly isInitiator: boolean;
  readonly keyId: string;
  /** Resolves when the pipe is gone. */
  readonly ended: Promise<void>;
  readonly #handshake: Handshake;
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #end = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #frames = new FrameListeners(error => this.close('malformed', errorMessage(error)));
  readonly #drains = new Listeners<void>();
  readonly #closes = new Listeners<LinkClose>();
  readonly #ups = new Listeners<void>();
  readonly #pings: Pings;
  #lastMessageAtMs: number;
  #isPaused = false;
  #isReady = false;
  #isPeerReady = false;
  #isFull = false;
  #isGone = false;
  #close: LinkClose | undefined;

  constructor(handshake: Handshake, clock: Clock, limits: MeshLimits) {
    const { peer, remoteAddress, isInitiator, keyId } = handshake;
    this.peerId = peer.nodeId;
    this.peerPublicKey = peer.publicKey;
    this.peerStart = peer.start;
    this.peerInstance = peer.instance;
    this.remoteAddress = remoteAddress;
    this.isInitiator = isInitiator;
    this.keyId = keyId;
    this.ended = this.#end.promise;
    this.#handshake = handshake;
    this.#clock = clock;
    this.#pings = new Pings(clock);
    this.#limits = limits;
    this.#lastMessageAtMs = clock.nowMs();
  }

  /** Starts to read and to ping; resolves when the pings end. */
  async run(): Promise<void> {
    this.#handshake.pipe.listen({
      frame: (kind, payload) => this.#take(kind, payload),
      received: () => {
        this.#lastMessageAtMs = this.#clock.nowMs();
      },
      drained: () => this.#reportDrained(),
      malformed: detail => this.close('malformed', detail),
      closed: detail => this.#gone(detail),
    });
    await this.#watch();
  }

  get isOpen(): boolean {
    return this.#close === undefined;
  }

  /** Both ends have accepted it. */
  get isUp(): boolean {
    return this.isOpen && this.#isReady && this.#isPeerReady;
  }

  get closeInfo(): LinkClose | undefined {
    return this.#close;
  }

  get queuedBytes(): number {
    return this.isOpen ? this.#handshake.pipe.queuedBytes : 0;
  }

  /** Notifies the peer that this end accepts the link. */
  ready(): void {
    if (!this.isOpen || this.#isReady) return;
    this.#isReady = true;
    this.#handshake.pipe.write(FRAME.ready, NOTHING);
    if (this.#isPeerReady) this.#ups.emit();
  }

  onUp(listener: () => void): Unsubscribe {
    return this.#ups.add(listener);
  }

  /** Whether the peer's process answers now. */
  async answers(): Promise<boolean> {
    if (!this.isOpen) return false;
    using limit = deadline(this.#clock, this.#limits.holderAnswerMs, this.#stop.signal);
    if (limit.signal.aborted) return false;
    const { payload, answered, forget } = this.#pings.awaited();
    this.#ping(payload);
    const isAnswered = await unlessAborted(answered, limit.signal);
    forget();
    return isAnswered === true;
  }

  send(frame: Uint8Array): boolean {
    const { frameBytesMax, queueBytesHigh } = this.#limits;
    if (frame.length > frameBytesMax)
      throw new RangeError(`a frame of ${frame.length} bytes is longer than ${frameBytesMax}`);
    if (!this.isUp) return false;
    this.#handshake.pipe.write(FRAME.data, frame);
    this.#checkQueue();
    if (!this.isOpen) return false;
    this.#isFull ||= this.queuedBytes > queueBytesHigh;
    return !this.#isFull;
  }

  onFrame(listener: (frame: Uint8Array) => void): Unsubscribe {
    return this.#frames.add(listener);
  }

  pauseReading(): void {
    this.#isPaused = true;
    this.#handshake.pipe.pause();
  }

  resumeReading(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#lastMessageAtMs = this.#clock.nowMs();
    this.#handshake.pipe.resume();
  }

  onDrain(listener: () => void): Unsubscribe {
    return this.#drains.add(listener);
  }

  onClose(listener: (close: LinkClose) => void): Unsubscribe {
    if (this.#close === undefined) return this.#closes.add(listener);
    listener(this.#close);
    return () => undefined;
  }

  close(reason: CloseReason, detail = ''): void {
    if (!this.isOpen) return;
    const { pipe } = this.#handshake;
    this.#finish({ reason, by: 'self', detail });
    if (ABRUPT.has(reason)) pipe.destroy();
    else {
      pipe.write(FRAME.bye, encodeBye(reason, detail));
      pipe.end();
    }
  }

  /** Discards what is still queued in the pipe. */
  destroy(): void {
    this.#handshake.pipe.destroy();
  }

  #take(kind: number, payload: Uint8Array): void {
    if (!this.isOpen) return;
    switch (kind) {
      case FRAME.data:
        this.#deliver(payload);
        break;
      case FRAME.ping:
        this.#answer(payload);
        break;
      case FRAME.pong:
        this.#answered(payload);
        break;
      case FRAME.ready:
        this.#peerReady();
        break;
      case FRAME.bye:
        this.#finish({ ...decodeBye(payload), by: 'peer' });
        this.#handshake.pipe.destroy();
        break;
      default:
        this.close('malformed', `a frame of unknown kind ${kind}`);
    }
  }

  #deliver(payload: Uint8Array): void {
    if (!this.isUp) {
      this.close('malformed', 'data arrived before the link was up');
      return;
    }
    this.#frames.emit(payload);
    const { waitingBytes } = this.#frames;
    if (waitingBytes > this.#limits.queueBytesMax)
      this.close('overflow', `${waitingBytes} bytes wait for a receiver`);
  }

  #answer(payload: Uint8Array): void {
    if (!isPing(payload)) {
      this.close('malformed', 'a ping has another length');
      return;
    }
    if (!this.#pings.mayAnswer()) {
      this.close('malformed', 'it pings more often than a node does');
      return;
    }
    this.#handshake.pipe.write(FRAME.pong, payload);
    this.#checkQueue();
  }

  #answered(payload: Uint8Array): void {
    if (isPing(payload)) this.#pings.answered(payload);
    else this.close('malformed', 'a pong has another length');
  }

  #peerReady(): void {
    if (this.#isPeerReady) {
      this.close('malformed', 'the peer accepted the link twice');
      return;
    }
    this.#isPeerReady = true;
    if (this.#isReady) this.#ups.emit();
  }

  #reportDrained(): void {
    if (!this.#isFull || !this.isOpen || this.queuedBytes > this.#limits.queueBytesHigh / 2) return;
    this.#isFull = false;
    this.#drains.emit();
  }

  #checkQueue(): void {
    const { queuedBytes } = this;
    if (queuedBytes > this.#limits.queueBytesMax)
      this.close('overflow', `${queuedBytes} bytes wait for a peer that does not read`);
  }

  #ping(payload: Uint8Array): void {
    this.#handshake.pipe.write(FRAME.ping, payload);
    this.#checkQueue();
  }

  async #watch(): Promise<void> {
    const { pingIntervalMs, deadAfterMs } = this.#limits;
    while (this.isOpen) {
      const sinceMs = this.#clock.nowMs();
      // Never zero: the rest may be so small that the sum of times rounds it away, and this would loop forever.
      const waitMs = Math.min(pingIntervalMs, Math.max(1, this.#lastMessageAtMs + deadAfterMs - sinceMs));
      try {
        await this.#clock.sleep(waitMs, this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        throw error;
      }
      const nowMs = this.#clock.nowMs();
      const oversleptMs = nowMs - sinceMs - waitMs;
      // This process was suspended: what the peer sent meanwhile has not been read yet; the peer was not
      // silent.
      if (oversleptMs > pingIntervalMs) this.#lastMessageAtMs += oversleptMs;
      if (this.#isPaused) this.#lastMessageAtMs = nowMs;
      if (nowMs - this.#lastMessageAtMs >= deadAfterMs) {
        this.close('silent', `nothing was received for ${deadAfterMs / 1_000} s`);
      } else this.#ping(this.#pings.next());
    }
  }

  #gone(detail: string): void {
    this.#isGone = true;
    this.#finish({ reason: 'lost', by: 'peer', detail });
    this.#end.resolve();
  }

  #finish(close: LinkClose): void {
    if (this.#close !== undefined) return;
    this.#close = close;
    this.#stop.abort();
    this.#closes.emit(close);
    for (const listeners of [this.#closes, this.#frames, this.#drains, this.#ups]) listeners.clear();
    if (!this.#isGone) this.#endSoon();
  }

  /** A peer that does not read cannot keep the pipe open by blocking the close message. */
  #endSoon(): void {
    const limit = deadline(this.#clock, CLOSE_MS, new AbortController().signal);
    limit.signal.addEventListener('abort', () => this.destroy(), { once: true });
    this.ended.then(() => limit[Symbol.dispose]()).catch(() => undefined);
  }
}

const NOTHING = new Uint8Array(0);
const CLOSE_MS = 500;
/** In these cases nothing would receive a close message, or it would be queued after what is stuck. */
const ABRUPT: ReadonlySet<CloseReason> = new Set(['silent', 'lost', 'overflow']);

// Why the other end closes the link: a code, and a short text for people.
export const encodeBye = (reason: CloseReason, detail: string): Uint8Array => {
  const bytes = new TextEncoder().encode(detail.slice(0, DETAIL_CHARACTERS_MAX));
  const payload = new Uint8Array(1 + bytes.length);
  payload[0] = CODES.indexOf(reason);
  payload.set(bytes, 1);
  return payload;
};

/** Never throws: an unreadable reason counts as a lost connection. */
export const decodeBye = (payload: Uint8Array): { readonly reason: CloseReason; readonly detail: string } => {
  const reason = CODES[payload[0] ?? CODES.length] ?? 'lost';
  // The text reaches terminals and logs.
  const text = new TextDecoder().decode(payload.subarray(1, 1 + 4 * DETAIL_CHARACTERS_MAX));
  return { reason, detail: showable(text, '?').slice(0, DETAIL_CHARACTERS_MAX) };
};

const DETAIL_CHARACTERS_MAX = 200;
/** Encoded by position: never reorder. */
const CODES: readonly CloseReason[] = [
  'stopped',
  'silent',
  'lost',
  'duplicate',
  'replaced',
  'identity-in-use',
  'overflow',
  'malformed',
  'key-removed',
];
