// Twelve daemons on hosts of their own, made of network namespaces, started in one moment: how long after the last of them
// is up every node has a link to every other. On one machine they share its cores, which a cluster's do not.

import { reasonAgainstNamespaces } from '../test/network/namespaces.ts';
import { startTogether } from '../test/network/start-together.ts';
import { median, printRow, spread } from './bench-row.ts';

const NODES = 12;
const RUNS = 3;
const SECONDS_MAX = 10;

const reason = reasonAgainstNamespaces();
if (reason === undefined) await measure();
else process.stderr.write(`${reason}\n`);

async function measure(): Promise<void> {
  const upSeconds: number[] = [];
  const meshedSeconds: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { upMs, meshedMs } = await startTogether(NODES);
    upSeconds.push(upMs / 1_000);
    meshedSeconds.push(meshedMs / 1_000);
  }
  printRow({
    what: `${NODES} daemons started in one moment: until all are linked`,
    figure: median(meshedSeconds),
    unit: 's',
    reach: { kind: 'at-most', value: SECONDS_MAX },
    method: `${spread(meshedSeconds, 1)}, from the last one's start; their programs took ${median(upSeconds).toFixed(1)} s to start on this machine`,
  });
}
