// The aggregator of a run as its main process uses it: records go in, snapshots come out, and at the end the final
// one, over either of two channels.

import * as v from 'valibot';
import { type Clock, unlessAborted, untilAborted } from '../../clock/clock.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { eventBatchBytesCodec } from '../../messaging/event-batch-codec.ts';
import { LOSSLESS, type MessagePublisher } from '../../messaging/publisher.ts';
import { snapshotCodec } from '../../messaging/snapshot-message-codec.ts';
import { NEWEST_MESSAGE } from '../../messaging/subscriber.ts';
import { openZeromqPublisher } from '../../messaging/zeromq/zeromq-publisher.ts';
import { openZeromqSubscriber } from '../../messaging/zeromq/zeromq-subscriber.ts';
import type { AggregatorArguments } from '../../metrics/aggregator-arguments.ts';
import { MetricsSnapshotSubscriber } from '../../metrics/metrics-snapshot-subscriber.ts';
import type { FinalSnapshot } from '../../metrics/report-sources.ts';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import {
  type OwnProcess,
  OwnProcessError,
  type OwnProcessExit,
  startOwnProcess,
} from '../../process/own-process.ts';
import { readEventBatchHeader } from '../../wire/event-batch-header.ts';
import type { BenchSettings } from './bench-parts.ts';

interface AggregatorStart {
  readonly clock: Clock;
  readonly eventsEndpoint: string;
  readonly arguments: Omit<AggregatorArguments, 'eventsEndpoint'>;
  /** Directory of the run. */
  readonly directory: string;
  readonly nodePath: string;
  readonly env: Env;
  readonly settings: BenchSettings;
  readonly signal: AbortSignal;
  readonly onSnapshot: (snapshot: MetricsSnapshot) => void;
  /** For a run without an observer of its own: an observer has appeared, or has gone. */
  readonly onLookedAt: (isLookedAt: boolean) => void;
}

export interface AggregatorResult extends FinalSnapshot {
  /** Records that did not reach the aggregator, by its last confirmation. */
  readonly droppedRecords: number;
  /** Why the result is incomplete. */
  readonly problems: readonly string[];
}

export interface AggregatorChild extends AsyncDisposable {
  readonly pid: number;
  publish(batch: Uint8Array): void;
  /** Never rejects. */
  readonly exited: Promise<OwnProcessExit>;
  /** Marks the result as interrupted. */
  interrupt(): void;
  /** After the last record was published. */
  finish(stopNow: AbortSignal): Promise<AggregatorResult>;
}

/** @throws OwnProcessError or MessagingError when it does not start. */
export const openAggregator = async (options: AggregatorStart): Promise<AggregatorChild> => {
  const { eventsEndpoint, settings, signal } = options;
  // First: ZeroMQ is loaded here while it starts.
  const starting = startOwnProcess({
    entry: entryUrl(import.meta.url, '../../metrics/aggregator-process.ts'),
    args: [JSON.stringify({ ...options.arguments, eventsEndpoint } satisfies AggregatorArguments)],
    nodePath: options.nodePath,
    env: options.env,
    readyTimeoutMs: settings.readyMsMax,
    signal,
    onMessage: message => {
      const reported = v.safeParse(LOOKED_AT, message);
      if (reported.success) options.onLookedAt(reported.output.isLookedAt);
    },
  });
  const started = starting.catch(() => undefined);
  let publisher: MessagePublisher<Uint8Array> | undefined;
  let snapshots: MetricsSnapshotSubscriber | undefined;
  try {
    publisher = await openZeromqPublisher(eventsEndpoint, eventBatchBytesCodec, LOSSLESS);
    const subscriber = await openZeromqSubscriber(
      options.arguments.snapshotsEndpoint,
      snapshotCodec,
      NEWEST_MESSAGE,
    );
    snapshots = new MetricsSnapshotSubscriber({ subscriber, clock: options.clock }, options.onSnapshot);
    const patience = AbortSignal.any([signal, AbortSignal.timeout(settings.readyMsMax)]);
    const child = await starting;
    // Both connections are tested before the first record.
    await Promise.race([
      Promise.all([publisher.waitForSubscribers(1, patience), subscriber.ready(patience)]),
      child.exited.then(exit => Promise.reject(new OwnProcessError('exited', earlyEnd(exit)))),
    ]).catch((error: unknown) => {
      if (!patience.aborted || signal.aborted) throw error;
      throw new OwnProcessError('not-ready', `the aggregator was not reached in ${settings.readyMsMax} ms`);
    });
    return new ChildSide(publisher, child, snapshots, options);
  } catch (error) {
    await publisher?.close(0);
    await snapshots?.close();
    await (await started)?.kill();
    throw error;
  }
};

class ChildSide implements AggregatorChild {
  readonly #publisher: MessagePublisher<Uint8Array>;
  readonly #child: OwnProcess;
  readonly #snapshots: MetricsSnapshotSubscriber;
  readonly #options: AggregatorStart;
  #recordCount = 0;
  #droppedRecords = 0;

  constructor(
    publisher: MessagePublisher<Uint8Array>,
    child: OwnProcess,
    snapshots: MetricsSnapshotSubscriber,
    options: AggregatorStart,
  ) {
    this.#publisher = publisher;
    this.#child = child;
    this.#snapshots = snapshots;
    this.#options = options;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get exited(): Promise<OwnProcessExit> {
    return this.#child.exited;
  }

  publish(batch: Uint8Array): void {
    const { recordCount } = readEventBatchHeader(batch);
    this.#recordCount += recordCount;
    if (!this.#publisher.publish(batch)) this.#droppedRecords += recordCount;
  }

  interrupt(): void {
    this.#child.interrupt();
  }

  async finish(stopNow: AbortSignal): Promise<AggregatorResult> {
    const { recordsLost } = await loadSources();
    const { accountMsMax, lingerMs } = this.#options.settings;
    // A dead reader confirms nothing: waiting for it ends when it exits.
    const closed = this.#publisher.close(stopNow.aborted ? 0 : lingerMs);
    await Promise.race([closed, this.#child.exited, untilAborted(stopNow)]);
    const patience = AbortSignal.any([stopNow, AbortSignal.timeout(accountMsMax)]);
    const inTime = await this.#final(patience).catch((): undefined => undefined);
    const isLate = inTime === undefined && !stopNow.aborted;
    if (inTime === undefined) await this.#child.stop(STOP_MS);
    const final = inTime ?? (await this.#final(new AbortController().signal));
    const exit =
      (await unlessAborted(this.#child.exited, AbortSignal.timeout(STOP_MS))) ??
      (await this.#child.stop(STOP_MS));
    // A failing child delivers its data first: an existing result is not proof that it is complete.
    const hasFailed = exit.code !== null && exit.code !== 0;
    return {
      ...final,
      droppedRecords: Math.max(this.#droppedRecords, recordsLost(this.#recordCount, final.snapshot)),
      problems: [
        ...(isLate ? [`the aggregator did not finish its report in ${accountMsMax} ms`] : []),
        ...(hasFailed || (final.source !== 'complete-message' && !isLate) ? [earlyEnd(exit)] : []),
      ],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#publisher.close(0);
    await this.#snapshots.close();
    await this.#child.stop(STOP_MS);
  }

  async #final(signal: AbortSignal): Promise<FinalSnapshot> {
    const { finalSnapshot } = await loadSources();
    return await finalSnapshot({
      snapshots: this.#snapshots,
      aggregatorExited: this.#child.exited,
      directory: this.#options.directory,
      signal,
    });
  }
}

const loadSources = () => import('../../metrics/report-sources.ts');

const earlyEnd = ({ code, signal, stderr }: OwnProcessExit): string => {
  const reported = stderr.trim() === '' ? '' : `: ${stderr.trim().slice(-STDERR_SHOWN)}`;
  return `the aggregator exited early (${signal ?? `code ${code}`})${reported}`;
};

const LOOKED_AT = v.object({ kind: v.literal('looked-at'), isLookedAt: v.boolean() });
const STOP_MS = 1_500;
const STDERR_SHOWN = 300;
