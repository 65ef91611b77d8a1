// A capture in this process, in front of a server of the test's own.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { Capture, type CaptureFigures, type CaptureOptions } from '../../../src/bench/capture/capture.ts';
import type { CapturedLine } from '../../../src/bench/dataset/trace/captured-trace.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface CaptureHere extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly figures: CaptureFigures;
  /** Stops it; what is in its files, by arrival. */
  lines(): Promise<readonly CapturedLine[]>;
}

export const captureHere = async (
  target: string,
  options: Partial<CaptureOptions> = {},
): Promise<CaptureHere> => {
  const directory = temporaryDirectory();
  const parsed = parseTargetUrl(target);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  const folder = join(directory.path, 'capture');
  const capture = await Capture.start({
    target: parsed.value,
    listen: { host: '127.0.0.1', port: 0 },
    folder,
    fileBytesMax: 2 ** 26,
    totalBytesMax: 2 ** 30,
    keepsText: false,
    sessionHeader: undefined,
    ...options,
  });
  const stop = (): Promise<CaptureFigures> => capture.stop(AbortSignal.abort());
  return {
    url: `http://127.0.0.1:${capture.port}`,
    port: capture.port,
    folder,
    get figures() {
      return capture.figures;
    },
    lines: async () => {
      await stop();
      return capturedLines(folder);
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      directory[Symbol.dispose]();
    },
  };
};

export const capturedText = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('');

export const capturedLines = (folder: string): readonly CapturedLine[] =>
  capturedText(folder)
    .split('\n')
    .filter(text => text !== '')
    .map((text): CapturedLine => JSON.parse(text))
    .toSorted((a, b) => a.timestamp - b.timestamp);

export interface ServerHere extends AsyncDisposable {
  readonly url: string;
  /** Connections that were opened. */
  readonly connections: number;
}

export const serverHere = async (answer: RequestListener): Promise<ServerHere> => {
  let connections = 0;
  const server = createServer({ maxHeaderSize: 65_536 }, answer);
  // As many headers as a capture passes on.
  server.maxHeadersCount = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

/** Of OpenAI's chat, as a document. */
export const chatReply = (
  content: string,
  usage?: { readonly input: number; readonly output: number },
): string =>
  JSON.stringify({
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
          },
        }),
  });

export const chatEvent = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** A request of OpenAI's chat with one message of a user. */
export const chatRequest = (content: string, more: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more }),
});
