// A mark as its writer and the load thread that reads it define it: two numbers over loopback.

/** Where a load thread gets its marks: a port of this machine's loopback. */
export interface MarkSource {
  readonly port: number;
  readonly token: Uint8Array;
}

export const MARK_HOST = '127.0.0.1';
/** When it was written, and how long the previous write took. */
export const MARK_BYTES = 16;
