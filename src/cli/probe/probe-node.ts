// A probe of the connections to a node of the cluster: the local daemon measures, because it agrees with the other one on
// when, and knows who serves inference now. The command asks it, waits, and prints what it found.

import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { resolveHome } from '../../config/home.ts';
import type { Line } from '../../tui/part.ts';
import { paint, part } from '../../tui/part.ts';
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
  readonly before: readonly ProbedLink[];
  readonly state: ProcessState;
}

/** Until each has another profile than before; what holds one back is said once. */
const whenMeasured = async ({
  client,
  sink,
  keys,
  before,
  state,
}: Following): Promise<readonly ProbedLink[]> => {
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(WAIT_MS_MAX)]);
  const told = new Set<string>();
  for (;;) {
    const now = await linksTo(client, sink, signal);
    const done = now.filter(link => keys.includes(link.connectionKey) && isNewer(link, before));
    if (done.length === keys.length) return done;
    for (const text of await waitsOf(client, sink, keys, signal)) {
      if (told.has(text)) continue;
      told.add(text);
      await state.stderr.write(`${text}\n`);
    }
    try {
      await delay(POLL_MS, undefined, { signal });
    } catch {
      state.stop.throwIfAborted();
      const missing = keys.length - done.length;
      throw new CommandError(
        'probeFailed',
        `${missing} of ${keys.length} connections were not measured within ${WAIT_MS_MAX / 60_000} minutes`,
        'The daemon goes on trying. What holds it back tells: plimsoll status --json',
      );
    }
  }
};

/** Its profile is younger than the one before could be. */
const isNewer = (link: ProbedLink, before: readonly ProbedLink[]): boolean => {
  if (!('value' in link.profile)) return false;
  const held = before.find(({ connectionKey }) => connectionKey === link.connectionKey);
  return held === undefined || !('value' in held.profile) || link.profile.ageMs < held.profile.ageMs;
};

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

const linksTo = async (
  client: DaemonClient,
  sink: string,
  signal: AbortSignal,
): Promise<readonly ProbedLink[]> => {
  const answer = v.safeParse(linksSchema, await client.json('/api/links', signal));
  if (!answer.success) throw noAnswer(client.file, 'it tells no links', undefined);
  const { nodeId: source } = client.file;
  return answer.output.links.filter(link => link.source === source && link.sink === sink);
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
