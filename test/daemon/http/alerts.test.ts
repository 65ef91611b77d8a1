// The alerts of deploy/prometheus over made-up hours, evaluated by Prometheus's own tool: what is a fault, and what only looks like one.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { sendRequest } from './http-exchange.ts';
import { serveCluster } from './served-cluster.ts';

const ATLAS = nodeId('a'.repeat(26));
const OF = 'node="a",name="atlas"';
const LIVE = `plimsoll_node_live{${OF}}`;

describe('the alerts', () => {
  beforeEach(({ skip }) => {
    if (spawnSync('promtool', ['--version']).error !== undefined)
      skip('promtool is not installed (Debian: prometheus)');
  });

  it('detect an Xid by the action of the newest: a driver that requires none any more raises none', async () => {
    const requested = await xidSeries(
      'GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)',
    );
    const over = await xidSeries('GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)');
    expect(requested).not.toEqual(over);
    expect(raisedAt('30m', { [LIVE]: '1x120', [requested]: '60x120' })).toEqual(['PlimsollGpuXid']);
    expect(raisedAt('30m', { [LIVE]: '1x120', [over]: '60x120' })).toEqual([]);
    expect(raisedAt('90m', { [LIVE]: '1x120', [requested]: '60x120' })).toEqual([]);
  });

  it('detect a degraded fabric, an error of an NVSwitch and a reset of an AMD or Intel GPU', () => {
    const logged = (level: string) =>
      `plimsoll_gpu_driver_error_timestamp_seconds{${OF},pci="p",kind="sxid",number="20034",level="${level}"}`;
    const fabric = `plimsoll_gpu_fabric_degraded{${OF},device="g"}`;
    expect(raisedAt('30m', { [LIVE]: '1x120', [logged('danger')]: '60x120' })).toEqual([
      'PlimsollGpuDriverError',
    ]);
    expect(raisedAt('90m', { [LIVE]: '1x120', [logged('danger')]: '60x120' })).toEqual([]);
    expect(raisedAt('30m', { [LIVE]: '1x120', [fabric]: '1x120' })).toEqual(['PlimsollGpuFabricDegraded']);
    expect(raisedAt('30m', { [LIVE]: '1x120', [fabric]: '0x120' })).toEqual([]);
  });

  it('detect a GPU that is lost, and one that did not come back after a restart', () => {
    const counts = (working: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_node_gpus{${OF},vendor="nvidia",state="working"}`]: working,
    });
    const lost = `plimsoll_gpu_failed{${OF},device="g",pci="0000:34:00.0",model="m",state="lost"}`;
    expect(raisedAt('40m', { ...counts('8x20 7x100'), [lost]: '_x20 1x100' })).toEqual(['PlimsollGpuFailed']);
    expect(raisedAt('40m', counts('8x20 7x100'))).toEqual(['PlimsollFewerGpus']);
    expect(raisedAt('40m', counts('8x120'))).toEqual([]);
  });

  it('detect a reading that stopped, and none that never came', () => {
    const reading = `plimsoll_reading_current{${OF},reading="gpu_errors"}`;
    expect(raisedAt('40m', { [LIVE]: '1x120', [reading]: '1x20 0x100' })).toEqual(['PlimsollReadingLate']);
    expect(raisedAt('40m', { [LIVE]: '1x120', [reading]: '0x120' })).toEqual([]);
  });

  it('detect silence of a node, unless it has announced a stop, and silence of all', () => {
    expect(raisedAt('40m', { [LIVE]: '1x20 0x100' })).toEqual(['PlimsollNodeSilent']);
    const stopped = `plimsoll_node_stopped{${OF}}`;
    expect(raisedAt('40m', { [LIVE]: '1x20 0x100', [stopped]: '0x20 1x100' })).toEqual([]);
    expect(raisedAt('40m', { [LIVE]: '1x20' })).toEqual(['PlimsollNothingReported']);
  });

  it('detect drops if they are many of many, and not the few of a quiet port', () => {
    const port = (what: string): string =>
      `plimsoll_network_${what}_total{${OF},interface="eth0",direction="receive"}`;
    const carried = (dropped: string, packets: string) => ({
      [LIVE]: '1x120',
      [port('drops')]: dropped,
      [port('packets')]: packets,
    });
    expect(raisedAt('40m', carried('0+30x120', '0+600x120'))).toEqual([]);
    expect(raisedAt('40m', carried('0+600x120', '0+60000x120'))).toEqual(['PlimsollPortDrops']);
    expect(raisedAt('40m', carried('0+600x120', '0+6000000x120'))).toEqual([]);
  });

  it('detect a card that is throttled while it works, except by its settings', () => {
    const held = (reason: string, use: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_gpu_throttled{${OF},device="g",reason="${reason}"}`]: '1x120',
      [`plimsoll_gpu_use_ratio{${OF},device="g"}`]: use,
    });
    expect(raisedAt('40m', held('HW thermal slowdown', '0.9x120'))).toEqual(['PlimsollGpuThrottled']);
    expect(raisedAt('40m', held('HW thermal slowdown', '0.1x120'))).toEqual([]);
    for (const reason of ['SW power cap', 'pl1', 'sync boost'])
      expect(raisedAt('40m', held(reason, '0.9x120'))).toEqual([]);
  });

  it('detect a link that has become slow, and none that always varies', () => {
    const link = 'plimsoll_link_upload_bytes_per_second{source_name="a",sink_name="b",connection="c"}';
    const days = (rates: string) => raisedAt('40h', { [LIVE]: '1x50', [link]: rates }, '1h');
    expect(days('100x37 50x10')).toEqual(['PlimsollLinkSlowerThanUsual']);
    expect(days(Array.from({ length: 10 }, () => '100x2 60x2').join(' '))).toEqual([]);
    // A new link has no history, so its usual rate is unknown.
    expect(raisedAt('10h', { [LIVE]: '1x50', [link]: '100x7 50x10' }, '1h')).toEqual([]);
  });

  it('report a path that is lost for as long as it is, and one that only waits for its node not at once', () => {
    const path = `plimsoll_link_path_up{node="a",name="atlas",peer="b",peer_name="juno",path="en0–eth0",type="ethernet"}`;
    expect(raisedAt('40m', { [LIVE]: '1x120', [path]: '1x20 0x100' })).toEqual(['PlimsollLinkLost']);
    expect(raisedAt('40m', { [LIVE]: '1x120', [path]: '1x20 0x10 1x90' })).toEqual([]);
  });

  it('detect what the page warns about: a link that is short, a path that is slow, lanes and links of a card', () => {
    const warned = (id: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_warning{id="${id}",level="caution",nodes="atlas"}`]: '1x120',
    });
    expect(raisedAt('40m', warned('link short a b'))).toEqual(['PlimsollLinkFarBelowNegotiated']);
    expect(raisedAt('40m', warned('link path a b'))).toEqual(['PlimsollLinkFarBelowNegotiated']);
    expect(raisedAt('40m', warned('pcie a g'))).toEqual(['PlimsollGpuLanes']);
    expect(raisedAt('40m', warned('gpu links a g'))).toEqual(['PlimsollGpuLinksDown']);
    expect(raisedAt('40m', warned('week a g'))).toEqual([]);
  });
});

/** The series that a daemon exports after it has read this line of the kernel's log. */
const xidSeries = async (text: string): Promise<string> => {
  await using served = await serveCluster();
  const logged: Fact = {
    kind: 'gpuErrors.gathered',
    payload: {
      source: 'test',
      intervalMs: 10_000,
      value: { errors: [{ address: '0000:1b:00', xid: 154, count: 1, newestAgeMs: 0, text }] },
    },
  };
  served.report(ATLAS, logged);
  const { body } = await sendRequest({ port: served.port, path: '/metrics' });
  const [series] = /^plimsoll_gpu_xid_timestamp_seconds\{[^}]*\}/m.exec(body) ?? [];
  return series ?? 'no series';
};

/** The alerts that fire at a moment, of series in promtool's notation ("1x3": four times 1) with a value each `interval`. */
const raisedAt = (
  moment: string,
  series: Readonly<Record<string, string>>,
  interval = '1m',
): readonly string[] => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'alerts-test.yml');
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [join(repositoryRoot, 'deploy/prometheus/plimsoll-alerts.yml')],
      evaluation_interval: interval,
      tests: [
        {
          interval,
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [
            { expr: 'ALERTS{alertstate="firing"}', eval_time: moment, exp_samples: NEVER_EXPECTED },
          ],
        },
      ],
    }),
  );
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  const [, got] = /got:(.*)$/s.exec(`${stdout}${stderr}`) ?? [];
  if (got === undefined) throw new Error(`promtool said: ${stdout}${stderr}`);
  return [...got.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name);
};

/** promtool prints what there is only where it is not what was expected. */
const NEVER_EXPECTED = [{ labels: 'ALERTS{alertname="none"}', value: 1 }];
