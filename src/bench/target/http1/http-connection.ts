// One connection to the server and the one request it may carry. The read callback is the measuring path: timestamp,
// framing, copy, and nothing else.

import type { ConnectionProblem } from '../../../core/run/connection-problems.ts';
import { type EndKind, isCancelled } from '../../arena/load-record.ts';
import type { SampleEnd } from '../../arena/load-recorder.ts';
import { connectionProblem, lostBecause } from '../connection-problem.ts';
import type { ConnectionCounts, ConnectionOwner } from './connection-owner.ts';
import type { DialedSocket, ReadArrival } from './dialer.ts';
import {
  CancelTimer,
  ERROR_BODY_BYTES_MAX,
  isClosedBeforeReceipt,
  NO_READ,
  type PassedDeadline,
  passedDeadline,
} from './reply-deadlines.ts';
import type { PreparedRequest } from './request-writer.ts';
import { type ReplySink, ResponseFramer } from './response-framer.ts';

/** How the last request of a connection ended, as far as its transport shows. */
export interface RequestEnd {
  /** No connection, a cut one, or a status other than 2xx. The content of a 200 reply is for its parser. */
  readonly hasFailed: boolean;
  /** ns since it was due, connection setup included. */
  readonly tookNs: number;
}

export class HttpConnection implements ReplySink {
  readonly slot: number;
  readonly request: PreparedRequest = { sampleId: 0, promptIndex: -1, bytes: Buffer.alloc(0) };
  state: 'closed' | 'connecting' | 'idle' | 'busy' = 'closed';
  /** Whether it has a sample, either written or waiting for the connection. */
  hasSample = false;
  /** Its target, one of the load's. */
  target = 0;
  /** ms after sending at which its next sample is cancelled on purpose; NONE: never. */
  cancelAfterMs: number = NONE;
  /** End of its last sample. */
  endedNs = 0;
  lastEnd: RequestEnd = { hasFailed: false, tookNs: 0 };
  readonly #owner: ConnectionOwner<HttpConnection>;
  readonly #counts: ConnectionCounts;
  readonly #framer: ResponseFramer = new ResponseFramer(this);
  #socket: DialedSocket | undefined;
  #hasTcp = false;
  readonly #cancelTimer: CancelTimer;
  #openingNs = 0;
  /** Index of the address of the target's name. */
  #address = NONE;
  #triedAddresses = 0;
  /** Start of the latest attempt: a name has several addresses, and resolving it is not part of a round trip. */
  #attemptNs = 0;
  #repliesOnSocket = 0;
  #isResend = false;
  #hasIssued = false;
  #isWarmup = false;
  #intendedNs = 0;
  #heldBackNs = 0;
  #takenNs = 0;
  readonly #waiting = { sentNs: 0, lastReadNs: NO_READ, errorNs: NO_READ };
  #writeNs = 0;
  #firstByteNs = NONE;
  #readNs = 0;
  #readEnd = 0;
  #hasBody = false;
  #isFull = false;
  /** Bytes of an error's body. */
  #errorBytes = 0;
  #bytesSent = 0;
  #bytesReceived = 0;

  constructor(slot: number, owner: ConnectionOwner<HttpConnection>, counts: ConnectionCounts) {
    this.slot = slot;
    this.#owner = owner;
    this.#counts = counts;
    this.#cancelTimer = new CancelTimer(owner, atNs => this.end('cancelled-as-planned', '', atNs));
  }

  open(): void {
    this.#openingNs = this.#owner.nowNs();
    this.#openTo(this.#owner.addresses.take(this.#openingNs));
  }

  #openTo(address: number): void {
    this.#address = address;
    this.#triedAddresses += 1;
    this.state = 'connecting';
    this.#hasTcp = false;
    this.#repliesOnSocket = 0;
    this.#attemptNs = this.#owner.nowNs();
    const dialer = this.#owner.dialerOf(this.target);
    const socket = dialer.dial(
      (bytes, start, end, arrival) => this.#received(socket, bytes, start, end, arrival),
      this.#owner.addresses.hostOf(address),
    );
    this.#socket = socket;
    socket.on('connectionAttempt', () => {
      this.#attemptNs = this.#owner.nowNs();
    });
    socket.once('connect', () => {
      this.#hasTcp = true;
      dialer.shookHands(this.#owner.nowNs() - this.#attemptNs);
      socket.setNoDelay(true);
    });
    socket.once(dialer.isTls ? 'secureConnect' : 'connect', () => this.#connected(socket));
    socket.once('end', () => this.#lost(socket, lostBecause('the server closed the connection'), false));
    socket.once('error', error => this.#lost(socket, connectionProblem(error), true));
    socket.once('close', () => this.#lost(socket, lostBecause('the connection closed'), false));
  }

  /** Sends `request`; on a closed connection, once it is open. `intendedNs` NONE: the time of sending. */
  send(intendedNs: number, heldBackNs: number, isWarmup: boolean): void {
    this.hasSample = true;
    this.#isWarmup = isWarmup;
    this.#intendedNs = intendedNs;
    this.#heldBackNs = heldBackNs;
    this.#takenNs = this.#owner.nowNs();
    this.#hasIssued = false;
    this.#writeNs = 0;
    this.#isResend = false;
    this.#bytesSent = 0;
    this.#bytesReceived = 0;
    this.#firstByteNs = NONE;
    this.#waiting.lastReadNs = NO_READ;
    if (this.state === 'idle') this.#write(0);
    else if (this.state === 'closed') this.open();
  }

  isOverdue(nowNs: number): boolean {
    return this.#passedDeadline(nowNs) !== undefined;
  }

  /** Ends a request that exceeded its deadline. */
  endOverdue(nowNs: number): void {
    const passed = this.#passedDeadline(nowNs);
    if (passed === undefined) return;
    if (passed.kind === 'timeout-connect') {
      this.#owner.addresses.failed(this.#address, nowNs);
      this.#triedAddresses = 0;
      if (!this.hasSample) {
        this.#abandon(lostBecause(passed.detail));
        return;
      }
    }
    this.end(passed.kind, passed.detail, nowNs);
  }

  #passedDeadline(nowNs: number): PassedDeadline | undefined {
    const { timeouts } = this.#owner;
    if (this.state === 'busy') return passedDeadline(timeouts, this.#waiting, nowNs);
    if (this.state !== 'connecting') return undefined;
    const { connectMs, totalMs } = timeouts;
    if (nowNs - this.#openingNs > connectMs * 1e6)
      return { kind: 'timeout-connect', detail: `no connection within ${connectMs} ms` };
    return this.hasSample && this.#hasIssued && nowNs - this.#waiting.sentNs > totalMs * 1e6
      ? { kind: 'timeout-total', detail: `no end within ${totalMs} ms` }
      : undefined;
  }

  /** Ends the sample and, unless the reply was whole, the connection. */
  end(kind: EndKind, detail: string, atNs: number, canReuse = false): void {
    const { recorder } = this.#owner;
    this.#cancelTimer.clear();
    if (!this.#hasIssued) this.#issue(this.#takenNs, atNs - this.#openingNs);
    const end: SampleEnd = {
      kind,
      detail,
      bytesSent: this.#bytesSent,
      bytesReceived: this.#bytesReceived,
      firstByteNs: this.#firstByteNs,
    };
    recorder.ended(this.request.sampleId, this.slot, atNs, end);
    this.endedNs = atNs;
    this.lastEnd = { hasFailed: this.#hasFailed(kind), tookNs: atNs - this.#takenNs };
    this.hasSample = false;
    if (canReuse) this.state = 'idle';
    else this.close();
    this.#owner.sampleEnded(this);
  }

  /** A closed one may be opened to another target. */
  goTo(target: number): void {
    if (this.target === target) return;
    this.target = target;
    this.request.promptIndex = -1;
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (this.state !== 'connecting' && this.state !== 'closed') this.#counts.closed += 1;
    this.state = 'closed';
    socket?.destroy();
  }

  replyBegan(): void {
    this.#firstByteNs = this.#readNs;
  }

  headEnded(): void {
    const { head } = this.#framer;
    if (!isSuccess(head.status)) this.#waiting.errorNs = this.#readNs;
    this.#owner.recorder.head(this.request.sampleId, this.slot, this.#readNs, this.#firstByteNs, head);
  }

  bodyBytes(bytes: Buffer, start: number, end: number): void {
    const { recorder } = this.#owner;
    if (this.#waiting.errorNs !== NO_READ) this.#errorBytes += end - start;
    if (!this.#hasBody) {
      if (this.#isFull || !recorder.beginBody(this.#readEnd - start)) {
        this.#isFull = true;
        return;
      }
      this.#hasBody = true;
    }
    recorder.addBody(bytes, start, end);
  }

  #connected(socket: DialedSocket): void {
    if (socket !== this.#socket) return;
    this.#counts.opened += 1;
    this.#triedAddresses = 0;
    this.state = 'idle';
    if (!this.hasSample) {
      this.#owner.opened(this);
      return;
    }
    const nowNs = this.#owner.nowNs();
    this.#write(nowNs - this.#openingNs);
  }

  #write(connectNs: number): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#framer.reset();
    this.#waiting.errorNs = NO_READ;
    this.#errorBytes = 0;
    this.state = 'busy';
    if (this.#repliesOnSocket > 0) this.#counts.reused += 1;
    const fromNs = this.#owner.nowNs();
    // Stamped as late as possible; without a callback, which would cost a turn of the tick queue for each request.
    socket.write(this.request.bytes);
    const departedNs = socket.departedNs?.(fromNs);
    const sentNs = departedNs ?? fromNs;
    this.#writeNs = departedNs === undefined ? this.#owner.nowNs() - fromNs : 0;
    this.#bytesSent += this.request.bytes.length;
    if (this.#isResend) return;
    this.#issue(sentNs, connectNs);
    this.#cancelTimer.arm(sentNs, this.cancelAfterMs);
  }

  #issue(sentNs: number, connectNs: number): void {
    this.#hasIssued = true;
    this.#waiting.sentNs = sentNs;
    this.#owner.recorder.issued(
      this.request.sampleId,
      this.slot,
      sentNs,
      this.#intendedNs === NONE ? sentNs : this.#intendedNs,
      connectNs,
      this.#heldBackNs,
      this.#isWarmup,
      this.#writeNs,
      this.#address,
    );
  }

  #received(socket: DialedSocket, bytes: Buffer, start: number, end: number, arrival?: ReadArrival): boolean {
    const stampNs = arrival?.stampNs ?? this.#owner.nowNs();
    if (socket !== this.#socket) return false;
    if (this.state !== 'busy') {
      // Unrequested bytes, such as a 408: they could not be distinguished from the next reply.
      this.#lost(socket, lostBecause('the server sent bytes on an idle connection'), false);
      return false;
    }
    this.#owner.readHappened(stampNs, arrival);
    this.#readNs = stampNs;
    this.#readEnd = end;
    this.#waiting.lastReadNs = stampNs;
    this.#hasBody = false;
    this.#bytesReceived += end - start;
    const framer = this.#framer;
    const used = framer.push(bytes, start, end);
    if (this.#hasBody) this.#owner.recorder.commitBody(this.request.sampleId, this.slot, stampNs);
    if (this.#isFull) {
      this.#isFull = false;
      this.#owner.arenaFull();
      this.end('client', 'no space for the reply: the parse thread is behind', stampNs);
    } else if (framer.isDone) {
      this.#repliesOnSocket += 1;
      // A reply may arrive before its request is completely sent.
      const hasWritten = socket.writableLength === 0;
      if (this.#repliesOnSocket > 1) this.#owner.closing.keptAfterReply(this.target);
      const isKept =
        framer.head.keepsAlive && used === end - start && arrival?.hasMore !== true && hasWritten;
      this.end('whole', '', stampNs, isKept && !this.#owner.closing.closes(this.target));
    } else if (framer.problem !== '') {
      this.end('malformed', framer.problem, stampNs);
    } else if (this.#errorBytes > ERROR_BODY_BYTES_MAX) {
      this.end('truncated', `the error is longer than ${ERROR_BODY_BYTES_MAX} bytes`, stampNs);
    }
    return socket === this.#socket;
  }

  /** The socket is gone, reported by any of its events: only the first one counts. */
  #lost(socket: DialedSocket, why: ConnectionProblem, isError: boolean): void {
    if (socket !== this.#socket) return;
    if (this.state === 'connecting') {
      if (this.#triesAnother(why)) return;
      if (!this.hasSample) this.#abandon(why);
      else {
        this.end(why.isOurs ? 'client' : this.#hasTcp ? 'tls' : 'connect', why.problem, this.#owner.nowNs());
      }
    } else if (this.state === 'idle') {
      this.#noteClose();
      this.close();
      this.#owner.lostIdle(this);
    } else {
      this.#lostBusy(why.problem, isError);
    }
  }

  #lostBusy(why: string, isError: boolean): void {
    const nowNs = this.#owner.nowNs();
    if (this.#isStale(nowNs)) {
      this.#resend();
      return;
    }
    if (!isError && this.#waiting.lastReadNs !== NO_READ && this.#framer.endOfConnection())
      this.end('whole', '', nowNs);
    else if (isError) this.end('reset', why, nowNs);
    else if (this.#waiting.lastReadNs === NO_READ)
      this.end('reset', 'the server closed the connection before it answered', nowNs);
    else this.end('truncated', 'the connection closed before the end of the reply', nowNs);
  }

  #isStale(nowNs: number): boolean {
    if (this.#repliesOnSocket === 0 || this.#isResend) return false;
    return isClosedBeforeReceipt(this.#waiting, nowNs, this.#owner.dialerOf(this.target).roundTripNs);
  }

  /** A name has other addresses than the one that refused; each is tried once. */
  #triesAnother({ isOurs }: ConnectionProblem): boolean {
    const { addresses } = this.#owner;
    if (this.#hasTcp || isOurs || addresses.count === 0) return false;
    const nowNs = this.#owner.nowNs();
    addresses.failed(this.#address, nowNs);
    if (this.#triedAddresses >= addresses.count) {
      this.#triedAddresses = 0;
      return false;
    }
    this.close();
    this.#openTo(addresses.take(nowNs));
    return true;
  }

  /** A close after a while does not count: an idle timeout is normal. */
  #noteClose(): void {
    if (this.#repliesOnSocket === 0) return;
    const sinceReply = { sentNs: this.endedNs, lastReadNs: NO_READ };
    const { roundTripNs } = this.#owner.dialerOf(this.target);
    if (isClosedBeforeReceipt(sinceReply, this.#owner.nowNs(), roundTripNs))
      this.#owner.closing.closedAfterReply(this.target);
  }

  #resend(): void {
    this.#noteClose();
    this.#counts.stale += 1;
    this.#isResend = true;
    this.close();
    this.open();
  }

  #hasFailed(kind: EndKind): boolean {
    if (kind === 'whole') return !isSuccess(this.#framer.head.status);
    return !isCancelled(kind);
  }

  #abandon(problem: ConnectionProblem): void {
    this.close();
    this.#owner.openFailed(this, problem);
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export const NONE = -1;
