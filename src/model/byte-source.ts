// Bytes that are read by range: a file, a part of one over HTTP, or memory. Readers of headers ask for what they need and no
// more, and never for as much as an untrusted length field says.

export interface ByteSource extends AsyncDisposable {
  /** The path or URL, for messages. */
  readonly place: string;
  readonly byteCount: number;
  /** Up to `length` bytes from `offset`; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}
