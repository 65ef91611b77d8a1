// The event stream of all readers: one encoding of each batch, shared; at most one batch each flush interval, nothing
// while nothing happens but a heartbeat, by which a page distinguishes a quiet cluster from a stalled connection.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../clock/clock.ts';
import type { Event } from '../../../core/event.ts';
import { counted } from '../../../core/figure/figure.ts';
import type { NodeId } from '../../../core/ids.ts';
import { errorMessage } from '../../../core/problem.ts';
import { recordOf } from '../../../core/record-of.ts';
import { dropReasonSchema, type StreamCounts } from '../../../wire/api/daemon-answers.ts';
import {
  type DropReason,
  encodeBatch,
  encodeSnapshot,
  type WrittenMessage,
} from '../../../wire/stream-message.ts';
import type { Grant } from '../access.ts';
import type { ClusterFeed, HttpLimits } from '../http-options.ts';
import { RequestError } from '../request-error.ts';
import { StreamClient } from './stream-client.ts';
import { BatchRing, encodeServerEvent, RETRY_FRAME, sequenceOf, streamId } from './stream-frames.ts';

export interface StreamHubOptions {
  readonly clock: Clock;
  readonly cluster: ClusterFeed;
  readonly limits: HttpLimits;
  readonly nodeId: NodeId;
  readonly version: string;
  /** Unique to this start of the daemon; no dots. */
  readonly daemonStart: string;
  readonly isStillGranted: (grant: Grant) => boolean;
  readonly onFailure: (message: string, cause: unknown) => void;
}

interface SharedFrame {
  readonly after: number | undefined;
  readonly sequence: number;
  readonly madeAtMs: number;
  readonly frame: Buffer;
}

export class StreamHub implements AsyncDisposable {
  readonly #options: StreamHubOptions;
  readonly #stop = new AbortController();
  readonly #clients = new Set<StreamClient>();
  /** Dropped readers that may still read why. */
  readonly #leaving = new Set<StreamClient>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #ring: BatchRing;
  readonly #dropped: Record<DropReason, number> = recordOf(dropReasonSchema.options, () => 0);
  #refused = 0;
  #leftOut = 0;
  #sequence = 0;
  #pending: Event[] = [];
  #isFlushDue = false;
  #hasOverflowed = false;
  #lastReaderAtMs = Number.NEGATIVE_INFINITY;
  #sharedSnapshot: SharedFrame | undefined;
  #sharedResume: SharedFrame | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    const { resumeBatchesMax, resumeBytesMax } = options.limits;
    this.#ring = new BatchRing({ batchesMax: resumeBatchesMax, bytesMax: resumeBytesMax });
  }

  start(): void {
    this.#unsubscribe = this.#options.cluster.subscribe(
      events => this.#take(events),
      () => this.#startOver(),
    );
    this.#run(this.#beat());
  }

  counts(): StreamCounts {
    let queuedBytes = 0;
    for (const set of [this.#clients, this.#leaving])
      for (const client of set) queuedBytes += client.queuedBytes;
    return {
      clients: this.#clients.size,
      queuedBytes,
      refused: this.#refused,
      leftOut: this.#leftOut,
      dropped: { ...this.#dropped },
    };
  }

  /**
   * Of requests without the token there are so many at most, so that the owner always finds a slot; one of them that reads
   * nothing gives way. @throws RequestError 503 when no more streams are served; call it before the response is begun.
   */
  checkRoom(isOwner: boolean, others: readonly StreamClient[] = []): void {
    const { streamsMax, streamsOwnerMax } = this.#options.limits;
    const all = [...this.#clients, ...this.#leaving, ...others];
    const max = isOwner ? streamsMax + streamsOwnerMax : streamsMax;
    const rivals = isOwner ? all : all.filter(client => !client.isOwner);
    this.#makeRoom(rivals, max, 'Close some pages, or read /api/state.');
  }

  /**
   * Of a large cluster, whose snapshot has tens of MB and takes long to write: of the whole state there are few streams without the
   * token. @throws as `checkRoom`
   */
  checkWholeRoom(isOwner: boolean): void {
    if (isOwner) return;
    const rivals = [...this.#clients, ...this.#leaving].filter(client => !client.isOwner);
    const { wholeStreamsMax } = this.#options.limits;
    this.#makeRoom(rivals, wholeStreamsMax, 'Ask for a part of it (view=fleet), or send the token.');
  }

  #makeRoom(rivals: readonly StreamClient[], max: number, advice: string): void {
    if (rivals.length < max) return;
    if (rivals.some(client => !client.isOwner && client.giveWay())) return;
    this.#refused += 1;
    throw new RequestError(
      {
        code: 'too-many-streams',
        problem: `This daemon serves ${counted(max, 'such stream')} at once.`,
        advice,
      },
      { headers: { 'retry-after': '5' } },
    );
  }

  /** Takes over a response whose headers were sent. */
  open(
    response: ServerResponse,
    reader: { readonly grant: Grant; readonly isOwner: boolean; readonly lastId: string | undefined },
  ): void {
    const { clock, limits, daemonStart } = this.#options;
    const client = new StreamClient({
      response,
      grant: reader.grant,
      isOwner: reader.isOwner,
      clock,
      limits,
      onDropped: reason => {
        this.#dropped[reason] += 1;
        this.#leave(client);
      },
      onClosed: closed => {
        this.#clients.delete(closed);
        this.#leaving.delete(closed);
        this.#lastReaderAtMs = clock.nowMs();
      },
    });
    this.#clients.add(client);
    client.send(RETRY_FRAME);
    const after = sequenceOf(reader.lastId, daemonStart);
    const resumed = after === undefined ? undefined : this.#resumeFrame(after);
    client.sendSnapshot(resumed ?? this.#snapshotFrame());
  }

  /** Looks again at what each stream was let in with. */
  checkGrants(): void {
    for (const client of this.#clients) {
      if (!this.#options.isStillGranted(client.grant))
        client.drop(
          'access-ended',
          'the sign-in of this reader has ended; open the URL that "plimsoll open" prints',
        );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    for (const client of this.#clients) client.drop('stopping', 'the daemon is stopping');
    this.#stop.abort();
    await Promise.all(this.#tasks);
  }

  #take(events: readonly Event[]): void {
    if (!this.#isRecording()) {
      // There are no readers and none could resume: only the gap needs to be recorded.
      if (this.#ring.length > 0) this.#ring.clear();
      this.#sequence += 1;
      return;
    }
    if (this.#pending.length + events.length > this.#options.limits.pendingEventsMax) this.#startOver();
    else if (!this.#hasOverflowed) for (const event of events) this.#pending.push(event);
    this.#flushLater();
  }

  /** Every stream gets a new snapshot instead of the events that wait. */
  #startOver(): void {
    this.#pending = [];
    this.#hasOverflowed = true;
    this.#flushLater();
  }

  #flushLater(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#run(this.#flushSoon());
  }

  #isRecording(): boolean {
    const { limits, clock } = this.#options;
    const resumableMs = limits.resumeBatchesMax * limits.streamFlushMs;
    return this.#clients.size > 0 || clock.nowMs() - this.#lastReaderAtMs < resumableMs;
  }

  async #flushSoon(): Promise<void> {
    await this.#options.clock.sleep(this.#options.limits.streamFlushMs, this.#stop.signal);
    this.#isFlushDue = false;
    const events = this.#pending;
    const hasOverflowed = this.#hasOverflowed;
    this.#pending = [];
    this.#hasOverflowed = false;
    this.#sequence += 1;
    if (hasOverflowed) {
      this.#ring.clear();
      const frame = this.#snapshotFrame();
      for (const client of this.#clients) client.sendSnapshot(frame);
      return;
    }
    const frame = this.#batchFrame(events);
    this.#ring.push({ sequence: this.#sequence, events, bytes: frame.length });
    for (const client of this.#clients) client.send(frame);
  }

  async #beat(): Promise<void> {
    const { clock, limits } = this.#options;
    for (;;) {
      await clock.sleep(limits.streamHeartbeatMs, this.#stop.signal);
      this.checkGrants();
      if (this.#clients.size === 0) continue;
      const frame = encodeServerEvent({ event: 'heartbeat', data: JSON.stringify({ nowMs: clock.nowMs() }) });
      for (const client of this.#clients) {
        client.checkStall();
        client.send(frame);
      }
    }
  }

  #leave(client: StreamClient): void {
    this.#clients.delete(client);
    this.#leaving.add(client);
    this.#lastReaderAtMs = this.#options.clock.nowMs();
    this.#run(this.#destroyUndrained(client));
  }

  async #destroyUndrained(client: StreamClient): Promise<void> {
    try {
      await this.#options.clock.sleep(this.#options.limits.streamDrainMs, this.#stop.signal);
    } finally {
      if (this.#leaving.has(client)) client.destroy();
    }
  }

  #batchFrame(events: readonly Event[]): Buffer {
    return this.#frame('batch', encodeBatch({ nowMs: this.#options.clock.nowMs(), events }));
  }

  /** Shared by readers that come within one flush interval: a page full of tabs, or all pages after a break. */
  #snapshotFrame(): Buffer {
    if (isFresh(this.#sharedSnapshot, this.#shareKey(undefined))) return this.#sharedSnapshot.frame;
    const { clock, cluster, daemonStart, nodeId, version } = this.#options;
    const nowMs = clock.nowMs();
    const snapshot = encodeSnapshot({
      daemonStart,
      nodeId,
      plimsollVersion: version,
      nowMs,
      state: cluster.state,
    });
    const frame = this.#frame('snapshot', snapshot);
    this.#sharedSnapshot = { after: undefined, sequence: this.#sequence, madeAtMs: nowMs, frame };
    return frame;
  }

  /** All missed changes in one batch, encoded again because ages count from now; undefined if they are no longer stored. */
  #resumeFrame(after: number): Buffer | undefined {
    if (isFresh(this.#sharedResume, this.#shareKey(after))) return this.#sharedResume.frame;
    const events = this.#ring.eventsAfter(after, this.#sequence);
    if (events === undefined) return undefined;
    const frame = this.#batchFrame(events);
    const madeAtMs = this.#options.clock.nowMs();
    this.#sharedResume = { after, sequence: this.#sequence, madeAtMs, frame };
    return frame;
  }

  #frame(event: 'snapshot' | 'batch', { text, leftOut }: WrittenMessage): Buffer {
    this.#leftOut += leftOut;
    return encodeServerEvent({ event, id: this.#currentId(), data: text });
  }

  #shareKey(after: number | undefined): ShareKey {
    const { clock, limits } = this.#options;
    return { after, sequence: this.#sequence, notBeforeMs: clock.nowMs() - limits.streamFlushMs };
  }

  #currentId(): string {
    return streamId(this.#options.daemonStart, this.#sequence);
  }

  /** Owns a background task: dispose awaits it; if it fails, that is reported and every reader gets a new stream. */
  #run(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        const reason = errorMessage(error);
        this.#options.onFailure(`The event stream failed: ${reason}.`, error);
        for (const client of this.#clients)
          client.drop('failed', 'the stream failed; it can be opened again');
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }
}

interface ShareKey {
  readonly after: number | undefined;
  readonly sequence: number;
  readonly notBeforeMs: number;
}

const isFresh = (shared: SharedFrame | undefined, key: ShareKey): shared is SharedFrame =>
  shared !== undefined &&
  shared.after === key.after &&
  shared.sequence === key.sequence &&
  shared.madeAtMs >= key.notBeforeMs;
