// The pages of the dashboard as they are drawn first: rendered without a browser, so without what they fetch afterwards.

import { join } from 'node:path';
import { createServer } from 'vite';
import { LinkWatch } from '../../src/core/link/link-view.ts';
import { nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { runViews } from '../../src/core/run/run-selectors.ts';
import { sweepViews } from '../../src/core/sweep/sweep-selectors.ts';

export const writePages = async ({ put, work }, { state, history, nowMs, self }) => {
  const vite = await createServer({
    configFile: new URL('../../dashboard/vite.config.ts', import.meta.url).pathname,
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    // Two trees may share their node_modules, where the cache is otherwise.
    cacheDir: join(work, 'vite'),
    appType: 'custom',
    logLevel: 'error',
  });
  const load = async path => (await vite.ssrLoadModule(path)).default;
  const { render } = await vite.ssrLoadModule('svelte/server');
  const { provideDashboard } = await vite.ssrLoadModule('/src/shell/dashboard.ts');
  const Pages = await load('/src/shell/pages.svelte');
  const LinePage = await load('/src/line/line-page.svelte');
  const dashboard = {
    store: {
      cluster: state,
      history,
      header: { nodeId: self, plimsollVersion: '1.2.3', daemonStart: '1' },
      snapshotCount: 0,
      fleet: undefined,
      selection: undefined,
      links: {},
      isStarting: false,
      nowMs,
      judgedAtMs: nowMs,
      lagMs: undefined,
      connection: { kind: 'live' },
      newVersion: undefined,
    },
    router: { query: new URLSearchParams(), fragment: '' },
    theme: { chosen: 'auto', shown: 'light', next: 'light' },
    units: { rate: 'bits', delay: 'half' },
    daemon: { notices: [], isRecording: false, program: 'plimsoll' },
  };
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  const links = new LinkWatch().read(state, nowMs);
  const runs = runViews(state, nowMs);
  const write = (name, Component, props, changes) => {
    const Root = renderer =>
      renderer.component(inner => {
        provideDashboard({ ...dashboard, ...changes });
        Component(inner, props);
      });
    const { body } = render(Root);
    // A line for each element, so that a difference is read without its surroundings.
    put(`pages/${name}.html`, `${body.replaceAll(/<!--.*?-->/g, '').replaceAll(/(?<=>)(?=<)/g, '\n')}\n`);
  };
  const all = { views, links, lagMs: undefined, everyNode: undefined };
  const page = (name, route, changes = {}) =>
    write(name, Pages, all, { router: { ...dashboard.router, route }, ...changes });
  for (const kind of ['cluster', 'nodes', 'links', 'runs']) page(kind, { kind });
  for (const { nodeId } of views) page(`nodes/${nodeId}`, { kind: 'node', nodeId });
  for (const { nodes, key } of links)
    page(`links/${key.replaceAll(/[^\w-]+/g, '-')}`, { kind: 'link', ends: nodes });
  const inBytes = { units: { rate: 'bytes', delay: 'round' } };
  page('links-in-bytes', { kind: 'links' }, inBytes);
  for (const { run } of runs) page(`runs/${run.runId}`, { kind: 'document', type: 'run', id: run.runId });
  for (const view of sweepViews(state, nowMs))
    write(`sweeps/${view.sweep.sweepId}`, LinePage, { view, earlier: undefined }, {});
  await vite.close();
};
