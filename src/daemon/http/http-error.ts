// The two ways in which HTTP fails: an answer that refuses one request, and a server that cannot listen.

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

/** Ends a request with a status, a stable code and what to do about it. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    refusal: { readonly status: number; readonly code: string; readonly headers?: Record<string, string> },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = refusal.status;
    this.code = refusal.code;
    this.headers = refusal.headers ?? {};
  }
}

export const errorBody = (code: string, message: string): ErrorBody => ({ error: { code, message } });

export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
  readonly code: 'port-taken' | 'port-forbidden' | 'address-unavailable' | 'listen-failed';

  constructor(code: HttpServerError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
