// The state of a fleet's server, checked with the credentials of a node: for `plimsoll doctor` and `fleet
// status`. It connects once, queries the server, tries what the node is allowed to do, and changes nothing.

import { errors } from '@nats-io/nats-core';
import * as v from 'valibot';
import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import { count, figure, type Infer, nonNegative, openObject } from '../../core/schema.ts';
import {
  clockDiffers,
  consumersAllowed,
  type FleetFinding,
  type FleetProblem,
  noStateStream,
  noStream,
  notPermitted,
  oldServer,
  openServer,
  smallMessages,
  streamDiffers,
  streamNearlyFull,
  unlimitedStream,
} from './fleet-problem.ts';
import { FLEET_STREAM_DEFAULTS, fleetStreams } from './fleet-streams.ts';
import { EVENT_STREAM, FleetSubjects, stateStreamOf } from './fleet-subjects.ts';
import {
  connectToFleet,
  type FleetServer,
  type FleetServerAccess,
  isBefore,
  isClientError,
  lossOf,
  refusedSubject,
  silenceOf,
} from './server-connection.ts';
import { inboxOf } from './server-files.ts';
import { readStreamFacts } from './stream-facts.ts';

const findings = v.array(openObject({ code: v.string(), problem: v.string(), advice: v.string() }));

const examinedServerSchema = v.object({
  name: v.string(),
  address: v.string(),
  version: v.string(),
  roundTripMs: nonNegative,
});

const examinedStreamSchema = v.object({
  name: v.string(),
  messages: count,
  bytes: count,
  bytesMax: v.pipe(figure, v.description('-1: no limit of its own.')),
  replicas: count,
});

/** What `plimsoll fleet status --json` prints. */
export const fleetSchema = v.object({
  schema: v.literal('plimsoll.fleet/1'),
  cluster: v.string(),
  servers: v.pipe(v.array(v.string()), v.description('Their addresses, as config.toml has them.')),
  server: v.optional(
    v.pipe(examinedServerSchema, v.description('The one that replied; missing: there was no connection.')),
  ),
  streams: v.array(examinedStreamSchema),
  problems: v.pipe(findings, v.description('What keeps the fleet from working.')),
  notes: v.pipe(findings, v.description('What works with limitations.')),
});

export type FleetDocument = Infer<typeof fleetSchema>;

export interface FleetExamination {
  /** Undefined if there was no connection. */
  readonly server: ExaminedServer | undefined;
  readonly streams: readonly ExaminedStream[];
  /** What keeps the fleet from working. */
  readonly problems: readonly FleetProblem[];
  /** What works with limitations. */
  readonly notes: readonly FleetFinding[];
}

type ExaminedServer = Infer<typeof examinedServerSchema>;
type ExaminedStream = Infer<typeof examinedStreamSchema>;

interface ExamineParts {
  readonly server: FleetServerAccess;
  readonly node: NodeId;
  readonly cluster: string;
  readonly clock: Clock;
}

/** Never throws because of a server or a network. */
export const examineFleet = async (parts: ExamineParts): Promise<FleetExamination> => {
  const { server: options, node, cluster } = parts;
  const connecting = await connectToFleet({
    ...options,
    clock: parts.clock,
    name: 'plimsoll doctor',
    inboxPrefix: inboxOf(node),
  });
  if (connecting.kind === 'failed')
    return { server: undefined, streams: [], problems: [connecting.problem], notes: [] };
  const { server } = connecting;
  const refused = new Set<string>();
  const following = followRefusals(server, refused);
  try {
    const subjects = new FleetSubjects(cluster, node);
    const permissions = await examinePermissions(server, subjects, refused);
    const streams = await examineStreams(server, subjects, parts.clock);
    return {
      server: await examinedServer(server),
      streams: streams.streams,
      problems: [...permissions.problems, ...streams.problems],
      notes: [...permissions.notes, ...streams.notes, ...versionNotes(server)],
    };
  } catch (error) {
    const violation = server.violation();
    const isOfServer = violation !== undefined || isClientError(error) || server.connection.isClosed();
    const subject = refusedSubject(error);
    const problem =
      (subject === undefined ? undefined : notPermitted(subject)) ??
      silenceOf(server.connection, error) ??
      (isOfServer ? lossOf(options.servers, violation ?? error) : undefined);
    if (problem === undefined) throw error;
    return { server: undefined, streams: [], problems: [problem], notes: [] };
  } finally {
    await server.connection.close();
    await following;
  }
};

/** Until the connection ends. */
const followRefusals = async ({ connection }: FleetServer, refused: Set<string>): Promise<void> => {
  for await (const status of connection.status())
    if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
      if (refused.size < REFUSED_MAX) refused.add(status.error.subject);
};

const examinedServer = async ({ connection }: FleetServer): Promise<ExaminedServer> => {
  const { info } = connection;
  return {
    name: info?.server_name ?? '',
    address: connection.getServer(),
    version: info?.version ?? 'unknown',
    roundTripMs: await connection.rtt(),
  };
};

const versionNotes = ({ connection }: FleetServer): readonly FleetFinding[] => {
  const version = connection.info?.version ?? '0.0.0';
  const payloadBytes = connection.info?.max_payload ?? 0;
  return [
    ...(isBefore(version, 2, 10) ? [oldServer(version, 'start with TLS, or report its clock', '2.10')] : []),
    ...(isBefore(version, 2, 11) ? [oldServer(version, 'expire single last values', '2.11')] : []),
    ...(payloadBytes < PAYLOAD_BYTES_MIN ? [smallMessages(payloadBytes)] : []),
  ];
};

/**
 * A server reports a missing permission on the connection, not in a reply: each one is tried, and then a time
 * request is sent to flush the reports.
 */
const examinePermissions = async (
  { connection }: FleetServer,
  subjects: FleetSubjects,
  refused: ReadonlySet<string>,
): Promise<{ readonly problems: readonly FleetProblem[]; readonly notes: readonly FleetFinding[] }> => {
  const received = [...new Set([...subjects.received('all'), ...subjects.received('group')])];
  for (const subject of received) connection.subscribe(subject, { callback: () => undefined });
  const own = [
    subjects.ownReading(TRIAL),
    subjects.ownGroupReading(TRIAL),
    subjects.ownSlow,
    subjects.ownRun(TRIAL, TRIAL),
    subjects.requestSubject(subjects.self, TRIAL),
  ];
  for (const subject of own) connection.publish(subject);
  const other = subjects.readingOfNobody(TRIAL);
  // Without a body it creates nothing, even if it is permitted.
  const consumers = [EVENT_STREAM, stateStreamOf(subjects.cluster, subjects.self)].map(
    stream => `$JS.API.CONSUMER.CREATE.${stream}.${TRIAL}.${TRIAL}`,
  );
  for (const subject of [other, ...consumers]) connection.publish(subject);
  await connection.flush();
  // What the server sent before its reply is delivered in later turns.
  await connection.flush();
  const missing = [...received, ...own].filter(subject => refused.has(subject));
  return {
    problems: missing.map(notPermitted),
    notes: [
      ...(refused.has(other) ? [] : [openServer()]),
      ...(consumers.every(subject => refused.has(subject)) ? [] : [consumersAllowed()]),
    ],
  };
};

const examineStreams = async (
  server: FleetServer,
  subjects: FleetSubjects,
  clock: Clock,
): Promise<{
  readonly streams: readonly ExaminedStream[];
  readonly problems: readonly FleetProblem[];
  readonly notes: readonly FleetFinding[];
}> => {
  const streams: ExaminedStream[] = [];
  const problems: FleetProblem[] = [];
  const notes: FleetFinding[] = [];
  const { connection } = server;
  const { cluster, self } = subjects;
  const options = { ...FLEET_STREAM_DEFAULTS, cluster, nodes: [self], hasMessageTtl: false };
  for (const wanted of fleetStreams(options)) {
    const facts = await readStreamFacts(connection, wanted.name);
    if (facts === undefined) {
      problems.push(wanted.name === EVENT_STREAM ? noStream(wanted.name) : noStateStream(subjects));
      continue;
    }
    const { config, state, serverNowMs } = facts;
    streams.push({
      name: wanted.name,
      messages: state.messages,
      bytes: state.bytes,
      bytesMax: config.max_bytes,
      replicas: config.num_replicas,
    });
    const lacks = (wanted.subjects ?? []).filter(subject => !config.subjects.includes(subject));
    const isUnlimited = LIMITS.some(limit => (wanted[limit] ?? 0) > 0 && config[limit] <= 0);
    if (lacks.length > 0 || config.max_msgs_per_subject !== (wanted.max_msgs_per_subject ?? -1))
      problems.push(streamDiffers(wanted.name));
    // Created or changed by a person.
    else if (isUnlimited) notes.push(unlimitedStream(wanted.name));
    // The other setting drops the oldest.
    if (wanted.name !== EVENT_STREAM && config.max_bytes > 0 && state.bytes > config.max_bytes * FULL_SHARE)
      problems.push(streamNearlyFull(wanted.name, state.bytes, config.max_bytes));
    if (serverNowMs === undefined) continue;
    const offsetMs = serverNowMs - clock.wallMs();
    if (wanted.name === EVENT_STREAM && Math.abs(offsetMs) > CLOCK_OFFSET_MS)
      notes.push(clockDiffers(offsetMs));
  }
  return { streams, problems, notes };
};

const TRIAL = 'trial';
/** A server does not change the consumer limit of an existing stream. */
const LIMITS = ['max_msgs', 'max_bytes', 'max_msg_size'] as const;
/** About twenty subjects are tried. */
const REFUSED_MAX = 256;
const FULL_SHARE = 0.9;
const CLOCK_OFFSET_MS = 60_000;
/** The largest record, sealed and framed. */
const PAYLOAD_BYTES_MIN = 1_200_000;
