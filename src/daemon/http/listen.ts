// Binds a server to an address. If a default port is taken, the next free one is used and reported; an explicitly
// chosen port is never replaced.

import type { Server } from 'node:http';
import { errorCode, errorMessage, type Problem, ProblemError } from '../../core/problem.ts';
import type { Notice } from '../../wire/notice.ts';

type HttpServerProblem = Problem<
  'port-taken' | 'port-forbidden' | 'address-unavailable' | 'listen-failed',
  { readonly host: string; readonly port: number }
>;

export class HttpServerError extends ProblemError<HttpServerProblem> {
  override readonly name = 'HttpServerError';
}

export interface ListenRequest {
  /** An address or a name; without brackets. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A person chose this port. */
  readonly isExplicitPort: boolean;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** What a person should know about the choice. */
  readonly notice?: Notice;
}

/** How many ports past a default one are tried. */
export const PORTS_TRIED_MAX = 50;

/** @throws HttpServerError when the server could not be bound. */
export const listenOn = async (server: Server, request: ListenRequest): Promise<Listening> => {
  const { host, port } = request;
  const isFixed = request.isExplicitPort || port === 0;
  const last = isFixed ? port : Math.min(65_535, port + PORTS_TRIED_MAX);
  for (let tried = port; ; tried += 1) {
    try {
      const bound = await listenOnce(server, host, tried);
      if (bound === port || port === 0) return { host, port: bound };
      return { host, port: bound, notice: portTaken(port, bound) };
    } catch (error) {
      if (errorCode(error) === 'EADDRINUSE' && tried < last) continue;
      throw listenError(request, last, error);
    }
  }
};

const portTaken = (port: number, portUsed: number): Notice => ({
  id: 'http-port-taken',
  code: 'http-port-taken',
  port,
  portUsed,
  problem: `HTTP port ${port} is taken; using ${portUsed}.`,
  advice: '',
});

const listenOnce = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      server.removeListener('listening', succeed);
      reject(error);
    };
    const succeed = (): void => {
      server.removeListener('error', fail);
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('the server listens on no port'));
    };
    server.once('error', fail);
    server.once('listening', succeed);
    server.listen({ host, port });
  });

const listenError = ({ host, port }: ListenRequest, last: number, cause: unknown): HttpServerError => {
  const address = `${host}:${port}`;
  const failed = (code: HttpServerProblem['code'], problem: string, advice: string): HttpServerError =>
    new HttpServerError({ code, host, port, problem, advice }, { cause });
  switch (errorCode(cause)) {
    case 'EADDRINUSE': {
      const ports =
        last === port ? `Port ${port} of ${host} is taken` : `Ports ${port} to ${last} of ${host} are taken`;
      return failed(
        'port-taken',
        `${ports} by another program.`,
        `Stop it, or choose another port with --http ${host}:PORT.`,
      );
    }
    case 'EACCES':
      return failed(
        'port-forbidden',
        `The system does not let this user listen on ${address}.`,
        `Choose a port from 1024 on with --http ${host}:PORT.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return failed(
        'address-unavailable',
        `${host} is not an address of this machine.`,
        'Use 127.0.0.1 for this machine alone, or one of its addresses, with --http HOST:PORT.',
      );
    default:
      return failed(
        'listen-failed',
        `Listening on ${address} failed: ${errorMessage(cause)}.`,
        'Choose another address with --http HOST:PORT.',
      );
  }
};
