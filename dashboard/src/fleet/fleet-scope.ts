// What a page asks the stream for: on the page of a cluster the picture of a fleet, elsewhere the whole state.

import type { FleetPick } from '../../../src/core/fleet/fleet-selection.ts';
import { pickText } from '../../../src/core/fleet/fleet-selection.ts';
import type { PageRoute } from '../shell/route.ts';
import { readFleetAddress } from './fleet-address.ts';

export const streamScope = (route: PageRoute, query: URLSearchParams): string => {
  if (route.kind !== 'cluster') return '';
  const { by } = readFleetAddress(query);
  return new URLSearchParams({ view: 'fleet', ...(by === undefined ? {} : { by }) }).toString();
};

export const pickScope = (by: string, pick: FleetPick): string =>
  new URLSearchParams({ view: 'pick', by, pick: pickText(pick) }).toString();

export const groupScope = (by: string, group: string): string =>
  new URLSearchParams({ view: 'group', by, group }).toString();
