// The HTTP client for the daemon of a home. Its address is in <home>/daemon.json. Node's own client rather than fetch, which
// follows the rules of a browser: it refuses some ports and adds headers by which the daemon detects foreign pages.

import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { homeFiles } from '../config/home.ts';
import { isLoopbackHost } from '../core/address/host-port.ts';
import { errorCode, ProblemError, shortReason } from '../core/problem.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import { showable } from '../core/text/single-line.ts';
import { isUnknown } from '../core/unknown.ts';
import { type DaemonFile, readDaemonFile } from '../daemon/daemon-file.ts';
import { looseJson } from '../gather/loose-json.ts';
import { decodeApiProblem } from '../wire/api/api-problem.ts';
import { CommandError } from './command-error.ts';
import type { ProcessState } from './process-state.ts';

export interface DaemonClient {
  readonly file: DaemonFile;
  /**
   * The body of the answer as it comes.
   * @throws CommandError `noDaemon` when nobody answers, or somebody else does; the signal's reason when it aborts.
   */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The whole answer, parsed. @throws as `stream` */
  json(path: string, signal: AbortSignal, method?: 'GET' | 'POST', body?: unknown): Promise<unknown>;
  /** The whole answer, read by its schema. @throws as `stream`, also when it is another. */
  answer<T>(schema: v.GenericSchema<unknown, T>, ...requested: Parameters<DaemonClient['json']>): Promise<T>;
}

/** @throws CommandError `noDaemon` when no daemon of this home runs. */
export const findDaemon = async (home: string, state: ProcessState): Promise<DaemonClient> => {
  const result = await readDaemonFile(homeFiles(home).daemon);
  switch (result.kind) {
    case 'missing':
      throw new CommandError('noDaemon', `no daemon runs on the home ${home}`, startAdvice(home, state));
    case 'unreadable':
      throw new CommandError(
        'noDaemon',
        `no daemon can be found: ${result.reason}`,
        startAdvice(home, state),
      );
    case 'found':
      if (!state.isAlive(result.file.pid)) {
        throw new CommandError(
          'noDaemon',
          `the daemon of the home ${home} (process ${result.file.pid}) exited unexpectedly`,
          startAdvice(home, state),
        );
      }
      return daemonClient(result.file);
    default:
      return result satisfies never;
  }
};

const daemonClient = (file: DaemonFile): DaemonClient => {
  const request = async (requested: ReplyOf): Promise<IncomingMessage> => {
    const { signal } = requested;
    const answer = await answerOf(file, requested);
    if (answer.statusCode !== undefined && answer.statusCode < 300) return answer;
    const refusal = decodeApiProblem(looseJson(await textOf(file, answer, signal)));
    throw new CommandError(
      'noDaemon',
      `the daemon at ${file.url} refused: ${refusal?.problem ?? `HTTP status ${answer.statusCode}`}`,
      refusal?.advice || 'The daemon is up. To find out what else may be wrong: plimsoll doctor',
      // For who has another answer to a refusal of some code than its words.
      refusal === undefined ? {} : { cause: new ProblemError(refusal) },
    );
  };
  const json: DaemonClient['json'] = async (path, signal, method = 'GET', body = undefined) => {
    const value = looseJson(await textOf(file, await request({ path, method, signal, body }), signal));
    if (value === undefined) throw noAnswer(file, 'what answers is not a daemon', undefined);
    return value;
  };
  return {
    file,
    stream: (path, signal) => request({ path, method: 'GET', signal }),
    json,
    answer: async (schema, ...requested) => {
      const result = v.safeParse(schema, await json(...requested));
      if (result.success) return result.output;
      throw noAnswer(file, `its message at ${requested[0]} is not understood`, undefined);
    },
  };
};

const isLoopbackUrl = (url: string): boolean => isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));

/** A daemon that listens on every address is asked on this machine's own. */
export const localUrl = (url: string): string => {
  const { hostname, port } = new URL(url);
  if (hostname === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return hostname === '[::]' ? `http://[::1]:${port}` : url;
};

/** Reading an answer can fail as well, when the daemon ends in the middle. */
export const noAnswer = ({ url, pid }: DaemonFile, reason: string, cause: unknown): CommandError =>
  new CommandError(
    'noDaemon',
    `the daemon at ${url} (process ${pid}) does not answer: ${showable(reason, ' ').slice(0, 300)}`,
    'Check whether it is still running, and start it again: plimsoll up',
    { cause },
  );

/** Why a request failed: as asked by the signal, by its deadline, or by the other end. */
export const requestFailure = (file: DaemonFile, signal: AbortSignal, error: unknown): unknown => {
  if (!signal.aborted) return noAnswer(file, shortReason(error), error);
  const reason: unknown = signal.reason;
  const isDeadline = reason instanceof Error && reason.name === 'TimeoutError';
  return isDeadline ? noAnswer(file, 'it takes too long', error) : reason;
};

export const startAdvice = (home: string, state: ProcessState): string =>
  `Start it: ${shellCommand`plimsoll up ${homeText(home, state)}`}`;

/** What a command needs to find this home: nothing for the one that it looks at by itself. */
export const homeText = (
  home: string,
  { homeDirectory }: Pick<ProcessState, 'homeDirectory'>,
): readonly string[] => (home === join(homeDirectory, '.plimsoll') ? [] : ['--home', home]);

interface ReplyOf {
  readonly path: string;
  readonly method: string;
  readonly signal: AbortSignal;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Over the socket in the home, and over TCP where there is none: by an older daemon, or for the reason that daemon.json has. */
const answerOf = async (file: DaemonFile, requested: ReplyOf): Promise<IncomingMessage> => {
  if (!isUnknown(file.socket))
    try {
      return await sendTo(file, requested, { socketPath: file.socket });
    } catch (error) {
      if (requested.signal.aborted || !NO_SOCKET.has(errorCode(error) ?? ''))
        throw requestFailure(file, requested.signal, error);
    }
  try {
    return await sendTo(file, requested, {});
  } catch (error) {
    throw requestFailure(file, requested.signal, error);
  }
};

const sendTo = (
  file: DaemonFile,
  { path, method, signal, body }: ReplyOf,
  over: { readonly socketPath?: string },
): Promise<IncomingMessage> => {
  // Reading on loopback needs no token: it is not sent to a process that may have taken over the port. The socket is in a folder
  // that only this user can write to.
  const needsToken = over.socketPath !== undefined || method !== 'GET' || !isLoopbackUrl(file.url);
  const headers = {
    ...(needsToken ? { authorization: `Bearer ${file.token}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    // No agent: a kept connection would hold the process.
    const options = { ...over, method, headers, signal, agent: false };
    const sent = request(new URL(path, localUrl(file.url)), options);
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
};

const textOf = async (file: DaemonFile, answer: IncomingMessage, signal: AbortSignal): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new RangeError('its reply is too large');
      chunks.push(chunk);
    }
  } catch (error) {
    throw requestFailure(file, signal, error);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** What connect(2) returns of a socket that is gone, of nobody's, of another user's, or whose queue is full. */
const NO_SOCKET: ReadonlySet<string> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'EACCES',
  'EPERM',
  'ENOTSOCK',
  'EAGAIN',
]);
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
