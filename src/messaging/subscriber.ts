// The port of the receiving side.

export interface MessageSubscriber<T> extends AsyncDisposable {
  /**
   * Items in order of arrival until the subscriber is closed; for one reader. Rejects when the codec or the transport
   * throws what is not a DecodeError.
   */
  readonly items: AsyncIterable<T>;
  /** Payloads that the codec could not decode. */
  readonly undecodableCount: number;
  /**
   * Resolves when the publisher's messages demonstrably arrive here: a handshake, not a pause. Rejects with the signal's
   * reason, or with a MessagingError when the subscriber closes first.
   */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface SubscriberOptions {
  /** Prefix of the topics of wanted messages; '' for all. */
  readonly topic: string;
  /** Only the newest unread message is kept. */
  readonly conflate: boolean;
  /** Messages that may wait here for their reader. Above it the publisher is throttled. */
  readonly highWaterMark: number;
}

/** For a publisher that is LOSSLESS. */
export const EVERY_MESSAGE: SubscriberOptions = { topic: '', conflate: false, highWaterMark: 256 };

/** For a publisher where NEWEST_WINS. */
export const NEWEST_MESSAGE: SubscriberOptions = { topic: '', conflate: true, highWaterMark: 4 };
