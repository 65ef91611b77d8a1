// Requests as a stranger would send them: any header, any path, any bytes. fetch() would tidy them up.

import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface SentRequest {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const sendRequest = async ({
  port,
  path,
  method = 'GET',
  headers = {},
  body,
}: SentRequest): Promise<Answer> => {
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  const answered = once(sent, 'response');
  sent.end(body);
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
};

/** What a test expects of an answer is in its assertions; until then JSON has no type. */
export type Json = ReturnType<typeof JSON.parse>;

export const fetchJson = async (
  requested: SentRequest,
): Promise<{ readonly status: number; readonly json: Json }> => {
  const { status, body } = await sendRequest(requested);
  return { status, json: JSON.parse(body) };
};

export const postJson = (port: number, path: string, body: unknown, headers = {}): Promise<Answer> =>
  sendRequest({
    port,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

export const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
});

export const openSocket = async (port: number): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
};

/** Sends bytes and reads until the server closes the connection. */
export const exchangeRaw = async (port: number, bytes: string | Buffer): Promise<string> => {
  const socket = await openSocket(port);
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  const closed = closeOf(socket);
  socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
};

export const statusOf = (raw: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(raw)?.[1] ?? 0);

/** Resolves when a connection has closed for any reason: `once` would reject on a reset. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise(resolve => {
    socket.once('close', () => resolve());
  });

/** Asks the server until an answer is as wanted; each question is a turn of its event loop. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (;;) if (await isSo()) return;
};
