// The port of the sending side. Publishing never waits; closing waits until the subscribers have what is queued, up to
// a limit.

export interface MessagePublisher<T> extends AsyncDisposable {
  /** Where subscribers connect; known once open. */
  readonly endpoint: string;
  /**
   * Queues an item.
   * @returns false when the bounded queue had no room, or the publisher is closed, and the item was dropped and counted.
   */
  publish(item: T): boolean;
  /**
   * Resolves when `count` subscribers, all together, have proven that they receive; rejects with the signal's reason, or
   * with a MessagingError when the publisher closes first.
   */
  waitForSubscribers(count: number, signal: AbortSignal): Promise<void>;
  /** Subscribers that have proven that they receive and have not left since. */
  readonly subscriberCount: number;
  readonly droppedCount: number;
  /** Bytes in our own queue, without what is queued in the transport. */
  readonly queuedBytes: number;
  /**
   * Accepts no more, and waits at most `lingerMs` until every proven subscriber has confirmed that it has everything.
   * Idempotent: a second call waits for the first.
   */
  close(lingerMs: number): Promise<void>;
}

export interface PublisherOptions {
  /** Messages that the transport may queue for a slow subscriber. */
  readonly highWaterMark: number;
  /** true: if the transport is full, messages wait in our queue; false: the transport drops for slow subscribers. */
  readonly noDrop: boolean;
  /** Limit of our own queue before the transport. */
  readonly queueBytesMax: number;
}

/** Event records: nothing is lost before the queue is full. */
export const LOSSLESS: PublisherOptions = {
  highWaterMark: 256,
  noDrop: true,
  queueBytesMax: 64 * 1024 * 1024,
};

/** Snapshots: a newer one makes an older one worthless, and no viewer may delay another. */
export const NEWEST_WINS: PublisherOptions = {
  highWaterMark: 4,
  noDrop: false,
  queueBytesMax: 16 * 1024 * 1024,
};
