// What every codec says about bytes that it did not make. A class of its own, so that a receiver can tell such bytes, which
// it counts, from a programming error, which must surface.

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly code = 'undecodable';
}
