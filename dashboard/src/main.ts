// The page's entry: swaps the one-time code, opens the stream, shows the application.

import './look/base.css';
import { mount } from 'svelte';
import { streamScope } from './fleet/fleet-scope.ts';
import { swapCode, watchForCode } from './shell/access.ts';
import App from './shell/app.svelte';
import { DaemonInfo } from './shell/daemon-info.svelte.ts';
import type { Dashboard } from './shell/dashboard.ts';
import { Router } from './shell/router.svelte.ts';
import { ThemeChoice } from './shell/theme.svelte.ts';
import { UnitChoice } from './shell/units.svelte.ts';
import { ClusterStore } from './stream/cluster-store.svelte.ts';
import { STREAM_STALE_MS } from './stream/link.ts';

const staleMsRequested = Number(new URLSearchParams(location.search).get('stale'));

const context: Dashboard = {
  store: new ClusterStore(staleMsRequested > 0 ? staleMsRequested : STREAM_STALE_MS),
  router: new Router(),
  theme: new ThemeChoice(),
  units: new UnitChoice(),
  daemon: new DaemonInfo(),
};

watchForCode();
const codeResult = await swapCode();
// Asked for first: the daemon answers while the application is put together.
context.store.look(streamScope(context.router.route, context.router.query));
context.store.start();
const target = document.querySelector('#app');
if (target !== null) mount(App, { target, props: { context, codeResult } });
context.router.start();
context.theme.start();
context.daemon.start();
