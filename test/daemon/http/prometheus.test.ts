// The dashboards of deploy/grafana and the alerts of deploy/prometheus against a scrape of a simulated cluster with a run: each names only
// metrics that exist, and a real Prometheus (if there is one) evaluates all of them and finds series for every panel.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { runnerKeyOf } from '../../../src/core/run/run-selectors.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { isLongRun } from '../../support/counts.ts';
import { freePort } from '../../support/free-port.ts';
import { textOf } from '../../support/repository.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { madeUpFigures, madeUpRunEntry, runIdOf } from '../../support/run-entry.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { sendRequest } from './http-exchange.ts';
import { type ServedCluster, serveCluster } from './served-cluster.ts';

const ALERTS = join(repositoryRoot, 'deploy/prometheus/plimsoll-alerts.yml');

describe('the dashboards of deploy/grafana', () => {
  test('use metrics that a daemon publishes, and no others', async () => {
    await using served = await servedWorld();
    const { body } = await sendRequest({ port: served.port, path: '/metrics' });
    const reported = new Set(body.match(/^plimsoll_\w+/gm));
    for (const { name, expr } of queries())
      for (const metric of expr.match(/plimsoll_\w+/g) ?? [])
        expect([...reported], `${name}: ${expr}`).toContain(metric);
    for (const metric of textOf('deploy/prometheus/plimsoll-alerts.yml').match(/plimsoll_\w+/g) ?? [])
      expect([...reported]).toContain(metric);
  });

  test('are fed by a scrape that promtool has nothing against, runs and all', async context => {
    if (spawnSync('promtool', ['--version']).error !== undefined)
      context.skip('promtool is not installed (Debian: prometheus)');
    await using served = await servedWorld();
    const { body } = await sendRequest({ port: served.port, path: '/metrics' });
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(body).toMatch(/^plimsoll_run_latency_seconds\{.*quantile="0.99".*\} 3$/m);
  });

  test('can be loaded from a ConfigMap: a data source by a variable, a lasting uid, no inputs', () => {
    for (const { file, dashboard } of dashboards()) {
      expect(dashboard.uid, file).toMatch(/^[a-z-]{1,40}$/);
      expect(dashboard).not.toHaveProperty('__inputs');
      expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
      expect(dashboard.panels.length).toBeGreaterThan(5);
      for (const panel of panelsOf(dashboard))
        expect(panel.datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' });
    }
  });

  test('number their panels once each and lay none over another', () => {
    for (const { file, dashboard } of dashboards()) {
      const ids = dashboard.panels.map(({ id }) => id);
      expect(new Set(ids).size, file).toBe(ids.length);
      const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size, file).toBe(cells.length);
      expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w)), file).toBe(24);
    }
  });

  test('and the alerts return series from a real Prometheus', { timeout: 120_000 }, async ({ skip }) => {
    if (!isLongRun) skip('a Prometheus that scrapes for seconds: in npm run test:long');
    if (spawnSync('prometheus', ['--version']).error !== undefined) skip('prometheus is not installed');
    expect(spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    await using served = await servedWorld();
    await using prometheus = await Prometheus.start(served.port);
    // A rate needs two scrapes.
    await prometheus.until('count_over_time(up[1m]) >= 3', result => result.length > 0);
    const empty: string[] = [];
    for (const { name, expr } of queries())
      if ((await prometheus.sendRequest(expr)).length === 0) empty.push(name);
    expect(empty).toEqual([]);
    const health = async (): Promise<readonly string[]> =>
      (await prometheus.rules()).groups.flatMap(({ rules }) => rules.map(rule => rule.health));
    await expect.poll(health, { timeout: 30_000, interval: 250 }).not.toContain('unknown');
    expect(new Set(await health())).toEqual(new Set(['ok']));
  });
});

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly unknown[] };
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly panels: readonly (Placed & (Panel | { readonly type: 'row' }))[];
}

interface Placed {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly datasource: unknown;
  readonly targets: readonly { readonly expr: string }[];
}

/** A row is a heading between them. */
const panelsOf = ({ panels }: Dashboard): readonly Panel[] => panels.filter(panel => 'targets' in panel);

const dashboards = (): readonly { readonly file: string; readonly dashboard: Dashboard }[] =>
  readdirSync(join(repositoryRoot, 'deploy/grafana'))
    .filter(file => file.endsWith('.json'))
    .map(file => ({ file, dashboard: JSON.parse(textOf(`deploy/grafana/${file}`)) }));

/** Of every panel, as Grafana asks them for everything that can be chosen; of one node for the dashboard of a node. */
const queries = (): readonly { readonly name: string; readonly expr: string }[] =>
  dashboards().flatMap(({ file, dashboard }) =>
    panelsOf(dashboard).flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({
        name: `${file}: ${title}`,
        expr: expr
          .replaceAll('$__rate_interval', '1m')
          .replaceAll('name="$node"', 'name="bosun"')
          .replaceAll('$source|$sink', '.*')
          .replace(/\$(node|source|sink|run)/g, '.*'),
      })),
    ),
  );

/** Eight simulated machines as they stand after three seconds, one of which makes load. */
const servedWorld = async (): Promise<ServedCluster> => {
  const served = await serveCluster();
  await using world = new SimulatedWorld(8);
  await world.clock.advance(3_000);
  for (const { node, fact } of world.reported) served.report(node, fact);
  const bosun = world.nodeNamed('bosun');
  for (const { node, fact } of world.reported.filter(reported => reported.node === bosun))
    for (const whole of withUnreported(fact)) served.report(node, whole);
  served.report(world.nodeNamed('atlas'), ...LIVE_RUN);
  return served;
};

/** Adds what other GPUs report and the simulation leaves unknown: links, retired pages, video, processes, a lost GPU. */
const withUnreported = (fact: Fact): readonly Fact[] => {
  if (fact.kind === 'gpuHealths.gathered') {
    const { value } = fact.payload;
    const devices = value.devices.map(device => ({
      ...device,
      repair: { ...device.repair, retiredPages: 3 },
      fabric: ['bandwidth degraded'],
      links: [UP, { ...UP, number: 1, isUp: false }],
    }));
    return [{ ...fact, payload: { ...fact.payload, value: { ...value, devices } } }];
  }
  if (fact.kind === 'gpuErrors.gathered') {
    const { value } = fact.payload;
    const errors = [...value.errors, SWITCH_ERROR];
    return [{ ...fact, payload: { ...fact.payload, value: { ...value, errors } } }];
  }
  if (fact.kind === 'gpus.gathered') {
    const { value } = fact.payload;
    return [{ ...fact, payload: { ...fact.payload, value: { ...value, failed: [LOST] } } }];
  }
  if (fact.kind === 'gpuLoads.gathered') {
    const { value } = fact.payload;
    const devices = value.devices.map(device => ({
      ...device,
      encoderUse: 0,
      decoderUse: 0.1,
      processes: [],
    }));
    return [{ ...fact, payload: { ...fact.payload, value: { ...value, devices } } }];
  }
  return [];
};

const SWITCH_ERROR = {
  address: '0000:a9:00.0',
  xid: 20_034,
  kind: 'sxid',
  count: 1,
  newestAgeMs: 1_000,
  text: 'Fatal, Link 30 LTSSM Fault Up',
} as const;

const LOST = {
  deviceId: '0000:34:00.0',
  name: 'NVIDIA GPU',
  index: 7,
  pciAddress: '0000:34:00.0',
  state: 'lost',
  reason: 'Unknown Error',
} as const;

const UP = {
  number: 0,
  isUp: true,
  bytesPerSecond: 25e9,
  sentBytes: 4e12,
  receivedBytes: 5e12,
  replays: 0,
  recoveries: 0,
  crcErrors: 1,
};

const RUN = runIdOf('run-1');
const FIGURES = madeUpFigures();
const LIVE_RUN: readonly Fact[] = [
  { kind: 'run.started', payload: madeUpRunEntry('run-1') },
  {
    kind: 'runner.reported',
    payload: {
      runnerKey: runnerKeyOf(RUN),
      source: 'run',
      targetNode: unknown('a mock'),
      requestsInFlight: 3,
    },
  },
  {
    kind: 'progress.reported',
    payload: {
      runId: RUN,
      phase: 'measuring',
      elapsedMs: 1_000,
      measuredMs: 1_000,
      figures: {
        ...FIGURES,
        series: { ...FIGURES.series, latencyNs: { count: 8, percentiles: { 50: 2e9, 99: 3e9 } } },
      },
      recent: { requestsPerSecond: 8, outputTokensPerSecond: 900 },
      contentArrived: { chunks: 12, tokensPerChunk: 1 },
      agents: unknown('one machine makes the load'),
      updatesDropped: 0,
    },
  },
];

/** One that scrapes a daemon once a second, with the alerts, in a folder that goes with it. */
class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: Disposable;
  readonly #url: string;

  private constructor(child: ChildProcess, folder: Disposable, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(target: number): Promise<Prometheus> {
    const folder = temporaryDirectory();
    const port = await freePort();
    const config = join(folder.path, 'prometheus.yml');
    writeFileSync(
      config,
      `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [${JSON.stringify(ALERTS)}]
scrape_configs:
  - job_name: plimsoll
    static_configs: [{targets: ['127.0.0.1:${target}']}]
`,
    );
    const child = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder.path, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    return new Prometheus(child, folder, `http://127.0.0.1:${port}`);
  }

  async sendRequest(query: string): Promise<readonly unknown[]> {
    const reply = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const answer: { status: string; error?: string; data: { result: unknown[] } } = JSON.parse(
      await reply.text(),
    );
    if (answer.status !== 'success') throw new Error(`${query}: ${answer.error}`);
    return answer.data.result;
  }

  async rules(): Promise<{ readonly groups: { readonly rules: { readonly health: string }[] }[] }> {
    const reply = await fetch(`${this.#url}/api/v1/rules`);
    return JSON.parse(await reply.text()).data;
  }

  /** Asked again and again until it fits; before Prometheus listens there is no answer. */
  async until(query: string, fits: (result: readonly unknown[]) => boolean): Promise<void> {
    await expect
      .poll(async () => fits(await this.sendRequest(query).catch(() => [])), {
        timeout: 60_000,
        interval: 250,
      })
      .toBe(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    this.#folder[Symbol.dispose]();
  }
}
