// Receives event batches, counts them, and publishes the results: initialize, live from the first session.started,
// draining at session.ended, then complete; interrupted if it or the run was ended early.

import { type Clock, pause, untilAborted } from '../clock/clock.ts';
import type { MetricsSnapshot, SnapshotState } from '../core/run/snapshot.ts';
import type { MessagePublisher } from '../messaging/publisher.ts';
import type { MessageSubscriber } from '../messaging/subscriber.ts';
import type { EventBatch } from '../wire/event-batch.ts';
import { BatchLoss } from '../wire/event-batch-header.ts';
import {
  type FinalDelivery,
  type FinalState,
  type MetricsBody,
  MetricsPublisher,
} from './metrics-publisher.ts';
import { MetricsTable } from './metrics-table.ts';
import { RunMetrics, type RunMetricsOptions } from './run-metrics.ts';

interface AggregatorParts {
  readonly clock: Clock;
  readonly monotonicNs: () => bigint;
  readonly subscriber: MessageSubscriber<EventBatch>;
  readonly publisher: MessagePublisher<MetricsSnapshot>;
  readonly writeFile: (snapshot: MetricsSnapshot) => Promise<void>;
  /** Called when the first observer appears, and when the last one leaves. */
  readonly lookedAt?: (isLookedAt: boolean) => void;
}

export interface AggregatorOptions extends RunMetricsOptions {
  /**
   * Whether the parent needs each live snapshot. Default true; else there is one every 5 s unless another process
   * subscribes.
   */
  readonly isLookedAt?: boolean;
  readonly refreshHz?: number;
  /** How long background tasks may take after the session's end. */
  readonly drainMsMax?: number;
  /** How long after an interrupt the session may still end by itself. */
  readonly interruptMsMax?: number;
}

interface AggregatorStops {
  /** End now with the results so far: SIGTERM. */
  readonly terminate: AbortSignal;
  /** The run is being stopped (Ctrl-C reaches every process of a terminal): its records are still accepted. */
  readonly interrupt: AbortSignal;
  /** The receiver of messages is gone. */
  readonly parentGone: AbortSignal;
}

export class Aggregator {
  readonly table: MetricsTable;
  readonly #metrics: RunMetrics;
  readonly #parts: AggregatorParts;
  readonly #options: AggregatorOptions;
  readonly #publisher: MetricsPublisher;
  readonly #loss = new BatchLoss();
  readonly #sessionEnded = Promise.withResolvers<void>();
  #state: SnapshotState = 'initialize';
  #valuesToSortMax = Number.POSITIVE_INFINITY;

  constructor(parts: AggregatorParts, options: AggregatorOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#metrics = new RunMetrics(options);
    this.table = new MetricsTable(this.#metrics);
    const { clock, publisher, monotonicNs, writeFile, lookedAt } = parts;
    const { refreshHz, isLookedAt = true } = options;
    this.#publisher = new MetricsPublisher(
      {
        clock,
        publisher,
        monotonicNs,
        writeFile,
        ...(isLookedAt ? {} : { viewersMin: OWN_PROCESSES, lookedAt }),
        live: () => this.#body(this.#state, 'live'),
        final: state =>
          this.#body(state, this.#metrics.valueCount > this.#valuesToSortMax ? 'hasty' : 'final'),
      },
      refreshHz === undefined ? {} : { refreshHz },
    );
  }

  /**
   * Runs until the final snapshot is delivered.
   * @throws what a codec or a tick threw that is a programming error, after the final snapshot went out as interrupted.
   */
  async run(stops: AggregatorStops): Promise<FinalDelivery> {
    const consuming = this.#consume();
    const why = await this.#untilEnd(consuming, stops);
    if (why === 'ended') {
      this.#state = 'draining';
      await this.#drain(stops);
      // A SIGINT that was sent before the session's end may be read in the same turn of the event loop, or the next.
      for (let turn = 0; turn < 2; turn += 1) await turnOfLoop();
    }
    const state: FinalState = why === 'ended' && !stops.interrupt.aborted ? 'complete' : 'interrupted';
    if (state === 'interrupted')
      this.#valuesToSortMax = stops.parentGone.aborted ? ALONE_VALUES_MAX : HASTY_VALUES_MAX;
    const delivery = await this.#publisher.publishFinal({
      state,
      ...(stops.parentGone.aborted ? { lingerMs: ALONE_LINGER_MS } : {}),
    });
    await this.#parts.subscriber.close();
    await consuming;
    return delivery;
  }

  async #consume(): Promise<void> {
    const { clock, subscriber } = this.#parts;
    let turnMs = clock.nowMs();
    for await (const batch of subscriber.items) {
      this.#apply(batch);
      // Batches that wait come one after another without a turn of the event loop: the ticks would be late.
      if (clock.nowMs() - turnMs < TURN_MS_MAX) continue;
      await turnOfLoop();
      turnMs = clock.nowMs();
    }
  }

  #apply(batch: EventBatch): void {
    const { counters } = this.#metrics;
    const lostBefore = this.#loss.lostRecordCount;
    if (this.#loss.note(batch) === 'repeated') {
      counters.recordsDuplicate.add(batch.records.length);
      return;
    }
    counters.recordsReceived.add(batch.recordCount);
    counters.droppedEvents.add(this.#loss.lostRecordCount - lostBefore);
    for (const record of batch.records) this.table.apply(record);
    const { trackedFromNs } = this.table;
    if (trackedFromNs !== undefined)
      counters.measuringSinceNs.set(Math.round(batch.runZeroNs + trackedFromNs));
    if (this.#state === 'initialize' && this.table.hasStarted) {
      this.#state = 'live';
      this.#publisher.start();
    }
    if (this.table.hasEnded) this.#sessionEnded.resolve();
  }

  /** 'ended': the session's end was received. Anything else cuts the result short. */
  async #untilEnd(consuming: Promise<void>, stops: AggregatorStops): Promise<'ended' | 'cut'> {
    const over = new AbortController();
    const cut = (): 'cut' => 'cut';
    try {
      return await Promise.race([
        this.#sessionEnded.promise.then(() => 'ended' as const),
        consuming.then(cut, cut),
        untilAborted(AbortSignal.any([stops.terminate, stops.parentGone, over.signal])).then(cut),
        untilAborted(AbortSignal.any([stops.interrupt, over.signal]))
          .then(() => this.#parts.clock.sleep(this.#options.interruptMsMax ?? INTERRUPT_MS_MAX, over.signal))
          .then(cut, cut),
      ]);
    } finally {
      over.abort();
    }
  }

  async #drain(stops: AggregatorStops): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      this.table.whenTasksEnd(),
      pause(this.#parts.clock, this.#options.drainMsMax ?? DRAIN_MS_MAX, over.signal),
      untilAborted(AbortSignal.any([stops.terminate, stops.parentGone, over.signal])),
    ]);
    over.abort();
    this.table.cancelAllTasks();
  }

  #body(state: SnapshotState, effort: 'live' | 'hasty' | 'final'): MetricsBody {
    this.#metrics.counters.recordsUndecodable.set(this.#parts.subscriber.undecodableCount);
    return {
      state,
      pendingTasks: this.table.inFlightTasks,
      metrics: this.#metrics[effort](),
      ...this.#metrics.beside(),
      ...(effort === 'live' ? {} : this.#metrics.forCoordinator()),
    };
  }
}

const OWN_PROCESSES = 2;

const turnOfLoop = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const DRAIN_MS_MAX = 30_000;
const INTERRUPT_MS_MAX = 5_000;
/** The parent received the messages; a `plimsoll watch` may still be connected. */
const ALONE_LINGER_MS = 300;
/** A person who interrupts waits for the result: values that are sorted in about a second. */
const HASTY_VALUES_MAX = 8_000_000;
const ALONE_VALUES_MAX = 2_000_000;
const TURN_MS_MAX = 10;
