// Heads of replies. No date and no server name: a reply is a function of its request.

import type { MockSettings } from './mock-settings.ts';

interface HeadOptions {
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly closes: boolean;
  readonly version?: '1.0' | '1.1';
}

export const replyHead = ({ status = 200, headers, closes, version = '1.1' }: HeadOptions): string => {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const connection = closes ? 'connection: close\r\n' : '';
  return `HTTP/${version} ${status} ${REASONS[status] ?? 'Status'}\r\n${lines}${connection}\r\n`;
};

/** A whole small reply. */
export const smallReply = (
  status: number,
  body: string | Buffer,
  {
    closes,
    type = 'application/json',
    headers = [],
  }: {
    readonly closes: boolean;
    readonly type?: string;
    readonly headers?: HeadOptions['headers'];
  },
): Buffer => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = replyHead({
    status,
    headers: [['content-type', type], ['content-length', String(bytes.length)], ...headers],
    closes,
  });
  return Buffer.concat([Buffer.from(head), bytes]);
};

/** Informational replies (RFC 9110 §15.2). */
export const informationalHeads = ({ informational }: Pick<MockSettings, 'informational'>): string =>
  informational.map(status => INFORMATIONAL[status]).join('');

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const INFORMATIONAL: Readonly<Record<MockSettings['informational'][number], string>> = {
  100: CONTINUE,
  102: 'HTTP/1.1 102 Processing\r\n\r\n',
  103: 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n',
};

const REASONS: Readonly<Record<number, string>> = {
  101: 'Switching Protocols',
  200: 'OK',
  204: 'No Content',
  307: 'Temporary Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
