import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { isLongRun } from '../../support/counts.ts';
import { fleetNode } from '../../support/fleet-nodes.ts';
import { freePort } from '../../support/free-port.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';
import { tcpCable } from '../../support/tcp-cable.ts';
import { until } from '../../support/until.ts';

const KEYS = [makeClusterKey()];
const LONG = 'elections and lost connections take their time: in npm run test:long';

test('a cluster of three servers goes on when one is killed', async context => {
  if (!isLongRun) context.skip(LONG);
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map(port => `"nats://127.0.0.1:${port}"`).join(', ');
  const starting = ports.map((port, index) =>
    NatsServer.start({
      config: `server_name: s${index}\ncluster { name: three, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
    }),
  );
  const [first, second, third] = await Promise.all(starting);
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
  await using _first = first;
  await using _second = second;
  await using _third = third;
  // There is no event for the election of a leader: it is asked until one answers. Before 2.10 nobody answers until then.
  const [ofOne, ofOther, ofLater] = [generateNodeKey(), generateNodeKey(), generateNodeKey()];
  const nodes = [ofOne, ofOther, ofLater].map(({ nodeId }) => nodeId);
  let why: unknown = 'not read yet';
  while (why !== undefined && !context.signal.aborted)
    why = await first.createStreams({ replicas: 3, nodes }).then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(why).toBeUndefined();
  const servers = [first, second, third].map(({ url }) => url);
  await using one = fleetNode({ keys: KEYS, servers, key: ofOne });
  await using other = fleetNode({ keys: KEYS, servers, key: ofOther });
  one.node.open('before');
  await other.until(() => other.node.connectionsOf(one.node.id).length === 1);
  const { standing } = one.fleet;
  if (standing.kind !== 'connected') throw new Error('it is connected');
  const itsServer = [first, second, third].find(({ port }) => port === standing.server.port);
  await itsServer?.kill();
  one.node.open('after');
  await other.until(() => other.node.connectionsOf(one.node.id).length === 2);
  await using later = fleetNode({ keys: KEYS, servers, key: ofLater });
  await later.until(() => later.node.connectionsOf(one.node.id).length === 2);
  expect(one.fleet.counts.lost).toBeGreaterThan(0);
}, 180_000);

test('a site on a leaf server goes on alone while it is cut off, and catches up', async context => {
  if (!isLongRun) context.skip(LONG);
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  const leafPort = await freePort();
  await using hub = await NatsServer.start({
    hasJetStream: false,
    config: `server_name: hub\njetstream { store_dir: "js", domain: hub }\nleafnodes { listen: "127.0.0.1:${leafPort}" }`,
  });
  await using cable = await tcpCable(leafPort);
  // No JetStream of its own: its nodes use the streams of the hub through it.
  await using leaf = await NatsServer.start({
    hasJetStream: false,
    config: `server_name: leaf\ndefault_js_domain: { "$G": hub }\nleafnodes { remotes: [{ url: "nats://127.0.0.1:${cable.port}" }] }`,
  });
  await using center = fleetNode({ keys: KEYS, key: await hub.addNode(), servers: [hub.url] });
  await using here = fleetNode({ keys: KEYS, key: await hub.addNode(), servers: [leaf.url] });
  await using there = fleetNode({ keys: KEYS, key: await hub.addNode(), servers: [leaf.url] });
  here.node.open('before');
  await center.until(() => center.node.connectionsOf(here.node.id).length === 1);
  await there.until(() => there.node.connectionsOf(here.node.id).length === 1);
  cable.cut();
  here.node.open('cut');
  here.node.reportMemory(3);
  await there.until(() => there.node.memoryOf(here.node.id)?.availableBytes === 3);
  await there.until(() => there.node.connectionsOf(here.node.id).length === 2);
  center.node.open('meanwhile');
  expect(center.node.connectionsOf(here.node.id)).toHaveLength(1);
  cable.heal();
  await until(
    () =>
      center.node.connectionsOf(here.node.id).length === 2 &&
      there.node.connectionsOf(center.node.id).length === 1,
    context.signal,
  );
});

test('a reader that does not read is cut by the server, which is counted, and catches up', async context => {
  if (!isLongRun) context.skip(LONG);
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  await using server = await NatsServer.start({ config: 'max_pending: 1100000\nwrite_deadline: "1s"' });
  await using cable = await tcpCable(server.port);
  await using writer = fleetNode({ keys: KEYS, servers: [server.url], key: await server.addNode() });
  await using reader = fleetNode({
    keys: KEYS,
    servers: [`nats://127.0.0.1:${cable.port}`],
    key: await server.addNode(),
  });
  writer.node.open('before');
  await reader.until(() => reader.node.connectionsOf(writer.node.id).length === 1);
  cable.cut();
  writer.node.open('while it does not read');
  // The size of the system's buffers differs: until the server reports that it cuts the reader.
  const flood = await connect({ servers: `127.0.0.1:${server.port}` });
  const isCut = server.hasPrinted(/Slow Consumer/i);
  for (let turn = 0; turn < FLOOD_MESSAGES_MAX && !isCut.isSo; turn += 1) {
    flood.publish(`plimsoll.v1.test.reading.${writer.node.id}.flood`, FLOOD);
    await flood.flush();
  }
  await isCut.reported;
  await flood.close();
  writer.node.reportMemory(7);
  cable.heal();
  await reader.until(() => reader.fleet.counts.lost > 0);
  await reader.until(() => reader.node.connectionsOf(writer.node.id).length === 2);
  await reader.until(() => reader.node.memoryOf(writer.node.id)?.availableBytes === 7);
  expect(writer.fleet.counts.lost).toBe(0);
});

/** Opens with no key, so it is counted and goes no further. */
const FLOOD = new Uint8Array(500_000);
const FLOOD_MESSAGES_MAX = 200;
