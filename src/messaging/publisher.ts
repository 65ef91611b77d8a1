// The port of the sending side. Closing waits for what is queued, up to a bound.

export interface MessagePublisher<T> extends AsyncDisposable {
  /** Where subscribers connect; known once open. */
  readonly endpoint: string;
  /**
   * Queues an item.
   * @returns false when the bounded queue had no room and the item was dropped and counted.
   */
  publish(item: T): boolean;
  /** Resolves when `count` subscribers have proven that they receive; rejects with the signal's reason. */
  waitForSubscribers(count: number, signal: AbortSignal): Promise<void>;
  readonly droppedCount: number;
  readonly queuedBytes: number;
  /** Sends what is queued for at most `lingerMs`, then closes. Idempotent. */
  close(lingerMs: number): Promise<void>;
}

export interface PublisherOptions {
  /** Messages that the transport itself may hold for a slow subscriber. */
  readonly highWaterMark: number;
  /** true: a full transport holds messages back into our queue; false: the transport drops for slow subscribers. */
  readonly noDrop: boolean;
  /** Of our own queue behind the transport. */
  readonly queueBytesMax: number;
}
