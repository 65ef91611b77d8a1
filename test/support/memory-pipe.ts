// How publisher and subscriber of one hub are connected, and what they exchange apart from messages.

/** A subscriber as its publisher sees it: a bounded pipe. */
export interface MemoryPipe {
  readonly id: string;
  wants(topic: string): boolean;
  readonly isFull: boolean;
  /** Replies and the end may exceed the limit: they are few. */
  put(frame: Uint8Array): void;
}

/** A publisher as its subscribers see it. */
export interface MemorySource {
  readonly highWaterMark: number;
  attach(pipe: MemoryPipe): void;
  detach(pipe: MemoryPipe): void;
  /** The subscriber has received something. */
  arrived(id: string): void;
  /** The subscriber has everything up to the end. */
  ended(id: string): void;
  /** The pipe has room. */
  drained(): void;
}

export const MEMORY_PROBE_TOPIC = '~probe';
export const MEMORY_END_TOPIC = '~end';
