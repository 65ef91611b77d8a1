import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { measured } from '../../support/made-up-engine.ts';
import { pressedFact } from '../../support/pressed.ts';
import { repositoryFiles, textOf } from '../../support/repository.ts';
import { sendRequest } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, placeFact, SELF, serveCluster } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

describe('GET /metrics', () => {
  test('has known figures in base units, by node and name', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(68_719_476_736), systemFact(0.25));
    await served.clock.advance(500);
    const metrics = await scrape(served.port);
    const labels = `node="${SELF}",name="anvil"`;
    expect(metrics.get(`plimsoll_node_memory_total_bytes{${labels}}`)).toBe(68_719_476_736);
    expect(metrics.get(`plimsoll_node_memory_available_bytes{${labels}}`)).toBe(34_359_738_368);
    expect(metrics.get(`plimsoll_node_cpu_use_ratio{${labels}}`)).toBe(0.25);
    expect(metrics.get(`plimsoll_reading_timestamp_seconds{${labels},reading="memory"}`)).toBeCloseTo(
      served.clock.wallMs() / 1_000 - 0.5,
    );
    expect(metrics.get(`plimsoll_reading_current{${labels},reading="memory"}`)).toBe(1);
    expect(metrics.get('plimsoll_daemon_cpu_seconds_total')).toBe(1.5);
    expect(metrics.get('plimsoll_daemon_resident_memory_bytes')).toBe(90_000_000);
  });

  test('has the totals of each site, rack and kind, and where each node is', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64), placeFact('r1'));
    served.report(OTHER, identityFact('bellows'), memoryFact(32), placeFact('r2'));
    const metrics = await scrape(served.port);
    expect(metrics.get('plimsoll_group_nodes{by="site",group="greenwich",state="up"}')).toBe(2);
    expect(metrics.get('plimsoll_group_memory_total_bytes{by="rack",group="greenwich/r2"}')).toBe(32);
    expect(metrics.get('plimsoll_groups_left_out{by="rack"}')).toBe(0);
    const labels = `node="${OTHER}",name="bellows",site="greenwich",rack="r2",kind="HGX H200"`;
    expect(metrics.get(`plimsoll_node_place_info{${labels}}`)).toBe(1);
    expect([...metrics.keys()].filter(name => name.startsWith('plimsoll_group_gpu_use_ratio'))).toEqual([]);
  });

  test('has no sites and racks if no node has one', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64));
    const names = [...(await scrape(served.port)).keys()];
    expect(names.filter(name => /plimsoll_group.*by="(site|rack)"/.test(name))).toEqual([]);
  });

  test('has nothing where a figure is unknown, and zero where it is zero', async () => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(64), systemFact(0));
    const names = [...(await scrape(served.port)).keys()];
    expect(names.filter(name => name.startsWith('plimsoll_node_swap_total_bytes'))).toEqual([]);
    expect(names.filter(name => name.startsWith('plimsoll_node_cpu_temperature'))).toEqual([]);
    expect(names.filter(name => name.startsWith('plimsoll_node_swap_used_bytes'))).toHaveLength(1);
    expect(names.filter(name => name.startsWith('plimsoll_node_cpu_use_ratio'))).toHaveLength(1);
  });

  test('has how long tasks waited, of the host and of a control group, and leaves out what is unknown', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), pressedFact('group'));
    const metrics = await scrape(served.port);
    const of = (group: string, resource: string, waiting: string): string =>
      `{node="${SELF}",name="anvil",of="${group}",resource="${resource}",waiting="${waiting}"}`;
    const reported = [...metrics].filter(([name]) => name.startsWith('plimsoll_node_pressure_'));
    expect(Object.fromEntries(reported)).toEqual({
      [`plimsoll_node_pressure_ratio${of('host', 'cpu', 'some')}`]: 0.32,
      [`plimsoll_node_pressure_ratio${of('host', 'memory', 'some')}`]: 0.08,
      [`plimsoll_node_pressure_ratio${of('host', 'memory', 'full')}`]: 0.04,
      [`plimsoll_node_pressure_ratio${of('control_group', 'cpu', 'some')}`]: 0.32,
      [`plimsoll_node_pressure_ratio${of('control_group', 'memory', 'some')}`]: 0.08,
      [`plimsoll_node_pressure_ratio${of('control_group', 'memory', 'full')}`]: 0.04,
      [`plimsoll_node_pressure_ratio${of('control_group', 'io', 'some')}`]: 0.5,
      [`plimsoll_node_pressure_ratio${of('control_group', 'io', 'full')}`]: 0.2,
      [`plimsoll_node_pressure_waiting_seconds_total${of('host', 'cpu', 'some')}`]: 12.5,
      [`plimsoll_node_pressure_waiting_seconds_total${of('host', 'memory', 'some')}`]: 12.5,
      [`plimsoll_node_pressure_waiting_seconds_total${of('host', 'memory', 'full')}`]: 0.25,
      [`plimsoll_node_pressure_waiting_seconds_total${of('control_group', 'cpu', 'some')}`]: 12.5,
      [`plimsoll_node_pressure_waiting_seconds_total${of('control_group', 'memory', 'some')}`]: 12.5,
      [`plimsoll_node_pressure_waiting_seconds_total${of('control_group', 'memory', 'full')}`]: 0.25,
      [`plimsoll_node_pressure_waiting_seconds_total${of('control_group', 'io', 'some')}`]: 12.5,
      [`plimsoll_node_pressure_waiting_seconds_total${of('control_group', 'io', 'full')}`]: 0.25,
    });
    await served.clock.advance(20_000);
    const late = [...(await scrape(served.port)).keys()];
    expect(late.filter(name => name.startsWith('plimsoll_node_pressure_'))).toEqual([]);
  });

  test('a source that fell silent leaves a gap and a growing age', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64));
    await served.clock.advance(20_000);
    const metrics = await scrape(served.port);
    const labels = `node="${SELF}",name="anvil"`;
    expect(metrics.get(`plimsoll_node_memory_available_bytes{${labels}}`)).toBeUndefined();
    expect(metrics.get(`plimsoll_node_memory_total_bytes{${labels}}`)).toBe(64);
    expect(metrics.get(`plimsoll_reading_timestamp_seconds{${labels},reading="memory"}`)).toBeCloseTo(
      served.clock.wallMs() / 1_000 - 20,
    );
    expect(metrics.get(`plimsoll_reading_current{${labels},reading="memory"}`)).toBe(0);
    expect(metrics.get(`plimsoll_node_live{${labels}}`)).toBe(0);
  });

  test('has no series for what a machine does not have, which an alert would take for late', async () => {
    await using served = await serveCluster();
    const source = { reading: 'rdmaDevices', vendor: 'none', source: 'sysfs', intervalMs: 30_000 };
    served.report(SELF, identityFact('anvil'), memoryFact(64), {
      kind: 'reading.absent',
      payload: { ...source, reason: 'the kernel has no RDMA devices' },
    });
    const names = [...(await scrape(served.port)).keys()].filter(name =>
      name.startsWith('plimsoll_reading_'),
    );
    expect(names.some(name => name.includes('reading="memory"'))).toBe(true);
    expect(names.filter(name => name.includes('reading="rdma_devices"'))).toEqual([]);
    served.report(SELF, {
      kind: 'reading.failed',
      payload: { ...source, reason: 'no permission' },
    });
    const current = `plimsoll_reading_current{node="${SELF}",name="anvil",reading="rdma_devices"}`;
    expect((await scrape(served.port)).get(current)).toBe(0);
  });

  test('stays well-formed for any name of a node', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('a"b\\c\nd} 9'), memoryFact(64));
    const { body } = await sendRequest({ port: served.port, path: '/metrics' });
    expect(body).toContain('name="a\\"b\\\\cd} 9"');
    for (const line of body.split('\n'))
      expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ |^\w+(\{.*\})? [-+.\deE]+$/);
  });

  test('counts streams and the dropped ones', async () => {
    await using served = await serveCluster({ limits: { streamsMax: 1 } });
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    await sendRequest({ port: served.port, path: '/api/stream' });
    const metrics = await scrape(served.port);
    expect(metrics.get('plimsoll_daemon_stream_clients')).toBe(1);
    expect(metrics.get('plimsoll_daemon_streams_refused_total')).toBe(1);
    expect(metrics.get('plimsoll_daemon_streams_dropped_total{reason="slow"}')).toBe(0);
  });

  test('has a bounded number of connections, the own ones first, and counts the rest', async () => {
    await using served = await serveCluster({ limits: { metricsConnectionsMax: 2 } });
    for (const [source, sink] of [
      [OTHER, SELF],
      [SELF, OTHER],
    ] as const) {
      served.report(
        source,
        memoryFact(1),
        connectionFact(sink, '192.0.2.1'),
        connectionFact(sink, '192.0.2.2'),
      );
    }
    const metrics = await scrape(served.port);
    const reported = [...metrics.keys()].filter(name => name.startsWith('plimsoll_link_negotiated'));
    expect(reported.map(name => /source="(\w+)"/.exec(name)?.[1])).toEqual([SELF, SELF]);
    expect(metrics.get('plimsoll_links_left_out')).toBe(2);
  });

  test('names a connection by its interface, not by an address that may change', async () => {
    await using served = await serveCluster();
    const addresses = ['192.0.2.2', '192.0.2.1', '2001:db8::1'];
    served.report(OTHER, memoryFact(1));
    served.report(SELF, memoryFact(1), ...addresses.map(address => connectionFact(OTHER, address)));
    const reported = [...(await scrape(served.port)).keys()].filter(name =>
      name.startsWith('plimsoll_link_negotiated'),
    );
    expect(reported.map(name => /connection="([^"]*)"/.exec(name)?.[1]).sort()).toEqual([
      'socket eth0 IPv4',
      'socket eth0 IPv4 #2',
      'socket eth0 IPv6',
    ]);
    expect(reported.join()).not.toContain('192.0.2');
  });

  test('has the median and the slowest of the links of each two racks', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(1), placeFact('r1'));
    served.report(OTHER, identityFact('bellows'), memoryFact(1), placeFact('r2'));
    served.report(SELF, connectionFact(OTHER, '192.0.2.2'), profileFact(OTHER, '192.0.2.2', 9.4e8));
    const metrics = await scrape(served.port);
    const labels = 'by="rack",group="greenwich/r1",other="greenwich/r2"';
    expect(metrics.get(`plimsoll_group_pair_links{${labels}}`)).toBe(1);
    expect(metrics.get(`plimsoll_group_pair_median_bytes_per_second{${labels}}`)).toBe(9.4e8 / 8);
    expect(metrics.get(`plimsoll_group_pair_worst_bytes_per_second{${labels}}`)).toBe(9.4e8 / 8);
    expect(metrics.get('plimsoll_group_pairs_left_out{by="rack"}')).toBe(0);
  });

  test('is the text format that Prometheus asks for', async () => {
    await using served = await serveCluster();
    const { headers } = await sendRequest({ port: served.port, path: '/metrics' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('is OpenMetrics for who accepts it: counters and infos by their names there, units, and an end', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64));
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
    const { body, headers } = await sendRequest({ port: served.port, path: '/metrics', headers: { accept } });
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(body).toContain('# TYPE plimsoll_node info\nplimsoll_node_info{');
    expect(body).toContain(
      '# TYPE plimsoll_daemon_cpu_seconds counter\n# UNIT plimsoll_daemon_cpu_seconds seconds\n',
    );
    expect(body).toContain('\nplimsoll_daemon_cpu_seconds_total 1.5\n');
    expect(body.endsWith('\n# EOF\n')).toBe(true);
  });

  test('has only the nodes of a group, or those named, and reports which are not there', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64), placeFact('r1'));
    served.report(OTHER, identityFact('bellows'), memoryFact(32), placeFact('r2'));
    for (const query of [
      'node=bellows',
      `node=${OTHER}`,
      'group=rack=greenwich/r2',
      'group=site=greenwich&node=bellows',
    ]) {
      const names = [...(await scrape(served.port, `/metrics?${query}`)).keys()];
      expect(names.filter(name => name.startsWith('plimsoll_node_memory_total_bytes'))).toEqual([
        `plimsoll_node_memory_total_bytes{node="${OTHER}",name="bellows"}`,
      ]);
    }
    expect((await sendRequest({ port: served.port, path: '/metrics?node=nobody' })).status).toBe(404);
    expect((await sendRequest({ port: served.port, path: '/metrics?group=rack=r9' })).status).toBe(404);
    expect((await sendRequest({ port: served.port, path: '/metrics?group=rack' })).status).toBe(400);
  });

  test('beyond 40 nodes has the answering one whole and the others in short', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64), pressedFact('none'));
    for (let index = 0; index < 41; index += 1)
      served.report(nodeId(`n${index}`.padEnd(26, 'x')), memoryFact(32), pressedFact('none'));
    const metrics = await scrape(served.port);
    expect(metrics.get('plimsoll_nodes_in_short')).toBe(41);
    const names = [...metrics.keys()];
    expect(names.filter(name => name.startsWith('plimsoll_node_memory_total_bytes'))).toHaveLength(42);
    const pressed = names.filter(name => name.startsWith('plimsoll_node_pressure_ratio'));
    expect(pressed.length).toBeGreaterThan(0);
    expect(pressed.every(name => name.includes(SELF))).toBe(true);
  });

  test('has nothing in it that promtool objects to', async context => {
    const found = spawnSync('promtool', ['--version']);
    if (found.error !== undefined) context.skip('promtool is not installed (Debian: prometheus)');
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64), systemFact(0.5), pressedFact('group'));
    served.report(OTHER, identityFact('bellows'), memoryFact(32), placeFact('r2'));
    served.report(SELF, connectionFact(OTHER, '192.0.2.2'), profileFact(OTHER, '192.0.2.2', 9.4e8));
    const { body } = await sendRequest({ port: served.port, path: '/metrics' });
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

const scrape = async (port: number, path = '/metrics'): Promise<ReadonlyMap<string, number>> => {
  const { body } = await sendRequest({ port, path });
  return new Map(
    body
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
};

const connectionFact = (sink: NodeId, sinkAddress: string): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
  },
});

const profileFact = (sink: NodeId, sinkAddress: string, bitsPerSecond: number): Fact => {
  const outcome = measured(bitsPerSecond);
  if (outcome.kind !== 'measured') throw new Error('it is measured');
  return {
    kind: 'link.profiled',
    payload: {
      ...outcome.measurement,
      sink,
      connectionKey: `socket ${sinkAddress}`,
      extrasAgeMs: 0,
      measuredAgeMs: 0,
      intervalMs: 300_000,
      failure: 'none',
    },
  };
};

const systemFact = (cpuUse: number): Fact => ({
  kind: 'system.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 1_000,
    value: {
      cpuUse,
      cpuTemperatureCelsius: unknown('no sensor'),
      cpuPowerWatts: unknown('no sensor'),
      systemPowerWatts: unknown('no sensor'),
      loadAverage1: 0.5,
      uptimeSeconds: 100,
      cpuClusters: [],
    },
  },
});

test('every name of /metrics is in docs/prometheus.md', () => {
  const documented: readonly string[] = textOf('docs/prometheus.md').match(/plimsoll_\w+/g) ?? [];
  const named = (repositoryFiles() ?? [])
    .filter(file => file.startsWith('src/daemon/http/metrics/') || /^src\/core\/.*-figures\.ts$/.test(file))
    .flatMap(file => textOf(file).match(/'plimsoll_\w+'/g) ?? [])
    .map(name => name.slice(1, -1));
  expect(named.length).toBeGreaterThan(100);
  expect([...new Set(named)].filter(name => !documented.includes(name))).toEqual([]);
});
