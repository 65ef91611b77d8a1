// A cluster as every interface shows it: Prometheus, OTLP, MCP, HTTP, `status` and `top`. Its nodes are simulated with
// every fault, and two more report the facts in test/fixtures/versions: one what a machine reports, the other one fact
// of each kind with all its fields.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { homeFiles } from '../../src/config/home.ts';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import { parseGroupBy } from '../../src/core/group/group-by.ts';
import { EVERY_NODE } from '../../src/core/group/place-filter.ts';
import { nodeId } from '../../src/core/ids.ts';
import { linkViews } from '../../src/core/link/link-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { writeDaemonFile } from '../../src/daemon/daemon-file.ts';
import { pastRows } from '../../src/daemon/demo/start-demo.ts';
import { Access } from '../../src/daemon/http/access.ts';
import { HTTP_LIMITS } from '../../src/daemon/http/http-options.ts';
import { createHttpServer } from '../../src/daemon/http/http-server.ts';
import { nodeTelemetry } from '../../src/daemon/otlp/telemetry-export.ts';
import { COMPARISON_DOCUMENT } from '../../src/daemon/runs/comparison-kind.ts';
import { DocumentRegistry } from '../../src/daemon/runs/document-registry.ts';
import { RunComparisons } from '../../src/daemon/runs/run-comparisons.ts';
import { RunRegistry } from '../../src/daemon/runs/run-registry.ts';
import { sweepKind } from '../../src/daemon/runs/sweep-kind.ts';
import { FAULTS } from '../../src/simulate/scenario/faults.ts';
import { NODE_FIELDS } from '../../src/tui/node-table.ts';
import { renderStatus } from '../../src/tui/render-status.ts';
import { topFrame } from '../../src/tui/top-pages.ts';
import { firstTopView } from '../../src/tui/top-view.ts';
import { comparisonToJson } from '../../src/wire/stored-json.ts';
import { CONFIG_NOTICE } from '../../test/daemon/http/served-cluster.ts';
import { madeFacts } from '../../test/model/made-headers.ts';
import { SimulatedWorld } from '../../test/simulate/simulated-world.ts';
import { eventOf } from '../../test/support/grouped-nodes.ts';
import { madeUpComparison } from '../../test/support/made-up-comparison.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../../test/support/made-up-line.ts';
import { writeTimedRun } from '../../test/support/timed-runs.ts';

const SELF = nodeId('self'.padEnd(26, 'a'));
const WHOLE = nodeId('whole'.padEnd(26, 'b'));
const TOKEN = 'token-of-the-test-0123456789-abcdefghijklmn';
const VERSION = '1.2.3';
const FIXTURES = new URL('../../test/fixtures/versions/1/', import.meta.url);
/** Long enough for every fault that begins by itself. */
const SIMULATED_MS = 200_000;

export const writeCluster = async ({ put, printed, work }) => {
  const home = join(work, 'home');
  const cluster = new Cluster();
  await using world = new SimulatedWorld(FAULTS);
  await world.clock.advance(SIMULATED_MS);
  const record = recorderOf(cluster);
  for (const { node, fact, ageMs, atMs } of world.reported) record(node, fact, { ageMs, receivedAtMs: atMs });
  const nowMs = world.clock.nowMs();
  // As it is read from a version that did not have each field yet.
  for (const [node, file, kept] of [
    [SELF, 'facts.json', SELF_LEAVES_OUT],
    [WHOLE, 'examples.json', WHOLE_LEAVES_OUT],
  ])
    for (const { kind, payload } of factsIn(file))
      if (!kept.includes(kind))
        record(
          node,
          { kind, payload: v.parse(EVENT_KINDS[kind].schema, payload) },
          { ageMs: 0, receivedAtMs: nowMs },
        );
  const options = await serverOptions({ home, cluster, world, record });
  const { state } = cluster;
  await using server = disposable(createHttpServer(options));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0, isExplicitPort: true });
  const url = `http://127.0.0.1:${port}`;
  const request = async (path, init = {}) => {
    const reply = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...init.headers },
    });
    if (reply.status >= 500) throw new Error(`${path} failed: ${await reply.text()}`);
    return reply;
  };
  await writeHttp({ put, request, state });
  await writeMcp({ put, request, state });
  for (const node of nodeIds(state)) {
    const { message, leftOut } = nodeTelemetry(state, {
      nodeId: node,
      version: VERSION,
      nowMs,
      wallMs: WALL_MS,
    });
    put(`otlp/${node}.json`, { leftOut, body: message === undefined ? null : JSON.parse(message.body) });
  }
  writeText({ put, state, nowMs });
  await writeDaemonFile(homeFiles(home).daemon, {
    url,
    socket: { kind: 'unknown', reason: 'none' },
    token: TOKEN,
    pid: process.pid,
    startedAtWallMs: 0,
    nodeId: SELF,
    version: VERSION,
  });
  put('text/status.json', withoutAges(await printed(['status', '--json', '--home', home])));
  put('text/runs.txt', await printed(['runs', '--home', home]));
  put('text/runs.json', await printed(['runs', '--json', '--home', home]));
  return { state, history: cluster.history, nowMs, self: SELF };
};

/** The examples of a GPU's load, health and profile are of devices of their own: here they are of the one GPU. */
const factsIn = file => {
  const facts = JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8'));
  if (file !== 'examples.json') return facts;
  const [gpu] = facts.find(({ kind }) => kind === 'gpus.gathered').payload.value.devices;
  return facts.map(fact =>
    ['gpuLoads.gathered', 'gpuHealths.gathered', 'gpu.profiled'].includes(fact.kind)
      ? JSON.parse(JSON.stringify(fact), (key, value) => (key === 'deviceId' ? gpu.deviceId : value))
      : fact,
  );
};

const SELF_LEAVES_OUT = ['reading.failed', 'reading.absent', 'node.forgotten', 'node.stopping'];
const WHOLE_LEAVES_OUT = ['node.forgotten', 'node.stopping'];
const WALL_MS = 1_800_000_000_000;

const recorderOf = cluster => {
  const seqs = new Map();
  return (origin, fact, { ageMs, receivedAtMs }) => {
    const event = eventOf(origin, fact, { seq: 0, receivedAtMs });
    const slot = `${origin} ${event.class}`;
    seqs.set(slot, (seqs.get(slot) ?? 0) + 1);
    cluster.dispatch([{ ...event, seq: seqs.get(slot), ageMs }]);
    return 'reported';
  };
};

/** With runs, a sweep, a load line and a comparison in its home. */
const serverOptions = async ({ home, cluster, world: { clock, simulation }, record }) => {
  const parts = {
    nodeId: SELF,
    clock,
    home,
    state: () => cluster.state,
    record: fact => record(SELF, fact, { ageMs: 0, receivedAtMs: clock.nowMs() }),
    isOwnAddress: () => false,
  };
  const runs = new RunRegistry(parts);
  const folder = name => join(home, 'runs', name);
  cpSync(new URL('run', FIXTURES), folder('of-mock'), { recursive: true });
  for (const [seed, id] of ['run-a', 'run-b'].entries())
    writeTimedRun(folder(id), { seed, requests: 200, stepNs: 3e9, run: { id } });
  for (const id of ['of-mock', 'run-a', 'run-b'])
    await runs.find(folder(id), { kind: 'unknown', reason: 'not of a sweep' });
  writeSweep(folder('sweep-1'), madeUpSweep('sweep-1'));
  // One after the other: what is found at once comes in the order of the folder.
  await new DocumentRegistry(sweepKind(runs), parts).look();
  writeLine(folder('line-1'), madeUpLine());
  mkdirSync(folder('compare-1'));
  writeFileSync(join(folder('compare-1'), 'comparison.json'), comparisonToJson(madeUpComparison(PAIRS)));
  const sweeps = new DocumentRegistry(sweepKind(runs), parts);
  const comparing = new DocumentRegistry(COMPARISON_DOCUMENT, parts);
  await sweeps.look();
  await comparing.look();
  return {
    nodeId: SELF,
    version: VERSION,
    clock,
    cluster: {
      get state() {
        return cluster.state;
      },
      subscribe: listener => cluster.subscribe(listener),
      history: cluster.history,
      profileHistory: query => pastRows(simulation, query, clock),
    },
    runs,
    sweeps,
    comparing,
    comparisons: new RunComparisons({ clock, home, version: VERSION, directoryOf: id => folder(id) }),
    mesh: () => MESH,
    otlp: () => ({
      endpoint: 'http://collector:4318',
      sent: 17,
      dropped: 2,
      pointsLost: 1,
      problem: 'refused',
    }),
    dashboardDir: undefined,
    access: new Access({ clock, token: TOKEN, hostNames: [] }),
    limits: HTTP_LIMITS,
    notices: () => [CONFIG_NOTICE],
    resources: () => ({ cpuSeconds: 1.5, residentBytes: 90_000_000 }),
    home,
    logger: { warn: message => process.stderr.write(`${message}\n`) },
  };
};

const MESH = {
  kind: 'on',
  listensOn: '[::]:4181',
  isLoopback: false,
  reachabilityPort: 4_182,
  linkCount: 12,
  peers: [
    {
      name: 'juno',
      nodeId: { kind: 'unknown', reason: 'never reached' },
      isNamed: true,
      standing: 'never-met',
      address: { kind: 'unknown', reason: 'no link' },
      silentMs: 1_500,
      reach: { requested: 2, open: 1, shut: 1 },
      tries: [
        { address: '192.0.2.7:4181', reason: 'unreachable', cause: 'no-route', detail: 'EHOSTUNREACH' },
      ],
    },
  ],
  problems: [
    { code: 'beacon-failed', interfaceName: 'eth0', problem: 'No beacon was sent.', advice: 'Wait.' },
  ],
  refusals: { 'wrong-key': 3 },
  replication: { recordsStored: 410, forged: 1 },
  fleet: {
    standing: 'connected',
    server: 'fleet.example:4222',
    version: '2.12.1',
    memberCount: 5,
    counts: { published: 900, received: 870, dropped: 2 },
  },
};

const PAIRS = [
  [182, 168],
  [179, 171],
  [185, 166],
];

const disposable = server => Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });

/** Every GET of the API, also of each node, run, sweep and comparison. */
const writeHttp = async ({ put, request, state }) => {
  const prometheus = { accept: 'text/plain' };
  const [node] = nodeIds(state);
  for (const [name, query] of [
    ['all', ''],
    ['one', `?node=${node}`],
    ['rack', '?group=kind=workstation'],
  ])
    put(`metrics/${name}.txt`, await (await request(`/metrics${query}`, { headers: prometheus })).text());
  const open = { accept: 'application/openmetrics-text; version=1.0.0' };
  put('metrics/open.txt', await (await request('/metrics', { headers: open })).text());
  const api = await (await request('/openapi.json')).json();
  put('api/openapi.json', api);
  const known = {
    nodeId: nodeIds(state),
    runId: ['run-a', '20261127-135754-ea7c'],
    sweepId: ['line-1', 'sweep-1'],
    comparisonId: ['compare-1'],
    path: ['nodeMemories', 'runs', 'linkProfiles'],
  };
  for (const [path, methods] of Object.entries(api.paths)) {
    if (methods.get === undefined || LEFT_OUT.includes(path)) continue;
    for (const filled of filledPaths(path, known))
      for (const query of QUERIES[path] ?? ['']) {
        const reply = await request(`${filled}${query}`);
        // The port that the system gave.
        const text = (await reply.text()).replaceAll(/(127\.0\.0\.1):\d+/g, '$1:PORT');
        const body = reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
        put(`${filled.slice(1)}${query.replaceAll(/[^\w-]+/g, '-')}.json`, { status: reply.status, body });
      }
  }
};

/** A stream does not end, a code is drawn at random, and the hash depends on where temporary files are. */
const LEFT_OUT = [
  '/api/stream',
  '/api/mesh/hash',
  '/openapi.json',
  '/metrics',
  '/api/access/code',
  '/api/mesh/join-code',
];
const QUERIES = {
  '/api/groups': ['?by=site', '?by=rack', '?by=kind', '?by=tag'],
  '/api/groups/members': ['?by=site&group=lab'],
  '/api/groups/links': ['?by=site'],
  '/api/compare': ['?a=run-a&b=run-b'],
};

const filledPaths = (path, known) => {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [path];
  return (known[name] ?? []).flatMap(value => filledPaths(path.replace(`{${name}}`, value), known));
};

const writeMcp = async ({ put, request, state }) => {
  const send = async (method, params = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return await (await request('/mcp', { method: 'POST', body })).json();
  };
  put('mcp/initialize.json', await send('initialize', {}));
  put('mcp/tools.json', await send('tools/list'));
  const nodes = nodeIds(state);
  const [link] = linkViews(state, SIMULATED_MS);
  const [from, to] = link?.nodes ?? [];
  const calls = [
    ['cluster_summary', {}],
    ['list_nodes', { limit: 100 }],
    ...nodes.map(node => ['node_detail', { node }]),
    ...nodes.map(node => ['explain_missing', { node }]),
    ['worst_links', { by: 'bandwidth', limit: 100 }],
    ['worst_links', { by: 'round_trip', limit: 10 }],
    ['link_history', { from, to }],
    ['warnings', { limit: 100 }],
    ['list_runs', { limit: 100 }],
    ['run_report', { run: 'run-a' }],
    ['run_report', { run: '20261127-135754-ea7c' }],
    ['compare_runs', { a: 'run-a', b: 'run-b' }],
    ['headroom', { model: await madeFacts('llama3-8b'), limit: 3 }],
  ];
  for (const [index, [name, given]] of calls.entries())
    put(
      `mcp/${String(index).padStart(2, '0')}-${name}.json`,
      await send('tools/call', { name, arguments: given }),
    );
};

const writeText = ({ put, state, nowMs }) => {
  const options = { color: false, isUnicode: true, self: SELF };
  const lines = shown => `${shown.join('\n')}\n`;
  const status = more => lines(renderStatus(state, nowMs, [CONFIG_NOTICE], { ...options, ...more }));
  for (const columns of [80, 120, 240]) put(`text/status-${columns}.txt`, status({ columns }));
  put('text/status-color.txt', status({ columns: 240, color: true }));
  put('text/status-ascii.txt', status({ columns: 240, isUnicode: false }));
  put('text/status-fields.txt', status({ columns: 400, fields: NODE_FIELDS }));
  for (const text of ['site', 'rack', 'kind', 'tag']) {
    const by = parseGroupBy(text).value;
    put(`text/status-by-${text}.txt`, status({ columns: 200, scope: { by, filter: EVERY_NODE } }));
    put(`text/top-by-${text}.txt`, top({ by }));
  }
  function top(view, columns = 200) {
    const shown = { ...options, columns, rows: 200, view: { ...firstTopView(undefined), ...view } };
    return lines(topFrame(state, nowMs, [CONFIG_NOTICE], shown).lines);
  }
  for (const columns of [80, 120, 200]) put(`text/top-${columns}.txt`, top({}, columns));
  for (const sort of ['memory', 'GPU', 'temperature', 'power'])
    put(`text/top-sort-${sort}.txt`, top({ sort }));
  for (const page of ['links', 'runs']) put(`text/top-${page}.txt`, top({ page }));
  put('text/top-help.txt', top({ isHelp: true }));
  for (const node of nodeIds(state)) put(`text/top-node-${node}.txt`, top({ page: 'node', node }));
};

/** A command counts ages by the clock of the system. */
const withoutAges = text =>
  `${JSON.stringify(
    JSON.parse(text, (key, value) =>
      /(?:age|silent|stopped|away|nextIn|left)\w*(?:Ms|Seconds)$|AtMs$/i.test(key) ? 0 : value,
    ),
    undefined,
    1,
  )}\n`;
