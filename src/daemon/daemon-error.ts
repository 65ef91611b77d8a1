// Why a daemon could not start, in words for the person who started it: what and where on the first line, what to do on
// the second.

export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: 'home-in-use' | 'home-unusable' | 'address-in-use';

  constructor(code: DaemonError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
