// The same fact has the same figure wherever it is reported: on the command line, in the HTTP API, for Prometheus,
// for programs that reason, and on the page. Numbers for programs are the same number, in MCP with six digits; texts
// for people are that number by the one rule of its unit.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateFigure, timeFigure } from '../../dashboard/src/link/link-text.ts';
import { gpuRows } from '../../dashboard/src/node/device-rows.ts';
import { runTiles } from '../../dashboard/src/run/run-tiles.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { homeFiles } from '../../src/config/home.ts';
import { figureText, formatBytesPerSecond } from '../../src/core/figure/figure.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { isJsonObject } from '../../src/core/json.ts';
import { linkViews } from '../../src/core/link/link-view.ts';
import { gpusOf } from '../../src/core/node/memory-use.ts';
import { nodeName, nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { knownValue } from '../../src/core/node/reading-view.ts';
import { runView } from '../../src/core/run/run-selectors.ts';
import type { State } from '../../src/core/state.ts';
import { isUnknown, unknown } from '../../src/core/unknown.ts';
import { writeDaemonFile } from '../../src/daemon/daemon-file.ts';
import { renderSummary } from '../../src/tui/render.ts';
import { laterReadings } from '../support/later-readings.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { type RecordedCluster, recordedCluster } from '../support/recorded-cluster.ts';
import { REGISTRY_NODE } from '../support/registry-parts.ts';
import { whenState } from '../support/streamed-state.ts';

let served: RecordedCluster;
let client: Client;
/** What a page holds: it came through the stream. */
let page: State;
let metrics: string;
let api: unknown;
let statusJson: unknown;
let statusText: string;

beforeAll(async () => {
  served = await recordedCluster(() => [], { bosun: laterReadings(BOSUN_GPU) });
  const { url, token, home } = served;
  await writeDaemonFile(homeFiles(home).daemon, {
    url,
    socket: unknown('none'),
    token,
    pid: process.pid,
    startedAtWallMs: 0,
    nodeId: REGISTRY_NODE,
    version: '1.2.3',
  });
  client = new Client({ name: 'one-figure', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  page = await whenState(url, () => true);
  metrics = await (await fetch(`${url}/metrics`)).text();
  api = await (await fetch(`${url}/api/state`)).json();
  statusJson = JSON.parse(await printed('status', '--json'));
  statusText = await printed('status');
});

afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
});

const printed = async (...args: readonly string[]): Promise<string> => {
  const command = madeUpProcess([...args, '--home', served.home], { columns: 400 });
  expect([await command.run(), command.stderr.text]).toEqual([0, '']);
  return command.stdout.text.replace(/[\u00a0\u202f]/g, ' ');
};

/** A number deep in JSON: a list is entered by the first of its items that has this name or id. */
const numberAt = (json: unknown, ...path: readonly string[]): number => {
  let here = json;
  for (const step of path) {
    if (Array.isArray(here))
      here = here.find(
        item =>
          isJsonObject(item) &&
          ['name', 'deviceId', 'vendor', 'runId', 'address', 'pciAddress'].some(key => item[key] === step),
      );
    else here = isJsonObject(here) ? here[step] : undefined;
  }
  if (typeof here !== 'number') throw new Error(`no number at ${path.join('.')}: ${JSON.stringify(here)}`);
  return here;
};

/** Of the one series with this name and these labels. */
const metric = (name: string, labels: Readonly<Record<string, string>>): number => {
  const found = metrics
    .split('\n')
    .filter(
      line =>
        line.startsWith(`${name}{`) &&
        Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
    );
  expect(found, name).toHaveLength(1);
  return Number(found[0]?.split(' ').at(-1));
};

const requested = async (tool: string, given: Record<string, unknown>): Promise<unknown> =>
  (await client.callTool({ name: tool, arguments: given })).structuredContent;

const idOf = (name: string): NodeId => {
  const id = nodeIds(page).find(each => nodeName(page, each) === name);
  if (id === undefined) throw new Error(`no node ${name}`);
  return id;
};

const BOSUN_GPU = 'GPU-51e70000-0006-4000-8000-000000000000';

const sixDigits = (value: number): number => Number(value.toPrecision(6));
const text = (figure: { readonly figure: string; readonly unit: string }): string =>
  figureText(figure).replace(/[\u00a0\u202f]/g, ' ');

/** What `plimsoll top` shows of one machine. */
const summaryOf = (node: NodeId, laterMs = 0): string =>
  renderSummary(page, node, systemClock.nowMs() + laterMs, { columns: 400, color: false, isUnicode: true })
    .join('\n')
    .replace(/[\u00a0\u202f]/g, ' ');

const rowOf = (start: RegExp): string => statusText.split('\n').find(line => start.test(line)) ?? '';

test('the memory bandwidth of a machine', async () => {
  const atlas = idOf('atlas');
  const exact = numberAt(api, 'nodeGpuProfiles', atlas, 'apple-0', 'value', 'memoryReadBytesPerSecond');
  const stated = [
    numberAt(statusJson, 'state', 'nodeGpuProfiles', atlas, 'apple-0', 'value', 'memoryReadBytesPerSecond'),
    metric('plimsoll_gpu_memory_read_bytes_per_second', { name: 'atlas', device: 'apple-0' }),
    nodeView(page, atlas, systemClock.nowMs()).gpus[0]?.devices[0]?.profile?.value.memoryReadBytesPerSecond,
  ];
  expect(stated).toEqual([exact, exact, exact]);
  const detail = await requested('node_detail', { node: 'atlas' });
  expect(numberAt(detail, 'devices', 'apple-0', 'memoryRead', 'value')).toBe(sixDigits(exact));
  expect(exact).toBe(662_337_370_510);
  expect(rowOf(/● atlas /)).toContain(' 662 GB/s ');
});

test('columns that were asked for, and nothing else', async () => {
  const lines = (await printed('status', '--fields', 'memory-read,temperature')).trimEnd().split('\n');
  expect(lines[0]?.trim()).toMatch(/^Node +Temp +Mem\. read$/);
  expect(lines).toHaveLength(10);
  expect(lines.find(line => line.includes('atlas'))).toMatch(/● atlas simulated +\d+ °C +662 GB\/s$/);
  for (const [args, expected] of [
    [['--fields', 'colour'], 'there is no column "colour"'],
    [['--fields', 'gpu', '--json'], '--fields and --json cannot be combined'],
  ] as const) {
    const refused = madeUpProcess(['status', ...args]);
    expect([await refused.run(), refused.stderr.text]).toEqual([2, expect.stringContaining(expected)]);
  }
});

test('temperature and power of a GPU', async () => {
  const bosun = idOf('bosun');
  const device = BOSUN_GPU;
  const nowMs = systemClock.nowMs();
  const [vendor] = nodeView(page, bosun, nowMs).gpus;
  const gpu = vendor?.devices[0];
  if (vendor === undefined || gpu === undefined) throw new Error('no GPU');
  const detail = await requested('node_detail', { node: 'bosun' });
  for (const [key, series, name, shown] of [
    ['temperatureCelsius', 'plimsoll_gpu_temperature_celsius', 'Temperature', '61 °C'],
    ['powerWatts', 'plimsoll_gpu_power_watts', 'Power', '311 W'],
  ] as const) {
    const path = ['nodeGpuLoads', bosun, 'nvidia', 'value', 'devices', device, key];
    const exact = numberAt(api, ...path);
    expect([
      numberAt(statusJson, 'state', ...path),
      metric(series, { name: 'bosun', device }),
      gpu.load?.[key],
    ]).toEqual([exact, exact, exact]);
    const field = key === 'powerWatts' ? 'power' : 'temperature';
    expect(numberAt(detail, 'devices', device, field, 'value')).toBe(sixDigits(exact));
    const row = gpuRows({ gpu, vendor, nowMs }).find(each => each.name === name);
    expect(row?.now.text.replace(/[\u00a0\u202f]/g, ' ')).toBe(shown);
    if (row !== undefined) expect(text(row.format(exact))).toBe(shown);
  }
});

test('what a GPU counts of memory errors, and what its driver has logged', async () => {
  const bosun = idOf('bosun');
  const device = BOSUN_GPU;
  const detail = await requested('node_detail', { node: 'bosun' });
  const view = nodeView(page, bosun, systemClock.nowMs());
  const health = gpusOf(view).find(gpu => gpu.device.deviceId === device)?.health;
  for (const [kind, field, shown] of [
    ['corrected', 'correctedMemoryErrors', '7 corrected memory errors'],
    ['uncorrected', 'uncorrectedMemoryErrors', '2 uncorrected memory errors'],
  ] as const) {
    const path = ['nodeGpuHealths', bosun, 'nvidia', 'value', 'devices', device, 'eccVolatile', kind];
    const exact = numberAt(api, ...path);
    expect([
      numberAt(statusJson, 'state', ...path),
      metric('plimsoll_gpu_ecc_errors_total', { name: 'bosun', device, since: 'driver', kind }),
      health?.eccVolatile[kind],
      numberAt(detail, 'devices', device, field, 'value'),
    ]).toEqual([exact, exact, exact, exact]);
    expect(Number.parseInt(shown, 10)).toBe(exact);
    expect(summaryOf(bosun)).toMatch(
      new RegExp(kind === 'corrected' ? `corrected memory errors ${exact}\\b` : shown),
    );
  }
  const [error] = knownValue(view.gpuErrors)?.errors ?? [];
  const path = ['nodeGpuErrors', bosun, 'value', 'errors', '0000:41:00', 'count'];
  const exact = numberAt(api, ...path);
  expect([
    numberAt(statusJson, 'state', ...path),
    metric('plimsoll_gpu_xid_errors_total', { name: 'bosun', pci: '0000:41:00', xid: '63' }),
    error?.count,
    numberAt(detail, 'gpuErrors', '0000:41:00', 'count'),
  ]).toEqual([exact, exact, exact, exact]);
  expect(summaryOf(bosun)).toMatch(new RegExp(`Xid 63: bad memory was marked for repair.* ${exact} times`));
  // 90 s before the reading, which is as old as what asks.
  expect(summaryOf(bosun, 3_600_000)).toMatch(/Xid 63:.* newest 1 h ago/);
  expect(detail).toMatchObject({ gpuErrorsMissing: '' });
  expect(await requested('node_detail', { node: 'pip' })).toMatchObject({
    gpuErrorsMissing: 'nothing reported yet',
    traffic: { ports: [], missing: 'nothing reported yet' },
  });
});

test('what a disk and a network port carry now, and have carried', async () => {
  const bosun = idOf('bosun');
  const detail = await requested('node_detail', { node: 'bosun' });
  const view = nodeView(page, bosun, systemClock.nowMs());
  const [disk] = knownValue(view.diskTraffic)?.devices ?? [];
  const [port] = knownValue(view.traffic)?.ports ?? [];
  if (disk === undefined || isUnknown(disk.rates) || port === undefined || isUnknown(port.rates))
    throw new Error('no rates');
  const diskPath = ['nodeDiskTraffics', bosun, 'value', 'devices', 'nvme0n1'];
  const portPath = ['nodeTraffics', bosun, 'value', 'ports', 'enp65s0f0'];
  const diskMetric = { series: 'plimsoll_disk_io_bytes_total', labels: { name: 'bosun', disk: 'nvme0n1' } };
  const portMetric = {
    series: 'plimsoll_network_bytes_total',
    labels: { name: 'bosun', interface: 'enp65s0f0', counter: 'interface' },
  };
  for (const [path, total, { series, labels }, direction, inPage] of [
    [diskPath, ['readBytes'], diskMetric, 'read', disk.readBytes],
    [diskPath, ['writtenBytes'], diskMetric, 'write', disk.writtenBytes],
    [portPath, ['received', 'bytes'], portMetric, 'receive', port.received.bytes],
    [portPath, ['sent', 'bytes'], portMetric, 'transmit', port.sent.bytes],
  ] as const) {
    const exact = numberAt(api, ...path, ...total);
    expect([
      numberAt(statusJson, 'state', ...path, ...total),
      metric(series, { ...labels, direction }),
      inPage,
    ]).toEqual([exact, exact, exact]);
  }
  // Of rates `/metrics` has none: Prometheus makes them of the totals.
  for (const [path, rate, stated, inPage, format, shown] of [
    [
      diskPath,
      ['readBytesPerSecond'],
      ['diskTraffic', 'disks', 'nvme0n1', 'read'],
      disk.rates.readBytesPerSecond,
      formatBytesPerSecond,
      'read 1.23 GB/s',
    ],
    [
      diskPath,
      ['writtenBytesPerSecond'],
      ['diskTraffic', 'disks', 'nvme0n1', 'written'],
      disk.rates.writtenBytesPerSecond,
      formatBytesPerSecond,
      'write 45.7 MB/s',
    ],
    [
      portPath,
      ['received', 'bytesPerSecond'],
      ['traffic', 'ports', 'enp65s0f0', 'received'],
      port.rates.received.bytesPerSecond,
      (value: number) => rateFigure(value * 8, 'bits'),
      'in 4.94 Gb/s',
    ],
    [
      portPath,
      ['sent', 'bytesPerSecond'],
      ['traffic', 'ports', 'enp65s0f0', 'sent'],
      port.rates.sent.bytesPerSecond,
      (value: number) => rateFigure(value * 8, 'bits'),
      'out 78.9 Mb/s',
    ],
  ] as const) {
    const exact = numberAt(api, ...path, 'rates', ...rate);
    expect([numberAt(statusJson, 'state', ...path, 'rates', ...rate), inPage]).toEqual([exact, exact]);
    expect(numberAt(detail, ...stated, 'value')).toBe(sixDigits(exact));
    expect(shown.endsWith(` ${text(format(exact))}`), shown).toBe(true);
    expect(summaryOf(bosun)).toContain(shown);
  }
  expect(rowOf(/● bosun /)).toMatch(/ 4\.94 Gb\/s +78\.9 Mb\/s /);
  expect(detail).toMatchObject({
    traffic: {
      ports: [
        { sent: { unit: 'bytes/s', method: 'sysfs', isStale: false }, drops: { value: 5, unit: 'packets' } },
        { name: 'mlx5_0', kind: 'rdma', sent: { value: null, reason: 'its counters were reset' } },
      ],
      leftOut: 0,
    },
  });
});

test('the bandwidth of a link each way, and its latency', async () => {
  const [spark, bosun] = [idOf('spark-2'), idOf('bosun')];
  const link = linkViews(page, systemClock.nowMs()).find(
    ({ nodes }) => nodes.includes(spark) && nodes.includes(bosun),
  );
  const stated = await requested('worst_links', { limit: 1 });
  const first: unknown =
    isJsonObject(stated) && Array.isArray(stated['links']) ? stated['links'][0] : undefined;
  // Of several connections the best figure counts; these are of which.
  for (const [figure, source, sink, key, series, scale] of [
    ['there', spark, bosun, 'uploadBitsPerSecond', 'plimsoll_link_upload_bytes_per_second', 8],
    ['back', bosun, spark, 'uploadBitsPerSecond', 'plimsoll_link_upload_bytes_per_second', 8],
    ['roundTrip', spark, bosun, 'roundTripNsP50', 'plimsoll_link_round_trip_p50_seconds', 1e9],
  ] as const) {
    const view = link?.[figure];
    if (view === undefined) throw new Error(`no figure ${figure}`);
    const path = ['linkProfiles', source, sink, view.of.connectionKey, 'value', key];
    const exact = numberAt(api, ...path);
    expect([numberAt(statusJson, 'state', ...path), view.value]).toEqual([exact, exact]);
    expect(metric(series, { source, sink }) * scale).toBeCloseTo(exact, 3);
    expect(numberAt(first, figure, 'value')).toBe(sixDigits(exact));
  }
  const row = rowOf(/spark-2 +bosun/);
  expect(row).toMatch(/ 9\.41 Gb\/s +4\.87 Gb\/s +112 µs /);
  expect(text(rateFigure(link?.there?.value, 'bits'))).toBe('9.41 Gb/s');
  expect(text(rateFigure(link?.back?.value, 'bits'))).toBe('4.87 Gb/s');
  expect(text(timeFigure((link?.roundTrip?.value ?? 0) / 2))).toBe('112 µs');
});

/** `/metrics` has no runs that have ended. */
test('how long half of the requests of a run waited, and how much came out', async () => {
  const [run] = served.runs;
  const answer: unknown = await (await fetch(`${served.url}/api/runs/${run}`)).json();
  const report: unknown = JSON.parse(await printed('report', '--json', `${served.home}/runs/${run}`));
  const view = runView(page, run, systemClock.nowMs());
  if (view === undefined || isUnknown(view.run.figures)) throw new Error('no run');
  const { figures } = view.run;
  const stated = await requested('run_report', { run });
  const list = await requested('list_runs', { limit: 100 });
  const reported = await printed('report', `${served.home}/runs/${run}`);
  const tiles = runTiles(view.run, figures, undefined);
  for (const [name, path, inPage, inList, tile, shown] of [
    [
      'TTFT p50',
      ['series', 'ttftNs', 'percentiles', '50'],
      figures.series.ttftNs?.percentiles['50'],
      'ttftP50',
      'TTFT p50',
      '98.5 ms',
    ],
    ['Output', ['outputTokensPerSecond'], figures.outputTokensPerSecond, 'output', 'Output', '6.70 tok/s'],
    ['Requests', ['requestsPerSecond'], figures.requestsPerSecond, 'requests', 'Requests', '0.33 req/s'],
  ] as const) {
    const exact = numberAt(report, ...path);
    expect([
      numberAt(answer, 'report', ...path),
      numberAt(statusJson, 'state', 'runs', REGISTRY_NODE, run, 'value', 'figures', ...path),
      inPage,
    ]).toEqual([exact, exact, exact]);
    expect(numberAt(stated, 'measured', name, 'figure', 'value')).toBe(sixDigits(exact));
    expect(numberAt(list, 'runs', run, inList, 'value')).toBe(sixDigits(exact));
    const found = tiles.find(each => each.name === tile);
    expect(found === undefined ? '' : text(found.value)).toBe(shown);
    expect(reported).toContain(shown);
  }
});
