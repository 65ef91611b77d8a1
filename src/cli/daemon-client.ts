// The daemon of a home, asked over HTTP. Where it listens stands in <home>/daemon.json.

import { homeFiles } from '../config/home.ts';
import { isLoopbackHost } from '../core/address/host-port.ts';
import type { DaemonFile } from '../daemon/daemon-file.ts';
import { readDaemonFile } from '../daemon/daemon-file.ts';
import { CommandError } from './command-error.ts';
import type { ProcessState } from './process-state.ts';

export interface DaemonClient {
  readonly file: DaemonFile;
  /** @throws CommandError `noDaemon` when nobody answers, or somebody else does. */
  get(path: string, signal: AbortSignal): Promise<Response>;
  post(path: string, signal: AbortSignal): Promise<Response>;
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
          `the daemon of the home ${home} (process ${result.file.pid}) ended without a word`,
          startAdvice(home, state),
        );
      }
      return daemonClient(result.file);
    default:
      return result satisfies never;
  }
};

export const daemonClient = (file: DaemonFile): DaemonClient => {
  const ask = async (path: string, method: 'GET' | 'POST', signal: AbortSignal): Promise<Response> => {
    // Reading on loopback is free: the token is not shown to whoever may have taken the port over.
    const needsToken =
      method !== 'GET' || !isLoopbackHost(new URL(file.url).hostname.replace(/^\[|\]$/g, ''));
    const response = await fetch(new URL(path, file.url), {
      method,
      headers: needsToken ? { authorization: `Bearer ${file.token}` } : {},
      redirect: 'error',
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw noAnswer(file, reasonOf(error), error);
    });
    if (response.ok) return response;
    throw noAnswer(file, `HTTP status ${response.status}`, undefined);
  };
  return {
    file,
    get: (path, signal) => ask(path, 'GET', signal),
    post: (path, signal) => ask(path, 'POST', signal),
  };
};

export const isLoopbackUrl = (url: string): boolean =>
  isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));

/** A daemon that listens on every address is asked on this machine's own. */
export const localUrl = (url: string): string => {
  const { hostname, port } = new URL(url);
  if (hostname === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return hostname === '[::]' ? `http://[::1]:${port}` : url;
};

/** The reading of an answer can fail as well, when the daemon ends in the middle. */
export const noAnswer = ({ url, pid }: DaemonFile, reason: string, cause: unknown): CommandError =>
  new CommandError(
    'noDaemon',
    `the daemon at ${url} (process ${pid}) does not answer: ${reason}`,
    'See whether it is still running, and start it again: plimsoll up',
    { cause },
  );

export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error)
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return error instanceof Error ? error.message : String(error);
};

export const startAdvice = (home: string, state: ProcessState): string => {
  const isDefault = home === `${state.homeDirectory}/.plimsoll`;
  return `Start it: plimsoll up${isDefault ? '' : ` --home ${home}`}`;
};
