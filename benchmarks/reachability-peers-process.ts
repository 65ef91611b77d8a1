// The other nodes of the reachability benchmark, all in this process: each answers on a port of its own and asks the node
// under test at each of its addresses. Prints its ports, takes the port of the node under test as a line.

import { createInterface } from 'node:readline';
import { systemClock } from '../src/clock/system-clock.ts';
import { nodeId } from '../src/core/ids.ts';
import type { DatagramPort } from '../src/mesh/reachability/datagram-port.ts';
import { ReachabilityAnswers } from '../src/mesh/reachability/reachability-answers.ts';
import { ReachabilityChecks } from '../src/mesh/reachability/reachability-checks.ts';
import { openUdpDatagrams } from '../src/mesh/reachability/udp-datagrams.ts';
import { benchNodeId, LOOPBACKS, REACHABILITY_KEY } from './reachability-setting.ts';

const count = Number(process.argv[2]);
const nodes: { readonly checks: ReachabilityChecks; readonly port: number }[] = [];
for (let index = 1; index <= count; index += 1) {
  let checks: ReachabilityChecks | undefined;
  let answers: ReachabilityAnswers | undefined;
  const listen = { host: '::', port: 0 };
  const queryPort: DatagramPort = await openUdpDatagrams({
    listen,
    onDatagram: bytes => checks?.takeAnswer(bytes),
  });
  const answering = await openUdpDatagrams({
    listen,
    onDatagram: (bytes, from) => answers?.take(bytes, from),
  });
  checks = new ReachabilityChecks({
    clock: systemClock,
    keys: [REACHABILITY_KEY],
    random: Math.random,
    send: (bytes, to) => queryPort.send(bytes, to),
    isBusy: () => false,
    opened: () => undefined,
    closed: () => undefined,
  });
  answers = new ReachabilityAnswers({
    clock: systemClock,
    localId: benchNodeId(index),
    keys: [REACHABILITY_KEY],
    answer: (bytes, to) => answering.send(bytes, to),
    isKnown: () => true,
  });
  nodes.push({ checks, port: answering.port });
}
process.stdout.write(`${JSON.stringify(nodes.map(({ port }) => port))}\n`);

const lines = createInterface({ input: process.stdin });
lines.once('line', line => {
  const port = Number(line);
  const node = nodeId(benchNodeId(0));
  for (const { checks } of nodes) {
    checks.setTargets(
      LOOPBACKS.map(address => ({ node, address, port })),
      () => '',
    );
    void checks.run(new AbortController().signal);
  }
});
lines.once('close', () => process.exit());
