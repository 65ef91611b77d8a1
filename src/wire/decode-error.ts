// The error of every codec for bytes that it did not make. A separate class, so that a receiver can
// distinguish such bytes, which it counts, from a programming error, which must surface.

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly code = 'undecodable';
}
