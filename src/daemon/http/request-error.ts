// Every refusal and failure in one form, from whichever layer it comes: our own, Fastify's, Node's parser; and the
// headers of every reply.

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorMessage, type Problem, ProblemError } from '../../core/problem.ts';
import { showableJson } from '../../core/text/single-line.ts';
import { API_PROBLEMS, type ApiFacts, type ApiProblemCode, apiProblem } from '../../wire/api/api-problem.ts';
import type { HttpLimits, HttpLogger } from './http-options.ts';

interface Refusal {
  /** If it differs from that of its code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Ends a request with a problem document. */
export class RequestError extends ProblemError<Problem<ApiProblemCode, ApiFacts>> {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem<ApiProblemCode, ApiFacts>, { status, headers = {}, cause }: Refusal = {}) {
    super(problem, { cause });
    this.status = status ?? API_PROBLEMS[problem.code].status;
    this.headers = headers;
  }
}

interface ErrorContext {
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
  // A refused body is not read to its end: the connection is closed instead.
  if (hasBody(request)) reply.header('connection', 'close');
  return reply
    .code(refusal.status)
    .headers({ ...SECURITY_HEADERS, ...refusal.headers, 'cache-control': 'no-store' })
    .type(PROBLEM_TYPE)
    .send(showableJson(JSON.stringify(apiProblem(refusal.problem, refusal.status))));
};

/** Answers what Node's parser refused. There is no request to answer, only a socket. */
export const answerBrokenRequest = (error: { readonly code?: string }, socket: Socket): void => {
  if (!socket.writable || socket.bytesWritten > 0) {
    // Part of a reply may already be on this connection: more bytes would corrupt it.
    socket.destroy();
    return;
  }
  const code = BROKEN[error.code ?? ''] ?? 'bad-request';
  sendClose(socket, { code, problem: BROKEN_PROBLEMS[code], advice: '' }, () => socket.destroy());
};

/** For a connection that is not served: one reply, before any request is read. */
export const refuseConnection = (socket: Socket, problem: string): void => {
  socket.on('error', () => undefined);
  // Keep reading: unread bytes would reset the connection before the reply is read.
  socket.resume();
  socket.setTimeout(CLOSE_MS, () => socket.destroy());
  sendClose(socket, { code: 'too-busy', problem, advice: 'Close some, or try again in a minute.' });
};

const sendClose = (socket: Socket, problem: Problem<ApiProblemCode, ApiFacts>, onSent?: () => void): void => {
  const { status } = API_PROBLEMS[problem.code];
  const body = showableJson(JSON.stringify(apiProblem(problem)));
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`, onSent);
};

const asRefusal = (error: unknown, { limits, logger }: ErrorContext): RequestError => {
  if (error instanceof RequestError) return error;
  const { code, statusCode } = detailsOf(error);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestError({
        code: 'body-too-large',
        problem: `The body is larger than ${limits.bodyBytesMax} bytes.`,
        advice: '',
        bytesMax: limits.bodyBytesMax,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RequestError({
        code: 'not-json',
        problem: 'The body is not sent as JSON.',
        advice: 'Send it with "Content-Type: application/json".',
      });
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new RequestError({
        code: 'bad-request',
        problem: 'The body is not valid JSON.',
        advice: '/openapi.json describes what each address accepts.',
      });
    default:
      break;
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new RequestError(
      {
        code: 'bad-request',
        problem: 'The request is malformed.',
        advice: '/openapi.json describes what each address accepts.',
      },
      { status: statusCode },
    );
  }
  logger?.warn(`An HTTP request failed: ${errorMessage(error)}.`, error);
  return new RequestError(
    {
      code: 'internal',
      problem: 'The daemon failed to answer this request.',
      advice: 'Its notices say why: GET /api/daemon.',
    },
    { cause: error },
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

type BrokenCode = 'bad-request' | 'headers-too-large' | 'too-slow';

/** Codes of Node's HTTP server, nodejs.org/api/http.html#event-clienterror. */
const BROKEN: Readonly<Record<string, BrokenCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
};

const BROKEN_PROBLEMS: Readonly<Record<BrokenCode, string>> = {
  'bad-request': 'This is not HTTP/1.1.',
  'headers-too-large': 'The headers are too large.',
  'too-slow': 'The request took too long to arrive.',
};

const PROBLEM_TYPE = 'application/problem+json';
/** For the other end to read it and close, ms. */
const CLOSE_MS = 1_000;

/** The page loads only from this server, runs no inline script or style, and cannot be framed. */
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
