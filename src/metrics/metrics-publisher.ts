// Sends snapshots at a fixed rate, and at the end the final one by message and to disk, each independent of the
// other's failure. Nothing follows the final one: the ticks are stopped and awaited first.

import { type Clock, pause } from '../clock/clock.ts';
import { errorMessage } from '../core/problem.ts';
import type { MetricsSnapshot, SnapshotState } from '../core/run/snapshot.ts';
import type { MessagePublisher } from '../messaging/publisher.ts';

interface MetricsPublisherParts {
  readonly clock: Clock;
  readonly publisher: MessagePublisher<MetricsSnapshot>;
  /** Without number and time, which are added here. */
  readonly live: () => MetricsBody;
  readonly final: (state: FinalState) => MetricsBody;
  readonly writeFile: (snapshot: MetricsSnapshot) => Promise<void>;
  /** CLOCK_MONOTONIC, ns. */
  readonly monotonicNs: () => bigint;
  /** With fewer subscribers there is one every 5 s, so that an observer can appear. Default 0. */
  readonly viewersMin?: number;
  /** Called when there are enough subscribers, and when there no longer are. */
  readonly lookedAt?: ((isLookedAt: boolean) => void) | undefined;
}

interface MetricsPublisherOptions {
  readonly refreshHz?: number;
  /** How long the disk may take before the message goes without waiting for it. */
  readonly diskMsMax?: number;
}

interface FinalOptions {
  readonly state: FinalState;
  /** How long subscribers may take to confirm that they have it. */
  readonly lingerMs?: number;
}

export type FinalState = 'complete' | 'interrupted';

export type MetricsBody = Omit<MetricsSnapshot, 'seq' | 'timestampNs'>;

export interface FinalDelivery {
  readonly state: SnapshotState;
  readonly message: Delivered;
  readonly disk: Delivered;
}

type Delivered = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly reason: string };

export class MetricsPublisher {
  readonly #parts: MetricsPublisherParts;
  readonly #periodMs: number;
  readonly #diskMsMax: number;
  readonly #stop = new AbortController();
  #ticking: Promise<void> | undefined;
  #final: Promise<FinalDelivery> | undefined;
  #seq = 0;
  #isLookedAt = false;

  /** @throws RangeError for a rate that is not from 0.1 to 100 a second. */
  constructor(parts: MetricsPublisherParts, options: MetricsPublisherOptions = {}) {
    const { refreshHz = REFRESH_HZ, diskMsMax = DISK_MS_MAX } = options;
    if (!(refreshHz >= 0.1 && refreshHz <= 100))
      throw new RangeError(`refreshHz ${refreshHz} is not from 0.1 to 100`);
    this.#parts = parts;
    this.#periodMs = 1_000 / refreshHz;
    this.#diskMsMax = diskMsMax;
  }

  /** Starts the ticks; once is enough, and none follow a final snapshot. */
  start(): void {
    if (this.#ticking !== undefined || this.#final !== undefined) return;
    this.#ticking = this.#tick();
  }

  /** The first call decides; every further one waits for the same delivery. */
  publishFinal(options: FinalOptions): Promise<FinalDelivery> {
    this.#final ??= this.#deliver(options);
    return this.#final;
  }

  /**
   * At a fixed rate: a tick is due at start + n × period, independent of the duration of the previous one, and a
   * missed one is skipped.
   */
  async #tick(): Promise<void> {
    const { clock } = this.#parts;
    const startMs = clock.nowMs();
    let publishedMs = 0;
    for (let tick = 1; await this.#sleepUntil(startMs + tick * this.#periodMs); ) {
      const isDue = tick * this.#periodMs - publishedMs >= UNSEEN_PERIOD_MS;
      if (this.#lookForViewers() || isDue) {
        this.#publish(this.#parts.live());
        publishedMs = tick * this.#periodMs;
      }
      tick = Math.max(tick + 1, Math.ceil((clock.nowMs() - startMs) / this.#periodMs));
    }
  }

  #lookForViewers(): boolean {
    const { publisher, viewersMin = 0, lookedAt } = this.#parts;
    const isLookedAt = publisher.subscriberCount >= viewersMin;
    if (isLookedAt !== this.#isLookedAt) lookedAt?.(isLookedAt);
    this.#isLookedAt = isLookedAt;
    return isLookedAt;
  }

  /** false when the ticks were stopped. */
  async #sleepUntil(dueMs: number): Promise<boolean> {
    const { signal } = this.#stop;
    const { clock } = this.#parts;
    await pause(clock, Math.max(0, dueMs - clock.nowMs()), signal);
    return !signal.aborted;
  }

  async #deliver({ state, lingerMs = LINGER_MS }: FinalOptions): Promise<FinalDelivery> {
    this.#stop.abort();
    // A failed tick is a programming error; the final result is delivered before it is thrown.
    const tick = await settled(this.#ticking);
    const snapshot = this.#numbered(this.#parts.final(state));
    const disk = await this.#toDisk(snapshot);
    const message = this.#byMessage(disk.kind === 'done' ? snapshot : withFailedFile(snapshot));
    await this.#parts.publisher.close(lingerMs);
    if (tick.kind === 'failed') throw tick.error;
    return { state, message, disk };
  }

  async #toDisk(snapshot: MetricsSnapshot): Promise<Delivered> {
    const enough = new AbortController();
    const late = this.#parts.clock.sleep(this.#diskMsMax, enough.signal).then(
      () => failed(`the disk took longer than ${this.#diskMsMax} ms`),
      () => DONE,
    );
    const written = this.#parts.writeFile(snapshot).then(
      () => DONE,
      (error: unknown) => failed(errorMessage(error)),
    );
    const disk = await Promise.race([written, late]);
    enough.abort();
    return disk;
  }

  #byMessage(snapshot: MetricsSnapshot): Delivered {
    try {
      return this.#parts.publisher.publish(snapshot)
        ? DONE
        : failed('the queue of snapshots is full or closed');
    } catch (error) {
      return failed(errorMessage(error));
    }
  }

  #publish(body: MetricsBody): void {
    this.#parts.publisher.publish(this.#numbered(body));
  }

  #numbered(body: MetricsBody): MetricsSnapshot {
    this.#seq += 1;
    return { seq: this.#seq, timestampNs: Number(this.#parts.monotonicNs()), ...body };
  }
}

/** The receiver of the message learns from it that there is no file. */
const withFailedFile = (snapshot: MetricsSnapshot): MetricsSnapshot => ({
  ...snapshot,
  metrics: snapshot.metrics.map(metric =>
    metric.kind === 'counter' && metric.name === 'finalFileFailed' ? { ...metric, value: 1 } : metric,
  ),
});

const settled = async (
  promise: Promise<void> | undefined,
): Promise<{ readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: unknown }> => {
  try {
    await promise;
    return DONE;
  } catch (error) {
    return { kind: 'failed', error };
  }
};

const failed = (reason: string): Delivered => ({ kind: 'failed', reason });

const DONE: { readonly kind: 'done' } = { kind: 'done' };
const REFRESH_HZ = 5;
const UNSEEN_PERIOD_MS = 5_000;
const DISK_MS_MAX = 2_000;
const LINGER_MS = 10_000;
