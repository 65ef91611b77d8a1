// Small JSON requests to the daemon, one after another over one connection that stays open, each with a deadline.
// Only the status matters; any failure is no status.

import { Agent, request } from 'node:http';
import { isUnknown, type Reported } from '../../core/unknown.ts';

/** A daemon on the same machine replies within a millisecond; one that hangs is given up after this, ms. */
export const REQUEST_MS_MAX = 1_000;

export interface DaemonAddress {
  /** "http://127.0.0.1:4180" */
  readonly url: string;
  readonly token: string;
  /** A Unix socket that is tried first. */
  readonly socket: Reported<string>;
}

interface DaemonRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
}

export class DaemonRequests {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** undefined when no reply came. Never rejects. */
  async send(daemon: DaemonAddress, requested: DaemonRequest): Promise<number | undefined> {
    const { socket } = daemon;
    // What was sent may have been processed: TCP is tried only if the socket never connected.
    const overSocket = isUnknown(socket) ? NOT_CONNECTED : await this.#sendOver(socket, daemon, requested);
    const status =
      overSocket === NOT_CONNECTED ? await this.#sendOver(undefined, daemon, requested) : overSocket;
    return status === NOT_CONNECTED ? undefined : status;
  }

  #sendOver(
    socketPath: string | undefined,
    { url, token }: DaemonAddress,
    { method, path, body }: DaemonRequest,
  ): Promise<number | undefined | typeof NOT_CONNECTED> {
    return new Promise(resolve => {
      try {
        const text = JSON.stringify(body);
        const sent = request(new URL(path, url), {
          ...(socketPath === undefined ? {} : { socketPath }),
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(REQUEST_MS_MAX),
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        });
        sent.on('error', error => resolve(isConnectError(error) ? NOT_CONNECTED : undefined));
        sent.on('close', () => resolve(undefined));
        sent.on('response', response => {
          response.on('error', () => resolve(undefined));
          response.on('end', () => resolve(response.statusCode));
          response.resume();
        });
        sent.end(text);
      } catch {
        resolve(undefined);
      }
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const isConnectError = (error: Error): boolean => 'syscall' in error && error.syscall === 'connect';

const NOT_CONNECTED = 'not connected';
