// Bytes that are read by range: a file, a part of one over HTTP, or memory. Readers of headers request only what they
// need, and never as much as an untrusted length field states.

export interface ByteSource extends AsyncDisposable {
  /** The path or URL, for messages. */
  readonly place: string;
  readonly byteCount: number;
  /** Up to `length` bytes from `offset`; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}
