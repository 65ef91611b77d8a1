import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { MemoryNetwork } from '../../../src/mesh/memory/memory-network.ts';
import { describeMesh, type MeshNetwork } from '../../contract/mesh-contract.ts';
import { linkOf, seenNode, until } from '../../support/seen-node.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const memoryMesh = (): MeshNetwork => {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  let count = 0;
  return {
    transport: ({ identity, start, limits }) => {
      count += 1;
      return network.transport({ name: `host-${count}`, identity, start, limits });
    },
    connect: async (dialler, listener) => network.connect(dialler, listener),
    cut: (one, other) => network.cut(one, other),
    heal: (one, other) => network.heal(one, other),
    crash: transport => network.crash(transport),
    pass: () => clock.advance(50),
    openCount: () => network.openPipeCount,
    [Symbol.asyncDispose]: async () => undefined,
  };
};

describeMesh('memory', memoryMesh);

const twoLinked = async (nowMs = 0) => {
  const clock = new VirtualClock({ nowMs });
  const network = new MemoryNetwork(clock);
  const pass = () => clock.advance(50);
  const [one, other] = ['atlas', 'boreas'].map(name =>
    seenNode(network.transport({ name, identity: generateNodeKey(), start: 1 }), pass),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');
  await one.start();
  await other.start();
  network.connect(one.transport, other.transport);
  await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
  return { clock, network, one, other };
};

test('silence ends a link 6 s after the last word, not before', async () => {
  const { clock, network, one, other } = await twoLinked();
  const link = linkOf(one, other);
  network.cut(one.transport, other.transport);
  await clock.advance(5_000);
  expect(link.isOpen).toBe(true);
  await clock.advance(1_000);
  expect(link.isOpen).toBe(false);
  expect(one.closes).toEqual([{ reason: 'silent', by: 'self', detail: 'nothing was received for 6 s' }]);
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('silence ends a link in one step also where the sum of times is rounded', async () => {
  const random = seededRandom(6);
  for (let round = 0; round < 50; round += 1) {
    // Past 8,192 a double has fewer places behind the point.
    const { clock, network, one, other } = await twoLinked(4_000 + 4_000 * random.next());
    network.cut(one.transport, other.transport);
    await clock.advance(7_000);
    expect(one.closes).toMatchObject([{ reason: 'silent' }]);
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
});

test('a cable that was cut for less than that loses nothing', async () => {
  const { clock, network, one, other } = await twoLinked();
  network.cut(one.transport, other.transport);
  linkOf(one, other).send(new Uint8Array([1]));
  await clock.advance(3_000);
  expect(other.frames).toEqual([]);
  network.heal(one.transport, other.transport);
  await until(one, () => other.frames.length === 1);
  expect(one.closes).toEqual([]);
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('what a cable delays comes late and in order, also where it is quick again meanwhile; the other way is as before', async () => {
  const { clock, network, one, other } = await twoLinked();
  network.delay(one.transport, other.transport, 1_000);
  linkOf(one, other).send(new Uint8Array([1]));
  await clock.advance(900);
  linkOf(other, one).send(new Uint8Array([9]));
  network.delay(one.transport, other.transport, 0);
  linkOf(one, other).send(new Uint8Array([2]));
  await until(one, () => one.frames.length === 1);
  expect(other.frames).toEqual([]);
  await until(one, () => other.frames.length === 2);
  expect(other.frames.map(frame => [...frame])).toEqual([[1], [2]]);
  linkOf(one, other).send(new Uint8Array([3]));
  await until(one, () => other.frames.length === 3);
  expect(one.closes).toEqual([]);
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('a cable that is blocked one way is given up by the end that receives nothing', async () => {
  const { clock, network, one, other } = await twoLinked();
  network.block(one.transport, other.transport);
  linkOf(other, one).send(new Uint8Array([1]));
  await clock.advance(1_000);
  expect(one.frames.length).toBe(1);
  await clock.advance(6_000);
  expect(other.closes[0]?.reason).toBe('silent');
  await until(one, () => !one.isLinkedTo(other));
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('a machine that loses its power reports nothing, and is given up by its silence', async () => {
  const { clock, network, one, other } = await twoLinked();
  network.vanish(other.transport);
  await clock.advance(5_000);
  expect(one.isLinkedTo(other)).toBe(true);
  await clock.advance(1_000);
  expect(one.closes[0]?.reason).toBe('silent');
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('a process that was suspended does not take its own pause for the silence of its peers', async () => {
  let pausedMs = 0;
  const virtual = new VirtualClock();
  const clock = {
    nowMs: () => virtual.nowMs() + pausedMs,
    wallMs: () => virtual.wallMs(),
    sleep: (durationMs: number, signal: AbortSignal) => virtual.sleep(durationMs, signal),
  };
  const network = new MemoryNetwork(clock);
  const pass = () => virtual.advance(50);
  const one = seenNode(network.transport({ name: 'atlas', identity: generateNodeKey(), start: 1 }), pass);
  const other = seenNode(network.transport({ name: 'boreas', identity: generateNodeKey(), start: 1 }), pass);
  await one.start();
  await other.start();
  network.connect(one.transport, other.transport);
  await until(one, () => one.isLinkedTo(other) && other.isLinkedTo(one));
  pausedMs = 60_000;
  await virtual.advance(20_000);
  expect([...one.closes, ...other.closes]).toEqual([]);
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('two nodes of one name cannot be on a network at once', async () => {
  const network = new MemoryNetwork(new VirtualClock());
  const first = network.transport({ name: 'atlas', identity: generateNodeKey(), start: 1 });
  const second = network.transport({ name: 'atlas', identity: generateNodeKey(), start: 1 });
  const stop = new AbortController();
  await first.start(stop.signal);
  await expect(second.start(stop.signal)).rejects.toThrow('there is already a node atlas');
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});
