// Every refusal and failure in one form, from whichever layer it comes: our own, Fastify's, Node's parser; and the headers
// that every answer carries.

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorMessage } from '../../core/problem.ts';
import type { HttpLimits, HttpLogger } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';

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

export interface ErrorContext {
  readonly limits: HttpLimits;
  readonly logger: HttpLogger | undefined;
}

export const addErrorHandlers = (app: FastifyInstance, context: ErrorContext): void => {
  app.setErrorHandler((error, request, reply) => sendError(reply, request.raw, asRefusal(error, context)));
};

export const sendError = (
  reply: FastifyReply,
  request: IncomingMessage,
  refusal: RequestError,
): FastifyReply => {
  // A refused body is not read to its end: the connection goes instead.
  if (hasBody(request)) reply.header('connection', 'close');
  return reply
    .code(refusal.status)
    .headers({ ...SECURITY_HEADERS, ...refusal.headers, 'cache-control': 'no-store' })
    .type(JSON_TYPE)
    .send(toJson(errorBody(refusal.code, refusal.message)));
};

/** Answers what Node's parser refused. There is no request to answer, only a socket. */
export const answerBrokenRequest = (error: { readonly code?: string }, socket: Socket): void => {
  if (!socket.writable || socket.bytesWritten > 0) {
    // Something was answered on this connection, perhaps half: more bytes would corrupt it.
    socket.destroy();
    return;
  }
  const refusal = BROKEN[error.code ?? ''] ?? {
    status: 400,
    code: 'bad-request',
    message: 'This is not HTTP/1.1.',
  };
  const body = toJson(errorBody(refusal.code, refusal.message));
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${head.join('')}\r\n${body}`,
    () => socket.destroy(),
  );
};

const errorBody = (code: string, message: string) => ({ error: { code, message } });

const asRefusal = (error: unknown, { limits, logger }: ErrorContext): RequestError => {
  if (error instanceof RequestError) return error;
  const { code, statusCode } = detailsOf(error);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestError(
        { status: 413, code: 'body-too-large' },
        `The body is larger than ${limits.bodyBytesMax} bytes.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RequestError(
        { status: 415, code: 'not-json' },
        'Send the body as "Content-Type: application/json".',
      );
    default:
      break;
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new RequestError(
      { status: statusCode, code: 'bad-request' },
      'The request is malformed. /openapi.json tells what each address takes.',
    );
  }
  logger?.warn(`An HTTP request failed: ${errorMessage(error)}.`, error);
  return new RequestError(
    { status: 500, code: 'internal' },
    'The daemon failed to answer this request, and says why among its notices (GET /api/daemon).',
  );
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const detailsOf = (error: unknown): { readonly code: string; readonly statusCode: number } => {
  if (!(error instanceof Error)) return { code: '', statusCode: 500 };
  return {
    code: 'code' in error && typeof error.code === 'string' ? error.code : '',
    statusCode: 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500,
  };
};

interface Broken {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Codes of Node's HTTP server, nodejs.org/api/http.html#event-clienterror. */
const BROKEN: Readonly<Record<string, Broken>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers-too-large', message: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'too-slow',
    message: 'The request took too long to arrive.',
  },
};

/** The page loads nothing from anywhere but this server, runs no inline script or style, and lies in nobody's frame. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
