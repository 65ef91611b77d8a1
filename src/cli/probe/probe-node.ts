// A probe of the connections to a node of the cluster: the local daemon measures, because it agrees with the other one on
// when, and knows who serves inference now. The command asks it, waits, and prints what it found.

import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import type { Line } from '../../tui/part.ts';
import { paint, part, printable } from '../../tui/part.ts';
import { nodeIdSchema } from '../../wire/schema.ts';
import { CommandError } from '../command-error.ts';
import type { DaemonClient } from '../daemon-client.ts';
import { findDaemon, noAnswer } from '../daemon-client.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { linkLines } from './link-lines.ts';
import type { ProbedLink } from './probed-link.ts';
import { askedSchema, failureOf, linksSchema, nodesSchema, statusesOf, statusText } from './probed-link.ts';
import type { SeenLinks } from './seen-links.ts';
import { isNewProfile } from './seen-links.ts';

export interface NodeProbe {
  readonly name: string;
  readonly home: string | undefined;
  readonly isJson: boolean;
  readonly state: ProcessState;
}

export const probeNode = async ({ name, home, isJson, state }: NodeProbe): Promise<ExitCode> => {
  const client = await findDaemon(resolveHome({ ...state, option: home }), state);
  const sink = await nodeCalled(client, name, state);
  const { nodeId: source } = client.file;
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(WAIT_MS_MAX)]);
  const before = await linksTo(client, sink, signal);
  if (before.links.length === 0)
    throw new CommandError(
      'probeFailed',
      `this machine has no open connection to ${name}`,
      'It may be off, or known through other machines only. Which ways are tried, and why they fail, tells: plimsoll doctor',
    );
  const asked = await client.json('/api/probes', signal, 'POST', {
    subject: { kind: 'link', source, sink },
  });
  const answer = v.safeParse(askedSchema, asked);
  if (!answer.success) throw noAnswer(client.file, 'its answer is not understood', undefined);
  const keys = answer.output.probes.flatMap(({ subject, result, reason }) => {
    if (result === 'refused') throw new CommandError('probeFailed', reason, '');
    return subject.kind === 'link' ? [subject.connectionKey] : [];
  });
  const found = await whenMeasured({ client, sink, keys, before, state });
  if (isJson) await state.stdout.write(`${JSON.stringify({ source, sink, links: found }, undefined, 2)}\n`);
  else await write(state, found);
  return found.every(link => failureOf(link) === undefined)
    ? EXIT_CODES.ok.code
    : EXIT_CODES.probeFailed.code;
};

interface Following {
  readonly client: DaemonClient;
  readonly sink: string;
  readonly keys: readonly string[];
  readonly before: SeenLinks;
  readonly state: ProcessState;
}

/**
 * Until each has another profile than before, has been without its connection for a while, or the time is over; what holds
 * one back is said once. What was measured is told in any case.
 */
const whenMeasured = async (following: Following): Promise<readonly ProbedLink[]> => {
  const { client, sink, keys, before, state } = following;
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(WAIT_MS_MAX)]);
  const told = new Set<string>();
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
      if (told.has(text)) continue;
      told.add(text);
      await state.stderr.write(`${printable(text)}\n`);
    }
    try {
      await delay(POLL_MS, undefined, { signal });
    } catch {
      state.stop.throwIfAborted();
      await state.stderr.write(`${STILL_TRYING}\n`);
      const reason = `it did not come to it within ${WAIT_MS_MAX / 60_000} minutes`;
      return [...done, ...unmeasured(following, missing, reason)];
    }
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
  sink: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const statuses = statusesOf(await client.json('/api/state/probeStatuses', signal), client.file.nodeId);
  return statuses.flatMap(status => {
    const { subject } = status;
    const isAsked = subject.kind === 'link' && subject.sink === sink && keys.includes(subject.connectionKey);
    const text = isAsked ? statusText(status) : undefined;
    return text === undefined ? [] : [text];
  });
};

const linksTo = async (client: DaemonClient, sink: string, signal: AbortSignal): Promise<SeenLinks> => {
  const askedAtMs = systemClock.nowMs();
  const answer = v.safeParse(linksSchema, await client.json('/api/links', signal));
  if (!answer.success) throw noAnswer(client.file, 'it tells no links', undefined);
  const { nodeId: source } = client.file;
  const links = answer.output.links.filter(link => link.source === source && link.sink === sink);
  return { links, askedAtMs, answeredAtMs: systemClock.nowMs() };
};

const nodeCalled = async (client: DaemonClient, asked: string, { stop }: ProcessState): Promise<string> => {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
  const answer = v.safeParse(nodesSchema, await client.json('/api/nodes', signal));
  if (!answer.success) throw noAnswer(client.file, 'it tells no nodes', undefined);
  const others = answer.output.nodes.filter(({ nodeId }) => nodeId !== client.file.nodeId);
  const meant = others.filter(({ nodeId, name }) => name === asked || nodeId.startsWith(asked));
  const [node] = meant;
  if (node !== undefined && meant.length === 1 && v.is(nodeIdSchema, node.nodeId)) return node.nodeId;
  const there = meant.length > 1 ? meant.map(({ nodeId }) => nodeId) : others.map(({ name }) => name);
  const count = meant.length > 1 ? `${meant.length} nodes are` : 'no other node is';
  throw new CommandError(
    'usage',
    `${count} called ${JSON.stringify(asked)}`,
    there.length === 0 ? 'There is no other node.' : `There are: ${there.join(', ')}.`,
  );
};

const write = async (state: ProcessState, links: readonly ProbedLink[]): Promise<void> => {
  const { stdout } = state;
  const columns = stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY;
  for (const link of links) {
    const reason = failureOf(link);
    const lines: readonly Line[] =
      reason === undefined && 'value' in link.profile
        ? linkLines(link.profile.value, columns)
        : [[part(`not measured: ${reason ?? 'no figures'}`, 'caution')]];
    for (const line of [[part(link.connectionKey, 'strong')], ...lines])
      await stdout.write(`${paint(line, { color: stdout.hasColor, isUnicode: stdout.isUnicode })}\n`);
  }
};

const ANSWER_MS = 5_000;
const POLL_MS = 250;
const WAIT_MS_MAX = 180_000;
/** A connection may close and open again while a measurement fills its cable. */
const GONE_MS = 15_000;
const STILL_TRYING = 'The daemon goes on trying. What holds it back tells: plimsoll status --json';
