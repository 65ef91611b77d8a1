// Why a mock server could not be had.

export class MockError extends Error {
  override readonly name = 'MockError';
  readonly code: 'bad-option' | 'address-in-use' | 'cannot-listen' | 'log-unusable' | 'did-not-start';

  constructor(code: MockError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
