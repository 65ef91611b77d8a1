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
  const { error } = spawnSync('promtool', ['--version']);

  beforeEach(({ skip }) => {
    if (error !== undefined) skip('promtool is not installed (Debian: prometheus)');
  });

  it('detect an Xid by the action of the newest: a driver that requires none any more raises none', async () => {
    const requested = await xidSeries(
      'GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)',
    );
    const over = await xidSeries('GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)');
    expect(requested).not.toEqual(over);
    expectRaised([
      ['30m', { [LIVE]: '1x120', [requested]: '60x120' }, ['PlimsollGpuXid']],
      ['30m', { [LIVE]: '1x120', [over]: '60x120' }, []],
      ['90m', { [LIVE]: '1x120', [requested]: '60x120' }, []],
    ]);
  });

  it('detect a degraded fabric, an error of an NVSwitch and a reset of an AMD or Intel GPU', () => {
    const logged = (level: string) =>
      `plimsoll_gpu_driver_error_timestamp_seconds{${OF},pci="p",kind="sxid",number="20034",level="${level}"}`;
    const fabric = `plimsoll_gpu_fabric_degraded{${OF},device="g"}`;
    expectRaised([
      ['30m', { [LIVE]: '1x120', [logged('danger')]: '60x120' }, ['PlimsollGpuDriverError']],
      ['90m', { [LIVE]: '1x120', [logged('danger')]: '60x120' }, []],
      ['30m', { [LIVE]: '1x120', [fabric]: '1x120' }, ['PlimsollGpuFabricDegraded']],
      ['30m', { [LIVE]: '1x120', [fabric]: '0x120' }, []],
    ]);
  });

  it('detect a GPU that is lost, and one that did not come back after a restart', () => {
    const counts = (working: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_node_gpus{${OF},vendor="nvidia",state="working"}`]: working,
    });
    const lost = `plimsoll_gpu_failed{${OF},device="g",pci="0000:34:00.0",model="m",state="lost"}`;
    expectRaised([
      ['40m', { ...counts('8x20 7x100'), [lost]: '_x20 1x100' }, ['PlimsollGpuFailed']],
      ['40m', counts('8x20 7x100'), ['PlimsollFewerGpus']],
      ['40m', counts('8x120'), []],
    ]);
  });

  it('detect a reading that stopped, and none that never came', () => {
    const reading = `plimsoll_reading_current{${OF},reading="gpu_errors"}`;
    expectRaised([
      ['40m', { [LIVE]: '1x120', [reading]: '1x20 0x100' }, ['PlimsollReadingLate']],
      ['40m', { [LIVE]: '1x120', [reading]: '0x120' }, []],
    ]);
  });

  it('detect silence of a node, unless it has announced a stop, and silence of all', () => {
    const stopped = `plimsoll_node_stopped{${OF}}`;
    expectRaised([
      ['40m', { [LIVE]: '1x20 0x100' }, ['PlimsollNodeSilent']],
      ['40m', { [LIVE]: '1x20 0x100', [stopped]: '0x20 1x100' }, []],
      ['40m', { [LIVE]: '1x20' }, ['PlimsollNothingReported']],
    ]);
  });

  it('detect drops if they are many of many, and not the few of a quiet port', () => {
    const port = (what: string): string =>
      `plimsoll_network_${what}_total{${OF},interface="eth0",direction="receive"}`;
    const carried = (dropped: string, packets: string) => ({
      [LIVE]: '1x120',
      [port('drops')]: dropped,
      [port('packets')]: packets,
    });
    expectRaised([
      ['40m', carried('0+30x120', '0+600x120'), []],
      ['40m', carried('0+600x120', '0+60000x120'), ['PlimsollPortDrops']],
      ['40m', carried('0+600x120', '0+6000000x120'), []],
    ]);
  });

  it('detect a card that is throttled while it works, except by its settings', () => {
    const throttled = (reason: string, use: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_gpu_throttled{${OF},device="g",reason="${reason}"}`]: '1x120',
      [`plimsoll_gpu_use_ratio{${OF},device="g"}`]: use,
    });
    expectRaised([
      ['40m', throttled('HW thermal slowdown', '0.9x120'), ['PlimsollGpuThrottled']],
      ['40m', throttled('HW thermal slowdown', '0.1x120'), []],
      ['40m', throttled('SW power cap', '0.9x120'), []],
      ['40m', throttled('pl1', '0.9x120'), []],
      ['40m', throttled('sync boost', '0.9x120'), []],
    ]);
  });

  it('detect a link that has become slow, and none that always varies', () => {
    const link = 'plimsoll_link_upload_bytes_per_second{source_name="a",sink_name="b",connection="c"}';
    const rates = (values: string) => ({ [LIVE]: '1x50', [link]: values });
    expectRaised(
      [
        ['40h', rates('100x37 50x10'), ['PlimsollLinkSlowerThanUsual']],
        ['40h', rates(Array.from({ length: 10 }, () => '100x2 60x2').join(' ')), []],
        // A new link has no history, so its usual rate is unknown.
        ['10h', rates('100x7 50x10'), []],
      ],
      '1h',
    );
  });

  it('report a path that is lost for as long as it is, and one that only waits for its node not at once', () => {
    const path = `plimsoll_link_path_up{node="a",name="atlas",peer="b",peer_name="juno",path="en0–eth0",type="ethernet"}`;
    expectRaised([
      ['40m', { [LIVE]: '1x120', [path]: '1x20 0x100' }, ['PlimsollLinkLost']],
      ['40m', { [LIVE]: '1x120', [path]: '1x20 0x10 1x90' }, []],
    ]);
  });

  it('detect what the page warns about: a link that is short, a path that is slow, cards, ports and slots', () => {
    const warned = (id: string) => ({
      [LIVE]: '1x120',
      [`plimsoll_warning{id="${id}",level="caution",nodes="atlas"}`]: '1x120',
    });
    expectRaised([
      ['40m', warned('link short a b'), ['PlimsollLinkFarBelowNegotiated']],
      ['40m', warned('link path a b'), ['PlimsollLinkFarBelowNegotiated']],
      ['40m', warned('pcie a g'), ['PlimsollGpuLanes']],
      ['40m', warned('gpu links a g'), ['PlimsollGpuLinksDown']],
      ['40m', warned('week a g'), []],
      ['40m', warned('port flaps a ens1f0np0'), ['PlimsollPortFlaps']],
      ['40m', warned('port errors a mlx5_0'), ['PlimsollCableErrors']],
      ['40m', warned('slot errors a 0000:06:00.0'), ['PlimsollSlotErrors']],
      // Over before it has lasted.
      ['3m', warned('port errors a mlx5_0'), []],
      [
        '40m',
        {
          [LIVE]: '1x120',
          [`plimsoll_warning{id="port flaps a eth0",level="caution",nodes="atlas"}`]: '1x20 _x100',
        },
        [],
      ],
    ]);
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

/**
 * A moment, series in promtool's notation ("1x3": four times 1) with a value each interval, and the names of the alerts that fire then.
 * promtool starts once for all of them.
 */
type Case = readonly [moment: string, series: Readonly<Record<string, string>>, alerts: readonly string[]];

const expectRaised = (cases: readonly Case[], interval = '1m'): void => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'alerts-test.yml');
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [join(repositoryRoot, 'deploy/prometheus/plimsoll-alerts.yml')],
      evaluation_interval: interval,
      tests: cases.map(([moment, series]) => ({
        interval,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          { expr: 'ALERTS{alertstate="firing"}', eval_time: moment, exp_samples: NEVER_EXPECTED },
        ],
      })),
    }),
  );
  const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  const [, ...answers] = `${stdout}${stderr}`.split(/\bgot:/);
  if (answers.length !== cases.length) throw new Error(`promtool reports: ${stdout}${stderr}`);
  const raised = answers.map(answer =>
    [...answer.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name).filter(name => name !== 'none'),
  );
  expect(raised).toEqual(cases.map(([, , alerts]) => alerts));
};

/** promtool prints what there is only where it is not what was expected. */
const NEVER_EXPECTED = [{ labels: 'ALERTS{alertname="none"}', value: 1 }];
