// A probe of the connections to a node of the cluster: the local daemon measures, because it agrees on a time with the other one
// and has the servers that are active now. The command sends the request, waits, and prints the result.

import * as v from 'valibot';
import { pause } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import type { NodeId } from '../../core/ids.ts';
import { isSampled } from '../../core/link/link-view.ts';
import type { ProbeStatus } from '../../core/probe/probe-status.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { type Line, paint, part } from '../../tui/part.ts';
import { type ListedLink, linksAnswerSchema } from '../../wire/api/cluster-answers.ts';
import { probesAnswerSchema } from '../../wire/api/probe-answers.ts';
import { decodeFact } from '../../wire/event-schema.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { knownNodes, otherNodeCalled } from '../known-nodes.ts';
import type { ProcessState } from '../process-state.ts';
import { linkLines } from './link-lines.ts';
import type { NodeProbeDocument } from './probe-documents.ts';

interface NodeProbe {
  readonly name: string;
  readonly home: string | undefined;
  readonly isJson: boolean;
  readonly state: ProcessState;
}

export const probeNode = async ({ name, home, isJson, state }: NodeProbe): Promise<ExitCode> => {
  const client = await findDaemon(resolveHome({ ...state, option: home }), state);
  const { sink, nodeCount } = await otherNode(client, name, state);
  const { nodeId: source } = client.file;
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(WAIT_MS_MAX)]);
  const body = { subject: { kind: 'link', source, sink } };
  let before = await linksTo(client, sink, signal);
  if (before.links.length === 0 && isSampled(nodeCount))
    before = await connected({ client, sink, body, state }, signal);
  if (before.links.length === 0)
    throw new CommandError(
      'probeFailed',
      `this machine has no open connection to ${name}`,
      'It may be switched off, or known only through other machines. To see which addresses were tried and why they fail: plimsoll doctor',
    );
  const { probes } = await client.answer(probesAnswerSchema, '/api/probes', signal, 'POST', body);
  const keys = probes.flatMap(({ subject, result, reason }) => {
    if (result === 'refused') throw new CommandError('probeFailed', reason, '');
    return subject.kind === 'link' ? [subject.connectionKey] : [];
  });
  const found = await whenMeasured({ client, sink, keys, before, state });
  const document: NodeProbeDocument = { schema: 'plimsoll.node-probe/1', source, sink, links: found };
  if (isJson) await state.stdout.write(jsonLines(document));
  else await write(state, found);
  return found.every(link => linkFailure(link) === undefined)
    ? EXIT_CODES.ok.code
    : EXIT_CODES.probeFailed.code;
};

/** In a fleet two nodes connect when a probe is requested; the daemon's reply to that goes to standard error. */
const connected = async (
  { client, sink, body, state }: Pick<Following, 'client' | 'sink' | 'state'> & { readonly body: object },
  signal: AbortSignal,
): Promise<SeenLinks> => {
  const { unreached } = await client.answer(probesAnswerSchema, '/api/probes', signal, 'POST', body);
  for (const { reason } of unreached) await state.stderr.write(`${showable(reason)}\n`);
  const until = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS_MAX)]);
  for (;;) {
    const now = await linksTo(client, sink, signal);
    if (now.links.length > 0 || until.aborted) return now;
    await pause(systemClock, POLL_MS, until);
    state.stop.throwIfAborted();
  }
};

interface Following {
  readonly client: DaemonClient;
  readonly sink: NodeId;
  readonly keys: readonly string[];
  readonly before: SeenLinks;
  readonly state: ProcessState;
}

/**
 * Waits until each connection has a new profile, has been closed for a while, or the time is over. The reason for a delay is
 * reported once. Results that were measured are always returned.
 */
const whenMeasured = async (following: Following): Promise<readonly ProbedLink[]> => {
  const { client, sink, keys, before, state } = following;
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(WAIT_MS_MAX)]);
  const reported = new Set<string>();
  const seenAtMs = new Map(keys.map(key => [key, before.answeredAtMs]));
  for (;;) {
    const now = await linksTo(client, sink, signal);
    for (const { connectionKey } of now.links) seenAtMs.set(connectionKey, now.answeredAtMs);
    const done = now.links.filter(
      ({ connectionKey: key }) => keys.includes(key) && isNewProfile(key, now, before),
    );
    const missing = keys.filter(key => !done.some(({ connectionKey }) => connectionKey === key));
    const isGone = (key: string): boolean => now.answeredAtMs - (seenAtMs.get(key) ?? 0) > GONE_MS;
    if (missing.every(isGone))
      return [...done, ...unmeasured(following, missing, 'its connection is closed')];
    for (const text of await waitsOf(client, sink, keys, signal)) {
      if (reported.has(text)) continue;
      reported.add(text);
      await state.stderr.write(`${showable(text)}\n`);
    }
    await pause(systemClock, POLL_MS, signal);
    state.stop.throwIfAborted();
    if (!signal.aborted) continue;
    await state.stderr.write(`${STILL_TRYING}\n`);
    const reason = `it did not start within ${WAIT_MS_MAX / 60_000} minutes`;
    return [...done, ...unmeasured(following, missing, reason)];
  }
};

const unmeasured = (
  { client, sink }: Following,
  keys: readonly string[],
  reason: string,
): readonly ProbedLink[] =>
  keys.map(connectionKey => ({
    source: client.file.nodeId,
    sink,
    connectionKey,
    profile: { kind: 'unknown', reason },
  }));

const waitsOf = async (
  client: DaemonClient,
  sink: NodeId,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const statuses = statusesOf(await client.json('/api/state/probeStatuses', signal), client.file.nodeId);
  return statuses.flatMap(status => {
    const { subject } = status;
    const isRequested =
      subject.kind === 'link' && subject.sink === sink && keys.includes(subject.connectionKey);
    const text = isRequested ? statusText(status) : undefined;
    return text === undefined ? [] : [text];
  });
};

const linksTo = async (client: DaemonClient, sink: NodeId, signal: AbortSignal): Promise<SeenLinks> => {
  const requestedAtMs = systemClock.nowMs();
  const answer = await client.answer(linksAnswerSchema, '/api/links', signal);
  const { nodeId: source } = client.file;
  const links = answer.links.filter(link => link.source === source && link.sink === sink);
  return { links, requestedAtMs, answeredAtMs: systemClock.nowMs() };
};

const otherNode = async (
  client: DaemonClient,
  requested: string,
  { stop }: ProcessState,
): Promise<{ readonly sink: NodeId; readonly nodeCount: number }> => {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
  const nodes = await knownNodes(client, signal);
  return { sink: otherNodeCalled(requested, nodes, client.file.nodeId).nodeId, nodeCount: nodes.length };
};

const write = async (state: ProcessState, links: readonly ProbedLink[]): Promise<void> => {
  const { stdout } = state;
  const columns = stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY;
  for (const link of links) {
    const reason = linkFailure(link);
    const lines: readonly Line[] =
      reason === undefined && 'value' in link.profile
        ? linkLines(link.profile.value, columns)
        : [[part(`not measured: ${reason ?? 'no figures'}`, 'caution')]];
    for (const line of [[part(link.connectionKey, 'strong')], ...lines])
      await stdout.write(`${paint(line, { color: stdout.hasColor, isUnicode: stdout.isUnicode })}\n`);
  }
};

const ANSWER_MS = 5_000;
/** Addresses are checked within a second or two of being chosen. */
const CONNECT_MS_MAX = 20_000;
const POLL_MS = 250;
const WAIT_MS_MAX = 180_000;
/** A connection may close and open again while a measurement fills its cable. */
const GONE_MS = 15_000;
const STILL_TRYING = 'The daemon keeps trying. To see what blocks it: plimsoll status --json';

// The replies of a daemon about links and probes, as a command reads them. A reply contains only ages: the time of a measurement
// is known to within the duration of the request, and a profile is "newer" only if that is certain. Several connections are
// measured one after another, so the first of them may be older now than the previous profile was then.
export type ProbedLink = Pick<ListedLink, 'source' | 'sink' | 'connectionKey' | 'profile'>;

/** The links of one moment. */
export interface SeenLinks {
  readonly links: readonly ProbedLink[];
  /** Monotonic, when they were asked for and when the answer was here. */
  readonly requestedAtMs: number;
  readonly answeredAtMs: number;
}

/** True if its profile is newer than the one in `before`, if that has one. */
export const isNewProfile = (connectionKey: string, now: SeenLinks, before: SeenLinks): boolean => {
  const ageMs = profileAgeMs(connectionKey, now);
  if (ageMs === undefined) return false;
  return isNewer({ ...now, ageMs }, { ...before, ageMs: profileAgeMs(connectionKey, before) });
};

interface AgedAnswer extends Omit<SeenLinks, 'links'> {
  readonly ageMs: number;
}

/** Whether a profile is certainly newer than the one that was there before, if there was one. */
export const isNewer = (
  now: AgedAnswer,
  before: Pick<AgedAnswer, 'answeredAtMs'> & { readonly ageMs: number | undefined },
): boolean =>
  before.ageMs === undefined || now.requestedAtMs - now.ageMs > before.answeredAtMs - before.ageMs;

/** Of one node, from /api/state/probeStatuses; what is not understood is left out. */
export const statusesOf = (answer: unknown, node: string): readonly ProbeStatus[] => {
  const nodes = v.safeParse(STATUSES, answer);
  if (!nodes.success) return [];
  return Object.entries(nodes.output[node] ?? {}).flatMap(([key, { value }]) => {
    const decoded = decodeFact('probe.reported', key, value);
    return decoded.kind === 'known' && decoded.fact.kind === 'probe.reported' ? [decoded.fact.payload] : [];
  });
};

/** The status for a person who waits for it; undefined if there is none to show. */
export const statusText = ({ subject: { kind, ...rest }, stage }: ProbeStatus): string | undefined => {
  const name = 'connectionKey' in rest ? rest.connectionKey : `${kind}`;
  if (stage.kind === 'waiting') return `${name} waits: ${stage.reason}`;
  return stage.kind === 'running' ? `${name}: measuring` : undefined;
};

/** Why there are no figures of now; undefined where there are. */
const linkFailure = ({ profile }: ProbedLink): string | undefined => {
  if (isUnknown(profile)) return profile.reason;
  return isUnknown(profile.value.failure) ? profile.value.failure.reason : undefined;
};

const profileAgeMs = (connectionKey: string, { links }: SeenLinks): number | undefined => {
  const profile = links.find(link => link.connectionKey === connectionKey)?.profile;
  return profile === undefined || isUnknown(profile) ? undefined : profile.ageMs;
};

const STATUSES = v.record(v.string(), v.record(v.string(), v.object({ value: v.unknown() })));
