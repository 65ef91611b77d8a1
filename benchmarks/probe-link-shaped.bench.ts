// The link probe against iperf3's goodput on cables that are faster one way than the other: namespaces, veth, tbf.

import { isKnown } from '../src/core/unknown.ts';
import { type CableRates, reasonAgainstShaping, ShapedCable } from '../test/network/shaped-cable.ts';
import type { BothWays } from '../test/network/two-hosts.ts';
import { printAgainst } from './probe-against.ts';

const TURNS = 5;
const CABLES: readonly (CableRates & { readonly seconds: number; readonly bufferKib: number })[] = [
  { upMbit: 1_000, downMbit: 200, seconds: 3, bufferKib: 64 },
  { upMbit: 50, downMbit: 5, seconds: 6, bufferKib: 4 },
];

const reason = reasonAgainstShaping();
if (reason === undefined) for (const cable of CABLES) await compare(cable);
else process.stderr.write(`  skipped: ${reason}\n`);

async function compare({ seconds, bufferKib, ...rates }: (typeof CABLES)[number]): Promise<void> {
  await using cable = new ShapedCable(rates);
  const ours: BothWays[] = [];
  const theirs: BothWays[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    theirs.push(await cable.iperf3({ seconds, bufferKib }));
    const outcome = await cable.probe();
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { uploadBitsPerSecond: up, downloadBitsPerSecond: down } = outcome.measurement;
    if (!isKnown(up) || !isKnown(down)) throw new Error('a direction is unknown');
    ours.push({ up, down });
  }
  for (const way of ['up', 'down'] as const) {
    printAgainst({
      what: `tbf ${rates.upMbit}/${rates.downMbit} Mbit/s, ${way}`,
      tool: 'iperf3',
      unit: 'Mb/s',
      ours: ours.map(value => value[way] / 1e6),
      theirs: theirs.map(value => value[way] / 1e6),
      reach: { kind: 'within', value: 3 },
    });
  }
}
