// One small JSON request after the other to the daemon, over one kept connection, each with a deadline. The status is
// all that matters; whatever goes wrong is no status.

import { Agent, request } from 'node:http';

/** A daemon on the same machine answers in a millisecond; one that hangs is left alone after this. */
export const REQUEST_MS_MAX = 1_000;

export interface DaemonAddress {
  /** "http://127.0.0.1:4180" */
  readonly url: string;
  readonly token: string;
}

export interface DaemonRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
}

export class DaemonRequests {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** Undefined when no answer came. Never rejects. */
  send({ url, token }: DaemonAddress, { method, path, body }: DaemonRequest): Promise<number | undefined> {
    return new Promise(resolve => {
      const done = (status: number | undefined): void => resolve(status);
      try {
        const text = JSON.stringify(body);
        const sent = request(new URL(path, url), {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(REQUEST_MS_MAX),
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        });
        sent.on('error', () => done(undefined));
        sent.on('close', () => done(undefined));
        sent.on('response', response => {
          response.on('error', () => done(undefined));
          response.on('end', () => done(response.statusCode));
          response.resume();
        });
        sent.end(text);
      } catch {
        done(undefined);
      }
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
