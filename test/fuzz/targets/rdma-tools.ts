// What the tools of RDMA probes print: perftest, ucx_perftest, MLX with JACCL. Their figures go to the daemon as JSON, which has
// nothing for what is infinite, and which refuses a whole measurement with a figure below zero.

import { isUnknown } from '../../../src/core/unknown.ts';
import { jaccl } from '../../../src/probe/rdma/jaccl.ts';
import { perftest } from '../../../src/probe/rdma/perftest.ts';
import type { RdmaTest, RdmaTool } from '../../../src/probe/rdma/rdma-tool.ts';
import { ucx } from '../../../src/probe/rdma/ucx.ts';
import { fixture } from '../../support/fixture.ts';
import { holdFinite } from '../believed.ts';
import { type FuzzTarget, firstByteChooses, type Reader, textOfInput, textSeeds } from '../fuzz-target.ts';

const LATENCY: RdmaTest = { kind: 'latency', roundTrips: 1_000 };
const BANDWIDTH: RdmaTest = { kind: 'bandwidth', messageBytes: 1_048_576, messages: 4_096 };

const reads = (tool: RdmaTool, test: RdmaTest, ...seeds: readonly string[]): Reader => ({
  seeds: textSeeds(...seeds),
  run: input => {
    const text = textOfInput(input);
    const figures = tool.read(test, text);
    if (figures.kind !== 'unreadable' && figures.kind !== test.kind)
      throw new Error(`${figures.kind} of a test of ${test.kind}`);
    for (const [name, figure] of Object.entries(holdFinite(figures)))
      if (typeof figure === 'number' && !isUnknown(figure) && figure < 0)
        throw new Error(`${name} is ${figure}`);
    return [
      figures,
      tool.isComplete(test, text),
      tool.complaint?.(text),
      tool.cameFrom?.(text),
      text.split('\n').filter(line => tool.lastLine.test(line)).length,
    ];
  },
});

export const target: FuzzTarget = {
  name: 'rdma-tools',
  covers: [
    'src/probe/rdma/perftest.ts',
    'src/probe/rdma/ucx.ts',
    'src/probe/rdma/jaccl.ts',
    'src/probe/socket/round-trip-figures.ts',
  ],
  ...firstByteChooses([
    reads(
      perftest,
      LATENCY,
      fixture('perftest/ib_send_lat-unsorted.txt'),
      fixture('perftest/ib_send_lat-table-only.txt'),
    ),
    reads(
      perftest,
      BANDWIDTH,
      fixture('perftest/ib_write_bw-connectx7.txt'),
      fixture('perftest/ib_write_bw-mebibytes.txt'),
      fixture('perftest/ib_write_bw-overflow.txt'),
    ),
    reads(
      ucx,
      LATENCY,
      fixture('ucx_perftest/batch-latency.csv.txt'),
      fixture('ucx_perftest/no-such-device.txt'),
    ),
    reads(ucx, BANDWIDTH, fixture('ucx_perftest/batch-bandwidth.csv.txt')),
    reads(jaccl, LATENCY, `warming up\n${JSON.stringify({ secondsEach: Array(20).fill(0.000_021) })}\n`),
    reads(jaccl, BANDWIDTH, `${JSON.stringify({ secondsEach: [0.001_2, 0.001_1] })}\n`),
  ]),
};
