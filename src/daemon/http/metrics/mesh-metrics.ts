// The mesh for Prometheus: links, refusals, and the counts of replication. Nothing without a mesh.

import type { MeshStatus } from '../../../wire/mesh-status.ts';
import type { MetricPage } from './metric-page.ts';

export const addMeshMetrics = (page: MetricPage, mesh: MeshStatus | undefined): void => {
  if (mesh?.kind !== 'on') return;
  page.gauge(MESH.links, {}, mesh.linkCount);
  for (const [reason, count] of Object.entries(mesh.refusals)) page.counter(MESH.refusals, { reason }, count);
  for (const [what, count] of Object.entries(mesh.replication))
    page.counter(MESH.replication, { what }, count);
  if (mesh.fleet === undefined) return;
  page.gauge(MESH.fleetMembers, {}, mesh.fleet.memberCount);
  for (const [what, count] of Object.entries(mesh.fleet.counts)) page.counter(MESH.fleet, { what }, count);
};

const MESH = {
  links: { name: 'plimsoll_mesh_links', help: 'Nodes that are linked now.' },
  refusals: {
    name: 'plimsoll_mesh_refusals_total',
    help: 'Handshakes and connection attempts that did not become a link.',
  },
  replication: {
    name: 'plimsoll_mesh_replication_total',
    help: 'Events and frames by outcome: sent, stored, repeated, forged, dropped.',
  },
  fleetMembers: {
    name: 'plimsoll_fleet_members',
    help: 'Other nodes that published to the fleet a moment ago.',
  },
  fleet: {
    name: 'plimsoll_fleet_total',
    help: 'Messages through the server of the fleet by outcome: published, received, refused with its reason, dropped.',
  },
} as const;
