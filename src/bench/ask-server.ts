// Asks a target which models it serves, and so what kind of server it is. One request, before the run, on a connection of
// its own and past every proxy.

import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Unknown, unknown } from '../core/unknown.ts';
import { errorCode } from '../process/atomic-file.ts';
import { BenchError } from './bench-error.ts';
import type { HeaderField } from './load-options.ts';
import type { BenchTarget } from './target-url.ts';

export interface AskOptions {
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  /** The one that was given with --model. */
  readonly model: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly model: string;
  readonly serverKind: string | Unknown;
  readonly notices: readonly string[];
}

/** @throws BenchError `unreachable` when nobody is there, or when the model is not known and the server does not say. */
export const askServer = async (options: AskOptions): Promise<ServerAnswer> => {
  const { target, model, signal } = options;
  const reply = await getModels(options);
  signal.throwIfAborted();
  switch (reply.kind) {
    case 'no-connection':
      throw new BenchError(
        'unreachable',
        `${target.shown} cannot be reached: ${reply.reason}`,
        'Start the server, or look at host and port.',
      );
    case 'no-answer':
      if (model !== undefined) return { model, serverKind: unknown(reply.reason), notices: [] };
      throw new BenchError(
        'unreachable',
        `${target.shown} did not say which models it has: ${reply.reason}`,
        'Look at the URL, or name the model yourself: --model M',
      );
    case 'status':
      if (model !== undefined) {
        return { model, serverKind: unknown(`GET /models gave status ${reply.status}`), notices: [] };
      }
      throw new BenchError(
        'unreachable',
        `${target.shown} did not say which models it has: status ${reply.status} to GET ${shownPath(target)}`,
        reply.status === 401 || reply.status === 403
          ? 'Give a key that it takes: --api-key-file F, or OPENAI_API_KEY'
          : 'Look at the URL, or name the model yourself: --model M',
      );
    case 'models':
      return chosen(reply, target, model);
    default:
      return reply satisfies never;
  }
};

const chosen = (
  { ids, serverKind }: ModelsReply,
  target: BenchTarget,
  model: string | undefined,
): ServerAnswer => {
  const [first] = ids;
  if (model !== undefined) {
    const isListed = ids.length === 0 || ids.includes(model);
    const notice = `the server does not list the model ${quoted(model)}; it has ${ids.slice(0, 3).map(quoted).join(', ')}`;
    return { model, serverKind, notices: isListed ? [] : [notice] };
  }
  if (first === undefined) {
    throw new BenchError(
      'unreachable',
      `${target.shown} lists no model`,
      'Load one there, or name it yourself: --model M',
    );
  }
  const notices =
    ids.length > 1 ? [`the server has ${ids.length} models; this run asks ${quoted(first)}`] : [];
  return { model: first, serverKind, notices };
};

type Reply =
  | { readonly kind: 'no-connection'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: number }
  | ModelsReply;

interface ModelsReply {
  readonly kind: 'models';
  readonly ids: readonly string[];
  readonly serverKind: string | Unknown;
}

const getModels = async ({ target, headers, timeoutMs, signal }: AskOptions): Promise<Reply> => {
  const { host, port, hostHeader, tls } = target.load;
  // An agent of our own: the global one may go through a proxy that NODE_USE_ENV_PROXY switched on.
  const agent = tls === undefined ? new HttpAgent() : new HttpsAgent();
  const send = tls === undefined ? httpRequest : httpsRequest;
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let isConnected = false;
  try {
    return await new Promise<Reply>((resolve, reject) => {
      const request = send({
        agent,
        host,
        port,
        path: target.modelsPath,
        method: 'GET',
        headers: {
          ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
          host: hostHeader,
          accept: 'application/json',
          connection: 'close',
        },
        signal: over,
        ...(tls === undefined || tls.serverName === '' ? {} : { servername: tls.serverName }),
      });
      request.once('socket', socket => {
        socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
          isConnected = true;
        });
      });
      request.once('error', reject);
      request.once('response', response => {
        const { statusCode = 0 } = response;
        if (statusCode !== 200) {
          response.destroy();
          resolve({ kind: 'status', status: statusCode });
          return;
        }
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= REPLY_BYTES_MAX) return;
          response.destroy();
          resolve({ kind: 'no-answer', reason: 'its list of models is too long' });
        });
        response.once('error', reject);
        response.once('end', () => resolve(modelsOf(Buffer.concat(chunks).toString('utf8'))));
      });
      request.end();
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = over.aborted ? `no answer within ${timeoutMs} ms` : (errorCode(error) ?? String(error));
    return { kind: isConnected ? 'no-answer' : 'no-connection', reason: REASONS.get(reason) ?? reason };
  } finally {
    agent.destroy();
  }
};

const modelsOf = (text: string): Reply => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'no-answer', reason: 'its list of models is not JSON' };
  }
  const data = isObject(json) ? json['data'] : undefined;
  if (!Array.isArray(data)) return { kind: 'no-answer', reason: 'its list of models has no "data"' };
  const ids = data.flatMap(model =>
    isObject(model) && typeof model['id'] === 'string' ? [model['id']] : [],
  );
  const owners = data.flatMap(model =>
    isObject(model) && typeof model['owned_by'] === 'string' ? [model['owned_by'].toLowerCase()] : [],
  );
  const kinds = owners.map(owner => SERVER_KINDS.get(owner)).filter(kind => kind !== undefined);
  return { kind: 'models', ids, serverKind: kinds[0] ?? unknown('the server does not say') };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shownPath = ({ modelsPath }: BenchTarget): string => modelsPath.split('?')[0] ?? '';

const quoted = (model: string): string =>
  JSON.stringify(model.length > 60 ? `${model.slice(0, 60)}…` : model);

/** What servers write into `owned_by` of their models. */
const SERVER_KINDS: ReadonlyMap<string, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
  ['llamacpp', 'llama.cpp'],
  ['library', 'Ollama'],
  ['plimsoll-mock', 'Plimsoll mock'],
]);

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'its name is not known'],
  ['EAI_AGAIN', 'its name cannot be looked up now'],
  ['EHOSTUNREACH', 'no way to that host'],
  ['ENETUNREACH', 'no way to that network'],
  ['ECONNRESET', 'the connection was reset'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file of trusted ones',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file of trusted ones',
  ],
]);
const REPLY_BYTES_MAX: number = 4 * 1024 * 1024;
