// What a scrape of /metrics costs with 200 simulated nodes and default settings, a second after the last one: its
// time on this thread and its size, in both formats.

import { LinkWatch } from '../src/core/link/link-view.ts';
import { nodeIds } from '../src/core/node/presence-view.ts';
import { HTTP_LIMITS } from '../src/daemon/http/http-options.ts';
import type { MetricFormat } from '../src/daemon/http/metrics/metric-page.ts';
import { metricsOf } from '../src/daemon/http/metrics/render-metrics.ts';
import { median, printRow, spread } from './bench-row.ts';
import { SimulatedFleet } from './simulated-fleet.ts';

const NODES = Number(process.env['PLIMSOLL_BENCH_NODES'] ?? 200);
const ROUNDS = 15;
const FORMATS: readonly MetricFormat[] = ['prometheus', 'openmetrics'];

const NOTHING_DROPPED = { slow: 0, stalled: 0, 'access-ended': 0, stopping: 0, failed: 0 };

const fleet = new SimulatedFleet(NODES);
await fleet.second();
const watch = new LinkWatch();
const [nodeId] = nodeIds(fleet.state);
if (nodeId === undefined) throw new Error('a fleet without nodes');

for (const format of FORMATS) {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await fleet.second();
    const nowMs = fleet.clock.nowMs();
    const before = process.cpuUsage();
    const page = metricsOf(
      {
        state: fleet.state,
        nowMs,
        wallMs: fleet.clock.wallMs(),
        nodeId,
        only: undefined,
        connectionsMax: HTTP_LIMITS.metricsConnectionsMax,
        version: '0.0.0',
        startedAtWallMs: 0,
        resources: { cpuSeconds: 0, residentBytes: 0 },
        streams: { clients: 0, queuedBytes: 0, refused: 0, leftOut: 0, dropped: NOTHING_DROPPED },
        mesh: undefined,
        otlp: undefined,
        webhooks: [],
      },
      watch.read(fleet.state, nowMs),
    ).text(format);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
    bytes = Buffer.byteLength(page);
  }
  printRow({
    what: `scrape of ${NODES} nodes, ${format}`,
    figure: median(times),
    unit: 'ms',
    reach: { kind: 'at-most', value: 300 },
    method: `processor time, ${spread(times, 0)}`,
  });
  printRow({
    what: `size of a scrape of ${NODES} nodes, ${format}`,
    figure: bytes / 1e6,
    unit: 'MB',
    reach: { kind: 'at-most', value: 1 },
    method: 'the last of them',
  });
}
await fleet.end();
