// How publisher and subscriber of one hub see each other, and what they say beside messages.

/** A subscriber as its publisher sees it: a pipe with a bound. */
export interface MemoryPipe {
  readonly id: string;
  wants(topic: string): boolean;
  readonly isFull: boolean;
  /** Answers and the end go past the bound: they are few. */
  put(frame: Uint8Array): void;
}

/** A publisher as its subscribers see it. */
export interface MemorySource {
  readonly highWaterMark: number;
  attach(pipe: MemoryPipe): void;
  detach(pipe: MemoryPipe): void;
  /** The subscriber has got something. */
  arrived(id: string): void;
  /** The subscriber has everything up to the end. */
  ended(id: string): void;
  /** The pipe has room. */
  drained(): void;
}

export const MEMORY_PROBE_TOPIC = '~probe';
export const MEMORY_END_TOPIC = '~end';
