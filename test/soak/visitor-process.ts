// Lives in the network of one daemon and asks it what its visitors ask: a scrape, the state, a tool over MCP,
// and a stream that stays open. Prints a line of JSON for each refusal. With `heap` it also opens the
// daemon's inspector and reports, every five minutes, what the heap contains after a collection. With `watch`
// it only scrapes and keeps a stream open.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [home = '', mode = ''] = process.argv.slice(2);

const print = (reported: object): void => void process.stdout.write(`${JSON.stringify(reported)}\n`);

const daemon = (): { readonly url: string; readonly token: string; readonly pid: number } =>
  JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'));

const get = async (path: string, body?: string): Promise<number> => {
  const { url, token } = daemon();
  const answer = await fetch(`${url}${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    ...(body === undefined ? {} : { method: 'POST', body }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const { byteLength } = await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return byteLength;
};

const listen = async (): Promise<void> => {
  const { url, token } = daemon();
  const answer = await fetch(`${url}/api/stream`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.body === null || !answer.ok) throw new Error(`/api/stream answered ${answer.status}`);
  for await (const _ of answer.body);
};

/** A question to the inspector, after SIGUSR1 has opened it on loopback of this namespace. */
const heapBytes = async (): Promise<number> => {
  process.kill(daemon().pid, 'SIGUSR1');
  const [target] = await untilAnswered();
  await using stack = new AsyncDisposableStack();
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  stack.defer(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector refused')), { once: true });
  });
  await request(socket, 1, 'HeapProfiler.collectGarbage');
  const { usedSize } = await request(socket, 2, 'Runtime.getHeapUsage');
  return usedSize;
};

const request = async (
  socket: WebSocket,
  id: number,
  method: string,
): Promise<{ readonly usedSize: number }> =>
  await new Promise((resolve, reject) => {
    const answered = (event: MessageEvent): void => {
      const reported: { readonly id?: number; readonly result: { readonly usedSize: number } } = JSON.parse(
        String(event.data),
      );
      if (reported.id !== id) return;
      socket.removeEventListener('message', answered);
      resolve(reported.result);
    };
    socket.addEventListener('message', answered);
    socket.addEventListener('close', () => reject(new Error('the inspector went')), { once: true });
    socket.send(JSON.stringify({ id, method }));
  });

const untilAnswered = async (): Promise<readonly { readonly webSocketDebuggerUrl: string }[]> => {
  for (const limit = AbortSignal.timeout(ANSWER_MS_MAX); ; )
    try {
      const answer = await fetch('http://127.0.0.1:9229/json/list', { signal: limit });
      return JSON.parse(await answer.text());
    } catch (error) {
      if (limit.aborted) throw error;
      await delay(250);
    }
};

const each = async (what: string, everyMs: number, action: () => Promise<unknown>): Promise<void> => {
  for (;;) {
    await action().catch((error: unknown) => {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      print({ what, failed: cause instanceof Error ? `${message}: ${cause.message}` : message });
    });
    await delay(everyMs);
  }
};

const ANSWER_MS_MAX = 30_000;
const MCP = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'cluster_summary', arguments: {} },
});

await Promise.all([
  each('metrics', 15_000, () => get('/metrics')),
  each('stream', 1_000, listen),
  ...(mode === 'watch'
    ? []
    : [each('state', 30_000, () => get('/api/state')), each('mcp', 60_000, () => get('/mcp', MCP))]),
  ...(mode === 'heap' ? [each('heap', 300_000, async () => print({ heapBytes: await heapBytes() }))] : []),
]);
