import { once } from 'node:events';
import net from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { chooseStamps } from '../../../src/bench/load/stamp-choice.ts';
import type { ReadLoop } from '../../../src/bench/loop/read-loop.ts';
import type { ReadArrival, TargetDialer } from '../../../src/bench/target/http1/dialer.ts';
import type { LoadTarget } from '../../../src/bench/target/load-target.ts';

const ZERO_NS = process.hrtime.bigint();
const nowNs = (): number => Number(process.hrtime.bigint() - ZERO_NS);

type DialerOf = (target: LoadTarget) => TargetDialer;

const withLoop = (name: string, run: (loop: ReadLoop, dialerOf: DialerOf) => Promise<void>): void =>
  test(name, async context => {
    const { platform, arch } = process;
    const { loop, dialerOf } = await chooseStamps({ targets: [], nowNs, platform, arch, env: {} });
    if (loop === undefined) return context.skip('the kernel takes no timestamps here');
    await run(loop, dialerOf);
    loop.stop();
  });

withLoop('timers fire in the order of their times, and not if they were cancelled', async loop => {
  const fired: string[] = [];
  const last = Promise.withResolvers<void>();
  loop.after(6, () => last.resolve());
  const repeated = loop.every(2, () => fired.push('every'));
  loop.after(1, () => fired.push('first'));
  loop.after(0.5, () => fired.push('cancelled'))[Symbol.dispose]();
  loop.soon(() => fired.push('soon'));
  loop.soon(() => fired.push('cancelled'))[Symbol.dispose]();
  await last.promise;
  repeated[Symbol.dispose]();
  expect(fired.filter(name => name !== 'soon').slice(0, 2)).toEqual(['first', 'every']);
  expect(fired).toContain('soon');
  expect(fired).not.toContain('cancelled');
});

withLoop('a message of another thread wakes the loop', async () => {
  const { port1, port2 } = new MessageChannel();
  const received = once(port1, 'message');
  const fromNs = nowNs();
  port2.postMessage('now');
  await received;
  // Long before the wait without a timer would end.
  expect(nowNs() - fromNs).toBeLessThan(90e6);
  port1.close();
});

withLoop('cancelled timers do not pile up', async loop => {
  for (let count = 0; count < 20_000; count += 1) loop.after(1e9, () => undefined)[Symbol.dispose]();
  expect(loop.timerCount).toBeLessThan(5_000);
});

withLoop(
  'events that the kernel merged while the thread was busy include the time between',
  async (_, dialerOf) => {
    const server = net.createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const accepted = once(server, 'connection');
    const arrivals: (ReadArrival & { readonly text: string })[] = [];
    const both = Promise.withResolvers<void>();
    const socket = dialerOf({ host: '127.0.0.1', port, path: '/', hostHeader: '', tls: undefined }).dial(
      (bytes, start, end, arrival) => {
        if (arrival !== undefined) arrivals.push({ ...arrival, text: bytes.toString('latin1', start, end) });
        if (bytes.toString('latin1', start, end).includes('two')) both.resolve();
        return true;
      },
    );
    await new Promise<void>(resolve => socket.once('connect', resolve));
    const [there]: net.Socket[] = await accepted;
    const firstNs = nowNs();
    there?.write('data: one\n\n');
    while (nowNs() - firstNs < 20e6);
    const secondNs = nowNs();
    there?.write('data: two\n\n');
    while (nowNs() - secondNs < 20e6);
    await both.promise;
    const [one, two] = arrivals;
    expect(arrivals.map(({ text }) => text)).toEqual(['data: one\n\n', 'data: two\n\n']);
    if (one === undefined || two === undefined) return;
    expect(one.stampNs - one.lateNs).toBeLessThanOrEqual(firstNs + 1e6);
    expect(one.stampNs).toBeGreaterThanOrEqual(firstNs);
    expect(two.stampNs - secondNs).toBeGreaterThanOrEqual(0);
    // The thread read it at least 20 ms later.
    expect(two.stampNs - secondNs).toBeLessThan(15e6);
    expect(two.lateNs).toBeLessThan(1e6);
    socket.destroy();
    server.close();
  },
);

withLoop(
  'the head and the first event of a reply are stamped apart, however punctual the loop is',
  async (_, dialerOf) => {
    const latesNs = await firstLatesNs(dialerOf, 0);
    // The kernel may merge some of them; otherwise the interval of the first byte reaches back to the request.
    expect(latesNs.filter(ns => ns > (THINKS_MS / 2) * 1e6).length).toBeLessThan(REQUESTS / 2);
  },
);

withLoop(
  'and are again once a server no longer writes both in one segment, which needs no separating',
  async (_, dialerOf) => {
    const latesNs = await firstLatesNs(dialerOf, REQUESTS);
    expect(latesNs).toHaveLength(2 * REQUESTS);
    expect(latesNs.slice(0, REQUESTS).every(ns => ns < 1e6)).toBe(true);
    expect(latesNs.slice(REQUESTS).filter(ns => ns > (THINKS_MS / 2) * 1e6).length).toBeLessThan(
      REQUESTS / 2,
    );
  },
);

/** How uncertain each reply's first byte is, ns. @param whole replies that are first written in one segment */
const firstLatesNs = async (dialerOf: DialerOf, whole: number): Promise<readonly number[]> => {
  let replies = 0;
  const server = net.createServer({ noDelay: true }, there =>
    there.on('data', () =>
      setTimeout(() => {
        const [head, event] = ['HTTP/1.1 200 OK\r\n\r\n', 'data: one\n\n'];
        for (const part of replies < whole ? [head + event] : [head, event]) there.write(part);
        replies += 1;
      }, THINKS_MS),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const latesNs: number[] = [];
  let text = '';
  let ended = Promise.withResolvers<void>();
  const socket = dialerOf({ host: '127.0.0.1', port, path: '/', hostHeader: '', tls: undefined }).dial(
    (bytes, start, end, arrival) => {
      if (text === '' && arrival !== undefined) latesNs.push(arrival.lateNs);
      text += bytes.toString('latin1', start, end);
      if (text.endsWith('one\n\n')) ended.resolve();
      return true;
    },
  );
  await new Promise<void>(resolve => socket.once('connect', resolve));
  for (let request = 0; request < whole + REQUESTS; request += 1) {
    text = '';
    ended = Promise.withResolvers<void>();
    socket.write(Buffer.from('x'));
    await ended.promise;
  }
  socket.destroy();
  server.close();
  return latesNs;
};

const THINKS_MS = 20;
const REQUESTS = 20;
