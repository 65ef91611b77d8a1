// What can be wrong with a fleet's server, as text and as data: shown as a notice, by `fleet status` and by
// `doctor`.

import type { NodeId } from '../../core/ids.ts';
import type { Problem } from '../../core/problem.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type FleetSubjects, stateStreamOf } from './fleet-subjects.ts';

export type FleetProblem =
  | Problem<'fleet-unreachable', { readonly servers: readonly string[]; readonly cause: string }>
  | Problem<'fleet-protocol', { readonly servers: readonly string[]; readonly cause: string }>
  | Problem<'fleet-not-allowed', { readonly cause: string }>
  | Problem<'fleet-tls', { readonly cause: string }>
  | Problem<'fleet-not-encrypted', { readonly server: string }>
  | Problem<'fleet-credentials', { readonly file: string }>
  | Problem<'fleet-too-old', { readonly server: string; readonly version: string }>
  | Problem<'fleet-no-jetstream'>
  | Problem<'fleet-jetstream-silent', { readonly server: string; readonly version: string }>
  | Problem<'fleet-no-stream', { readonly stream: string }>
  | Problem<'fleet-misuse', { readonly nodeId: NodeId }>
  | Problem<'fleet-misdirected', { readonly nodeId: NodeId }>
  | Problem<'fleet-publish-failed', { readonly subject: string; readonly cause: string }>
  | Problem<'fleet-permission', { readonly subject: string }>
  | Problem<'fleet-stream-differs', { readonly stream: string }>
  | Problem<
      'fleet-stream-full',
      { readonly stream: string; readonly bytes: number; readonly bytesMax: number }
    >;

/** What works with limitations. */
export type FleetFinding =
  | Problem<'fleet-old-server', { readonly version: string; readonly needs: string }>
  | Problem<'fleet-clock', { readonly offsetMs: number }>
  | Problem<'fleet-open-server'>
  | Problem<'fleet-consumers'>
  | Problem<'fleet-unlimited-stream', { readonly stream: string }>
  | Problem<'fleet-small-messages', { readonly bytesMax: number }>;

export const unreachable = (servers: readonly string[], cause: string): FleetProblem => ({
  code: 'fleet-unreachable',
  servers,
  cause,
  problem: `No server of the fleet answers at ${servers.join(', ')}: ${cause}.`,
  advice: 'Check that nats-server runs there and that a firewall permits the port. Plimsoll will retry.',
});

export const violatesProtocol = (servers: readonly string[], cause: string): FleetProblem => ({
  code: 'fleet-protocol',
  servers,
  cause,
  problem: `The service at ${servers.join(', ')} does not follow the protocol of a nats-server: ${cause}. The connection was closed.`,
  advice:
    'Check the addresses under [fleet], and the network between: with tls:// nothing on the way can change what the server sends. Plimsoll will retry.',
});

export const notAllowed = (cause: string): FleetProblem => ({
  code: 'fleet-not-allowed',
  cause,
  problem: `The fleet's server refuses the credentials of this node: ${cause}.`,
  advice:
    'Add this node on the machine that has the fleet (plimsoll fleet add DIR ID) and reload the server.',
});

export const tlsFailed = (cause: string): FleetProblem => ({
  code: 'fleet-tls',
  cause,
  problem: `TLS with the fleet's server failed: ${cause}.`,
  advice:
    'Name its certificate authority as ca in [fleet]. A server before 2.10 cannot start with TLS: upgrade it, or set handshake_first = false.',
});

export const noJetStream = (): FleetProblem => ({
  code: 'fleet-no-jetstream',
  problem: "The fleet's server has no JetStream for this account, so it stores no last values.",
  advice:
    'Put jetstream { store_dir: … } into its configuration (plimsoll fleet init writes one) and restart it.',
});

/**
 * Last values are read without a consumer (`DIRECT.GET`), which 2.9 was the first to support.
 */
export const tooOld = (server: string, version: string): FleetProblem => ({
  code: 'fleet-too-old',
  server,
  version,
  problem: `nats-server ${version === '' ? 'of an unknown version' : version} at ${server} is too old for a fleet.`,
  advice: 'Install nats-server 2.9 or later; 2.10 or later can start with TLS.',
});

/** Observed with 2.9 while a cluster of servers has no leader: later versions reply that they have none. */
export const jetStreamSilent = (server: string, version: string): FleetProblem => ({
  code: 'fleet-jetstream-silent',
  server,
  version,
  problem: `The fleet's server at ${server} (nats-server ${version}) is connected, but its JetStream does not respond.`,
  advice:
    'In a cluster of servers it waits for a leader, for which more than half of them must run. Plimsoll will retry.',
});

export const noStream = (stream: string): FleetProblem => ({
  code: 'fleet-no-stream',
  stream,
  problem: `The fleet's server has no stream ${stream}.`,
  advice: 'Create the streams from the machine that has the fleet: plimsoll fleet apply DIR',
});

export const noStateStream = ({ cluster, self }: Pick<FleetSubjects, 'cluster' | 'self'>): FleetProblem => ({
  code: 'fleet-no-stream',
  stream: stateStreamOf(cluster, self),
  problem: `The fleet's server has no stream for the last values of this node (${self}).`,
  advice:
    'On the machine that has the fleet: plimsoll fleet add DIR ID, if it is not added yet, and plimsoll fleet apply DIR.',
});

/** `what`: the end of a sentence about the credentials. */
export const misused = (node: NodeId, what: string): FleetProblem => ({
  code: 'fleet-misuse',
  nodeId: node,
  problem: `The credentials of node ${node} are used against the fleet: ${what}. Other nodes are not affected.`,
  advice: `If they were stolen, on the machine that has the fleet: ${shellCommand`plimsoll fleet revoke DIR ${node}`}. If the node has an old cluster key, give it the new one.`,
});

/** Which node's credentials are used is not known. */
export const misdirected = (node: NodeId): FleetProblem => ({
  code: 'fleet-misdirected',
  nodeId: node,
  problem: `Credentials of the fleet are used against node ${node}: replies of the server were stored as its last values. They are not read.`,
  advice:
    "This node is not the cause. The connections of nats-server (http monitoring, /connz?sort=msgs_from) show which node's credentials send the most requests: plimsoll fleet revoke DIR NODE, and after the reload plimsoll fleet apply DIR, which removes what is stored.",
});

export const publishFailed = (subject: string, cause: string): FleetProblem => ({
  code: 'fleet-publish-failed',
  subject,
  cause,
  problem: `The fleet's server did not accept a record on ${subject}: ${cause}.`,
  advice: 'Nothing is lost: it stays in this journal and will be resent. plimsoll doctor checks the streams.',
});

export const notPermitted = (subject: string): FleetProblem => ({
  code: 'fleet-permission',
  subject,
  problem: `The fleet's server does not let this node use ${subject}.`,
  advice:
    'Use the credentials that plimsoll fleet add DIR ID wrote for this node and cluster. If it does, the server lacks permissions: run plimsoll fleet apply DIR, then copy users.conf to the server and reload it.',
});

export const streamDiffers = (stream: string): FleetProblem => ({
  code: 'fleet-stream-differs',
  stream,
  problem: `The stream ${stream} is not as a fleet needs it: other subjects, or another number of messages for each.`,
  advice: 'Bring it to its definition from the machine that has the fleet: plimsoll fleet apply DIR',
});

export const streamNearlyFull = (stream: string, bytes: number, bytesMax: number): FleetProblem => ({
  code: 'fleet-stream-full',
  stream,
  bytes,
  bytesMax,
  problem: `The stream ${stream} contains ${megabytes(bytes)} of at most ${megabytes(bytesMax)}; when it is full, new last values are refused.`,
  advice:
    'It has the last values of one node, and more than a node has. On the machine that has the fleet: plimsoll fleet apply DIR, which removes replies of the server that were stored there. If there are none, the credentials of that node are misused: plimsoll fleet revoke DIR NODE.',
});

export const oldServer = (version: string, cannot: string, needs: string): FleetFinding => ({
  code: 'fleet-old-server',
  version,
  needs,
  problem: `nats-server ${version} cannot ${cannot}; ${needs} can.`,
  advice: `The fleet works without it. To use it, upgrade the server.`,
});

export const clockDiffers = (offsetMs: number): FleetFinding => ({
  code: 'fleet-clock',
  offsetMs,
  problem: `The clock of the fleet's server is ${Math.round(Math.abs(offsetMs) / 1_000)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
  advice: 'Ages are still correct, because its clock is only compared with itself. Its log times are wrong.',
});

export const openServer = (): FleetFinding => ({
  code: 'fleet-open-server',
  problem: "The fleet's server lets this node publish under any id.",
  advice:
    'Records are signed, so nobody can forge them; but live values are only as trustworthy as the members. plimsoll fleet init writes permissions for each node.',
});

export const consumersAllowed = (): FleetFinding => ({
  code: 'fleet-consumers',
  problem:
    "The fleet's server lets this node create consumers: stolen credentials are enough to create thousands, and to send what is stored to other nodes.",
  advice:
    'On the machine that has the fleet: plimsoll fleet apply DIR, then copy users.conf to the server and reload it.',
});

export const unlimitedStream = (stream: string): FleetFinding => ({
  code: 'fleet-unlimited-stream',
  stream,
  problem: `The stream ${stream} has fewer limits than this version gives it: of its size, its messages or its consumers.`,
  advice: 'On the machine that has the fleet: plimsoll fleet apply DIR',
});

export const smallMessages = (bytesMax: number): FleetFinding => ({
  code: 'fleet-small-messages',
  bytesMax,
  problem: `The fleet's server accepts messages of at most ${megabytes(bytesMax)}; a record may have 1.05 MB and more when sealed.`,
  advice: 'Set max_payload: 4194304 in its configuration. A larger record is not sent, and counted.',
});

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
