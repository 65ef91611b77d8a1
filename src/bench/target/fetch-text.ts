// One request before the run, a GET or a POST of JSON, on its own connection and past every proxy.

import { errorCode } from '../../core/problem.ts';
import { connectionProblem, lostBecause } from './connection-problem.ts';
import { contentDecoder, type Decoded } from './content-decoder.ts';
import type { HeaderField, TargetServer } from './load-target.ts';
import { tlsContextOptions, tlsNameOptions } from './tls-plan.ts';

interface QueryOptions {
  readonly server: TargetServer;
  readonly path: string;
  /** JSON to POST; undefined: a GET. */
  readonly body?: string;
  readonly headers: readonly HeaderField[];
  readonly timeoutMs: number;
  /** Of the body, compressed or not. Default: 4 MiB. */
  readonly bytesMax?: number;
  readonly signal: AbortSignal;
}

export type TextAnswer =
  | { readonly kind: 'no-connection'; readonly reason: string; readonly advice: string }
  | { readonly kind: 'no-answer'; readonly reason: string }
  /** Text only of a 200; `server` is the header of that name. */
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly server: string };

/** @throws the signal's reason, and nothing else. */
export const fetchText = async ({
  server,
  path,
  body,
  headers,
  timeoutMs,
  bytesMax = REPLY_BYTES_MAX,
  signal,
}: QueryOptions): Promise<TextAnswer> => {
  const { host, port, socketPath, hostHeader, tls } = server;
  // Node takes longer to load TLS than most requests take.
  const { Agent, request: send } = await (tls === undefined ? import('node:http') : import('node:https'));
  // An agent of our own: the global one may go through a proxy that NODE_USE_ENV_PROXY switched on.
  const agent = new Agent();
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let isConnected = false;
  try {
    return await new Promise<TextAnswer>((resolve, reject) => {
      const request = send({
        agent,
        ...(socketPath === undefined ? { host, port } : { socketPath }),
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
          host: hostHeader,
          accept: 'application/json',
          'accept-encoding': 'identity',
          connection: 'close',
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
        signal: over,
        ...(tls === undefined ? {} : { ...tlsContextOptions(tls), ...tlsNameOptions(tls) }),
      });
      request.once('socket', socket => {
        socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
          isConnected = true;
        });
      });
      request.once('error', reject);
      request.once('response', response => {
        const { statusCode: status = 0, headers: replied } = response;
        const named = replied['server'];
        const server = typeof named === 'string' ? named : '';
        if (status !== 200) {
          response.destroy();
          resolve({ kind: 'answer', status, text: '', server });
          return;
        }
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= bytesMax) return;
          response.destroy();
          resolve(tooLong(bytesMax));
        });
        response.once('error', reject);
        response.once('end', () => {
          const body = inflated(Buffer.concat(chunks), replied['content-encoding']);
          if (body.kind === 'wrong') resolve({ kind: 'no-answer', reason: body.problem });
          else if (body.bytes.length > bytesMax) resolve(tooLong(bytesMax));
          else resolve({ kind: 'answer', status, text: body.bytes.toString('utf8'), server });
        });
      });
      request.end(body);
    });
  } catch (error) {
    signal.throwIfAborted();
    const why = over.aborted ? lostBecause(`no answer within ${timeoutMs} ms`) : connectionProblem(error);
    // With TLS 1.3 a client is refused after its handshake is complete.
    const isRefused = !isConnected || (errorCode(error)?.startsWith('ERR_SSL_') ?? false);
    return { kind: isRefused ? 'no-connection' : 'no-answer', reason: why.problem, advice: why.advice };
  } finally {
    agent.destroy();
  }
};

/** Some proxies compress in spite of `identity`. */
const inflated = (body: Buffer, encoding: string | undefined): Decoded => {
  const decoder = contentDecoder(encoding ?? '');
  if (decoder === undefined) return { kind: 'bytes', bytes: body };
  const first = decoder.add(body, 0, body.length);
  if (first.kind === 'wrong') return first;
  const last = decoder.end();
  return last.kind === 'wrong' ? last : { kind: 'bytes', bytes: Buffer.concat([first.bytes, last.bytes]) };
};

const REPLY_BYTES_MAX: number = 4 * 1024 * 1024;
const tooLong = (bytesMax: number): TextAnswer => ({
  kind: 'no-answer',
  reason: `the answer is longer than ${bytesMax / 2 ** 20} MiB`,
});
