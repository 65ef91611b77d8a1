// What other nodes may know of this node's settings: an allow-list. A URL goes out as scheme, host and port.

import type { NodeConfig } from '../core/node/config.ts';
import type { Config } from './config.ts';

export const publicConfig = (config: Config): NodeConfig => ({
  tags: config.tags,
  ignoredInterfaces: config.network.ignoredInterfaces,
  staticPeerCount: config.mesh.peers.length,
  presence: config.mesh.presence,
  probes: {
    isEnabled: config.probes.isEnabled,
    gpuTtlSeconds: config.probes.gpuTtlMs / 1_000,
    socketTtlSeconds: config.probes.socketTtlMs / 1_000,
    rdmaTtlSeconds: config.probes.rdmaTtlMs / 1_000,
  },
  servedEndpoints: config.endpoints.map(({ url }) => new URL(url).origin),
});
