// The port of a connection that carries frames: a kind of one byte and a payload, whole, in order, in both directions.

export interface FramePipe {
  /** Bytes written but not yet sent. */
  readonly queuedBytes: number;
  /** Nothing is read before this; called again, the new events replace the previous ones. */
  listen(events: PipeEvents): void;
  write(kind: number, payload: Uint8Array): void;
  /** Data already read may still follow. */
  pause(): void;
  resume(): void;
  /** Sends what is queued, then closes. */
  end(): void;
  destroy(): void;
}

export interface PipeEvents {
  frame(kind: number, payload: Uint8Array): void;
  /** Some bytes arrived, possibly only part of a frame. */
  received(): void;
  /** The queue has shrunk. */
  drained(): void;
  /** What arrived is not a frame; nothing follows it. */
  malformed(detail: string): void;
  /** Once, last. */
  closed(detail: string): void;
}
