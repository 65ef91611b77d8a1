// The request line and the few headers that the mock acts on. A header it does not know is only checked for its form.

export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly isHttp10: boolean;
  /** Whether the client keeps the connection after the reply. */
  readonly closes: boolean;
  readonly expectsContinue: boolean;
  readonly body: BodyLength;
  /** The client's number for the request, from `x-plimsoll-sample`. */
  readonly sample: string | undefined;
  readonly isStamped: boolean;
}

export type BodyLength =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'chunked' };

type HeadResult =
  | { readonly kind: 'head'; readonly head: RequestHead }
  | { readonly kind: 'wrong'; readonly status: number; readonly problem: string };

/** @param text the head without its empty line, one character per byte. */
export const readRequestHead = (text: string): HeadResult => {
  const lineEnd = text.indexOf('\r\n');
  const [, method, target, minor] = REQUEST_LINE.exec(lineEnd === -1 ? text : text.slice(0, lineEnd)) ?? [];
  if (method === undefined || target === undefined)
    return { kind: 'wrong', status: 400, problem: 'this is not an HTTP/1.1 request line' };
  const isHttp10 = minor === '0';
  let closes = isHttp10;
  let expectsContinue = false;
  let length: string | undefined;
  let isChunked = false;
  let sample: string | undefined;
  let isStamped = false;
  let headers = 0;
  for (let start = lineEnd === -1 ? text.length : lineEnd + 2; start < text.length; ) {
    const found = text.indexOf('\r\n', start);
    const end = found === -1 ? text.length : found;
    const colon = text.indexOf(':', start);
    headers += 1;
    if (headers > HEADERS_MAX) return { kind: 'wrong', status: 431, problem: 'too many headers' };
    if (colon <= start || colon > end || !HEADER_NAME.test(text.slice(start, colon)))
      return { kind: 'wrong', status: 400, problem: 'a header has no name' };
    const value = text.slice(colon + 1, end).trim();
    if (value.includes('\n') || value.includes('\r') || value.includes('\0'))
      return { kind: 'wrong', status: 400, problem: 'a header has a control character' };
    switch (text.slice(start, colon).toLowerCase()) {
      case 'content-length':
        if (!/^\d{1,15}$/.test(value) || (length !== undefined && length !== value))
          return { kind: 'wrong', status: 400, problem: 'content-length is not a number, or there are two' };
        length = value;
        break;
      case 'transfer-encoding':
        if (value.toLowerCase() !== 'chunked')
          return { kind: 'wrong', status: 501, problem: 'only chunked is understood as transfer-encoding' };
        isChunked = true;
        break;
      case 'connection': {
        const options = value.toLowerCase();
        if (options.includes('close')) closes = true;
        else if (options.includes('keep-alive')) closes = false;
        break;
      }
      case 'expect':
        expectsContinue = value.toLowerCase() === '100-continue';
        break;
      case 'x-plimsoll-sample':
        sample = value.slice(0, SAMPLE_LENGTH_MAX);
        break;
      case 'x-plimsoll-stamp':
        isStamped = value === '1';
        break;
    }
    start = end + 2;
  }
  // Two statements of where a body ends allow request smuggling (RFC 9112 §6.1).
  if (isChunked && length !== undefined)
    return { kind: 'wrong', status: 400, problem: 'both transfer-encoding and content-length' };
  if (length !== undefined && Number(length) > BODY_BYTES_MAX)
    return { kind: 'wrong', status: 413, problem: `the body is longer than ${BODY_BYTES_MAX} bytes` };
  const bytes = length === undefined ? 0 : Number(length);
  const query = target.indexOf('?');
  return {
    kind: 'head',
    head: {
      method,
      path: query === -1 ? target : target.slice(0, query),
      query: query === -1 ? '' : target.slice(query + 1),
      isHttp10,
      closes,
      expectsContinue: expectsContinue && !isHttp10,
      body: isChunked ? { kind: 'chunked' } : bytes === 0 ? { kind: 'none' } : { kind: 'fixed', bytes },
      sample,
      isStamped,
    },
  };
};

const REQUEST_LINE = /^([A-Z]{1,20}) ([\x21-\x7e]{1,8192}) HTTP\/1\.([01])$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADERS_MAX = 200;
const SAMPLE_LENGTH_MAX = 100;
/** A million tokens of context are about 4 MB. */
export const BODY_BYTES_MAX = 16_777_216;
