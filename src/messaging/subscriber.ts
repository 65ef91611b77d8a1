// The port of the receiving side.

export interface MessageSubscriber<T> extends AsyncDisposable {
  /** Items in order of arrival until the subscriber is closed. */
  readonly items: AsyncIterable<T>;
  /** Payloads that the codec could not decode. */
  readonly undecodableCount: number;
  /** Resolves when the publisher's messages demonstrably arrive here: a handshake, not a pause. */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface SubscriberOptions {
  /** '' for all. */
  readonly topic: string;
  /** Keep only the newest message that was not read yet. */
  readonly conflate: boolean;
  readonly highWaterMark: number;
}
