// What every part of the page may ask for, handed down by context from the entry.

import { createContext } from 'svelte';
import type { ClusterStore } from '../stream/cluster-store.svelte.ts';
import type { DaemonInfo } from './daemon-info.svelte.ts';
import type { Router } from './router.svelte.ts';
import type { ThemeChoice } from './theme.svelte.ts';
import type { UnitChoice } from './units.svelte.ts';

export interface Dashboard {
  readonly store: ClusterStore;
  readonly router: Router;
  readonly theme: ThemeChoice;
  readonly units: UnitChoice;
  readonly daemon: DaemonInfo;
}

const context = createContext<Dashboard>();

export const dashboard: () => Dashboard = context[0];
export const provideDashboard: (dashboard: Dashboard) => Dashboard = context[1];
