// The state of a node's connection to its fleet's server.

import type { HostPort } from '../../core/address/host-port.ts';
import type { FleetProblem } from './fleet-problem.ts';

export type FleetStanding =
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'connected';
      readonly server: HostPort;
      readonly version: string;
      /** It does not accept records. */
      readonly trouble: FleetProblem | undefined;
    }
  | { readonly kind: 'failed'; readonly problem: FleetProblem };
