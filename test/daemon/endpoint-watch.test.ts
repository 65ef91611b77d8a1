import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { Fact } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { EndpointWatch } from '../../src/daemon/endpoint-watch.ts';
import { Notices } from '../../src/daemon/notices.ts';

const SELF = nodeId('self'.padEnd(26, 'a'));
const never = new AbortController().signal;

/** A server whose page the test writes. */
const servedPage = async () => {
  const page = { status: 200, text: '', requested: [] as string[] };
  const server = createServer((request, response) => {
    page.requested.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    response.writeHead(page.status).end(page.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { page, port, close, [Symbol.asyncDispose]: close };
};

const watchOf = (urls: { list: readonly string[] }) => {
  const facts: Fact[] = [];
  const notices = new Notices(() => undefined);
  const watch = new EndpointWatch({
    clock: systemClock,
    endpoints: () => urls.list.map(url => ({ url })),
    record: fact => facts.push(fact),
    notices,
    nodeOf: () => SELF,
  });
  return { watch, facts, notices };
};

const counts = (facts: readonly Fact[]) =>
  facts.map(fact => (fact.kind === 'runner.reported' ? fact.payload.requestsInFlight : fact.kind));

test('a lease is published in each round with requests in flight, and its end once', async () => {
  await using served = await servedPage();
  const url = `http://user:secret@127.0.0.1:${served.port}/v1`;
  const { watch, facts } = watchOf({ list: [url] });
  for (const running of [0, 3, 3, 0, 0, 1]) {
    served.page.text = `vllm:num_requests_running ${running}\n`;
    await watch.look(never);
  }
  expect(counts(facts)).toEqual([3, 3, 0, 1]);
  expect(facts[0]).toEqual({
    kind: 'runner.reported',
    payload: {
      runnerKey: `endpoint http://127.0.0.1:${served.port}`,
      source: 'endpoint',
      targetNode: SELF,
      requestsInFlight: 3,
    },
  });
  expect(served.page.requested[0]).toBe('/metrics Basic dXNlcjpzZWNyZXQ=');
});

test('a server that ends gives its lease back, and one that is off publishes nothing', async () => {
  await using served = await servedPage();
  const { watch, facts, notices } = watchOf({ list: [`http://127.0.0.1:${served.port}`] });
  served.page.text = 'llamacpp:requests_processing 1\n';
  await watch.look(never);
  await served.close();
  await watch.look(never);
  await watch.look(never);
  expect(counts(facts)).toEqual([1, 0]);
  expect(notices.all).toEqual([]);
});

test('a server that does not count its requests is reported, until it does or is taken out of the file', async () => {
  await using served = await servedPage();
  const urls = { list: [`http://127.0.0.1:${served.port}`] };
  const { watch, notices } = watchOf(urls);
  served.page.status = 501;
  await watch.look(never);
  expect(notices.all[0]).toMatchObject({
    code: 'endpoint-silent',
    advice: expect.stringContaining('llama-server needs --metrics'),
  });
  served.page.status = 200;
  served.page.text = 'vllm:num_requests_running 0\n';
  await watch.look(never);
  expect(notices.all).toEqual([]);
  served.page.text = 'nothing known';
  await watch.look(never);
  urls.list = [];
  await watch.look(never);
  expect(notices.all).toEqual([]);
});
