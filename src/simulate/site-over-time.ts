// A simulated machine as it is at one moment: with the quirks that it has then, and without a carrier where a cable is
// unplugged. The same object for as long as nothing changes, so that its reader sees when something did.

import { isDuring } from './absence.ts';
import type { MachineQuirks } from './scenario/scenario.ts';
import type { Site, Socket, Wiring } from './site.ts';

export type SiteAt = (atSeconds: number) => Site;

export const siteOverTime = (site: Site, { cables }: Pick<Wiring, 'cables'>): SiteAt => {
  const changes = site.machine.changes ?? [];
  const outages = cables.flatMap(({ cable, a, b }) =>
    [a, b]
      .filter(end => end.site === site)
      .flatMap(({ socket }) => (cable.outages ?? []).map(outage => ({ outage, socket }))),
  );
  // Most machines never change.
  if (changes.length + outages.length === 0) return () => site;
  let held = { key: '', site };
  return atSeconds => {
    const activeChanges = changes.filter(change => isDuring(change, atSeconds));
    const activeOutages = outages.filter(({ outage }) => isDuring(outage, atSeconds));
    const key = [
      ...activeChanges.map(change => `change ${changes.indexOf(change)}`),
      ...activeOutages.map(({ outage, socket }) => `${socket.interfaceName} ${outage.goneAt ?? 'unplugged'}`),
    ].join(' ');
    if (key === held.key) return held.site;
    let quirks: MachineQuirks = site.machine.quirks ?? {};
    for (const change of activeChanges) quirks = { ...quirks, ...change.quirks };
    const sockets = site.sockets.flatMap((socket): readonly Socket[] => {
      const outage = activeOutages.find(one => one.socket === socket)?.outage;
      if (outage === undefined) return [socket];
      return outage.goneAt === site.index ? [] : [{ ...socket, hasCarrier: false }];
    });
    held = { key, site: { ...site, sockets, machine: { ...site.machine, quirks } } };
    return held.site;
  };
};
