// What can be wrong with a fleet's server, in words and in facts: shown as a notice, by `fleet status` and by `doctor`.

import type { Problem } from '../../core/problem.ts';

export type FleetProblem =
  | Problem<'fleet-unreachable', { readonly servers: readonly string[]; readonly cause: string }>
  | Problem<'fleet-not-allowed', { readonly cause: string }>
  | Problem<'fleet-tls', { readonly cause: string }>
  | Problem<'fleet-not-encrypted', { readonly server: string }>
  | Problem<'fleet-credentials', { readonly file: string }>
  | Problem<'fleet-no-jetstream'>
  | Problem<'fleet-no-stream', { readonly stream: string }>
  | Problem<'fleet-publish-failed', { readonly subject: string; readonly cause: string }>
  | Problem<'fleet-permission', { readonly subject: string }>;

export const unreachable = (servers: readonly string[], cause: string): FleetProblem => ({
  code: 'fleet-unreachable',
  servers,
  cause,
  problem: `No server of the fleet answers at ${servers.join(', ')}: ${cause}.`,
  advice: 'Check that nats-server runs there and that a firewall lets the port through; it is tried again.',
});

export const notAllowed = (cause: string): FleetProblem => ({
  code: 'fleet-not-allowed',
  cause,
  problem: `The fleet's server refuses the credentials of this node: ${cause}.`,
  advice: 'Add this node on the machine that has the fleet (plimsoll fleet add NODE) and reload the server.',
});

export const tlsFailed = (cause: string): FleetProblem => ({
  code: 'fleet-tls',
  cause,
  problem: `TLS with the fleet's server failed: ${cause}.`,
  advice:
    'Name its certificate authority as ca in [fleet]. A server before 2.10 cannot begin with TLS: renew it, or set handshake_first = false.',
});

export const noJetStream = (): FleetProblem => ({
  code: 'fleet-no-jetstream',
  problem: "The fleet's server has no JetStream for this account, so it keeps no last values.",
  advice:
    'Put jetstream { store_dir: … } into its configuration (plimsoll fleet init writes one) and restart it.',
});

export const noStream = (stream: string): FleetProblem => ({
  code: 'fleet-no-stream',
  stream,
  problem: `The fleet's server has no stream ${stream}.`,
  advice: 'Create the streams from the machine that has the fleet: plimsoll fleet apply',
});

export const publishFailed = (subject: string, cause: string): FleetProblem => ({
  code: 'fleet-publish-failed',
  subject,
  cause,
  problem: `The fleet's server did not take a record on ${subject}: ${cause}.`,
  advice: 'Nothing is lost: it stays in this journal and is sent again. plimsoll doctor checks the streams.',
});

export const notPermitted = (subject: string): FleetProblem => ({
  code: 'fleet-permission',
  subject,
  problem: `The fleet's server does not let this node use ${subject}.`,
  advice: 'Its credentials belong to another node or cluster: plimsoll fleet add NODE writes the right ones.',
});
