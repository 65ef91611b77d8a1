// Servers of models, for a benchmark that is started without a URL or with the name of a node: on this machine at the ports that
// engines listen on unless they are configured otherwise and those of config.toml, and the engines that the nodes of the cluster
// have found on themselves.

import { readEngine } from '../../bench/target/read-engine.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { homeFiles } from '../../config/home.ts';
import { effectiveConfig, readConfig } from '../../config/read-config.ts';
import { type EngineTarget, engineTargets } from '../../core/engine/engine-targets.ts';
import { USUAL_PORTS } from '../../core/engine/server-engines.ts';
import { engineName, inFlightText, modelsText, type NodeEngine } from '../../core/node/engines.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { inColumns } from '../../core/text/columns.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

interface FoundServer {
  readonly url: string;
  /** '' for this machine. */
  readonly nodeName: string;
  readonly engine: Omit<NodeEngine, 'origin' | 'listensOn' | 'facts'>;
}

/**
 * The URL of a server that the person chose. Where nobody can choose, the error shows the commands.
 * @param rest the words after the command, to show them with a URL
 * @throws CommandError `usage`
 */
export const chosenServer = async (
  state: ProcessState,
  {
    home,
    command,
    rest,
  }: { readonly home: string; readonly command: string; readonly rest: readonly string[] },
): Promise<string> => {
  const found = await findServers(home, state);
  const [first] = found;
  if (first === undefined)
    throw new CommandError(
      'usage',
      `URL is missing, and no server of a model was found on this machine (ports ${USUAL_PORTS.join(', ')}) or on a node of its cluster`,
      `Write: plimsoll ${command} http://HOST:PORT`,
    );
  const rows = found.map(({ url, nodeName, engine }, at) => [
    String(at + 1),
    url,
    isUnknown(engine.engine) ? '' : engineName(engine),
    shown(modelsText(engine)),
    shown(inFlightText(engine)),
    nodeName,
  ]);
  await state.stderr.write(`plimsoll: servers found:\n${inColumns(rows).join('\n')}\n`);
  const question = `Number of the server to load, or Enter for 1: `;
  const answer = state.stdout.isTerminal ? await lineAfter(question, state) : undefined;
  if (answer === undefined)
    throw new CommandError(
      'usage',
      'URL is missing',
      `Write: ${shellCommand`plimsoll ${command.split(' ')} ${first.url} ${rest}`}`,
    );
  const chosen = found[answer.trim() === '' ? 0 : Number(answer) - 1];
  if (chosen === undefined)
    throw new CommandError(
      'usage',
      `${JSON.stringify(answer.slice(0, 20))} is not in the list`,
      `Write a number from 1 to ${found.length}.`,
    );
  return chosen.url;
};

/**
 * The URL of the engine of a node: "atlas", or "atlas:8000" if it has several. The text itself if it names no node of a daemon
 * of this machine.
 * @throws CommandError `usage` if the node has no engine, several, or one that cannot be reached from here
 */
export const targetOfNode = async (text: string, home: string, state: ProcessState): Promise<string> => {
  const [, name = '', port = ''] = /^([^:/\s]{1,100})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const cluster = name === '' ? unknown('not the name of a node') : await targetsOfCluster(home, state);
  if (isUnknown(cluster)) return text;
  const { targets, nodeNames } = cluster;
  if (!nodeNames.includes(name)) return text;
  const meant = targets.filter(
    target => target.nodeName === name && (port === '' || target.port === Number(port)),
  );
  const [target, ...others] = meant;
  if (target === undefined)
    throw new CommandError(
      'usage',
      `no server of a model was found on ${name}${port === '' ? '' : ` at port ${port}`}`,
      `Write its URL, or add its port to [engines] in config.toml of ${name}: plimsoll bench http://HOST:PORT`,
    );
  if (others.length > 0)
    throw new CommandError(
      'usage',
      `${name} has ${meant.length} servers of models`,
      `Write one of: ${meant.map(one => `${name}:${one.port} (${engineName(one.engine)})`).join(', ')}`,
    );
  const url = await reachedUrl(target, state.stop);
  if (url === undefined)
    throw new CommandError(
      'usage',
      target.urls.length === 0
        ? `the server of ${name} listens on loopback only (${target.engine.origin})`
        : `the server of ${name} does not answer at ${target.urls.join(' or ')}`,
      `Let it listen on a network that this machine reaches, or load it from its own node: --from ${name}`,
    );
  return url;
};

const shown = (text: Reported<string>): string => (isUnknown(text) ? '' : text);

const findServers = async (home: string, state: ProcessState): Promise<readonly FoundServer[]> => {
  const { endpoints, engines } = effectiveConfig(await readConfig(homeFiles(home).config));
  const origins = new Set([
    ...endpoints.map(({ url }) => new URL(url).origin),
    ...[...USUAL_PORTS, ...engines.ports].map(port => `http://127.0.0.1:${port}`),
  ]);
  const own = [...origins].map(async (url): Promise<FoundServer | undefined> => {
    const reply = await readEngine({ origin: url, signal: state.stop });
    return reply.kind === 'engine' ? { url, nodeName: '', engine: reply.found } : undefined;
  });
  const cluster = await targetsOfCluster(home, state);
  const others = isUnknown(cluster)
    ? []
    : cluster.targets
        .filter(({ nodeId }) => nodeId !== cluster.self)
        .map(async (target): Promise<FoundServer | undefined> => {
          const url = await reachedUrl(target, state.stop);
          return url === undefined ? undefined : { url, nodeName: target.nodeName, engine: target.engine };
        });
  return (await Promise.all([...own, ...others])).filter(server => server !== undefined);
};

/** The first candidate behind which an engine answers. */
const reachedUrl = async ({ urls }: EngineTarget, signal: AbortSignal): Promise<string | undefined> => {
  const replies = await Promise.all(urls.map(origin => readEngine({ origin, signal })));
  return urls.find((_, at) => replies[at]?.kind === 'engine');
};

/** As the daemon of this home sees it; unknown without one. */
const targetsOfCluster = async (home: string, state: ProcessState) => {
  try {
    const client = await findDaemon(home, state);
    const { snapshot, state: cluster } = await clusterNow(client, systemClock, state.stop);
    const self = snapshot.nodeId;
    const nowMs = systemClock.nowMs();
    return {
      self,
      targets: engineTargets(cluster, self, nowMs).slice(0, TARGETS_MAX),
      nodeNames: nodeIds(cluster).map(id => nodeName(cluster, id)),
    };
  } catch (error) {
    state.stop.throwIfAborted();
    if (error instanceof CommandError) return unknown(error.message);
    throw error;
  }
};

/** undefined if standard input ended. */
const lineAfter = async (question: string, state: ProcessState): Promise<string | undefined> => {
  await state.stderr.write(question);
  for await (const line of state.inputLines(ANSWER_BYTES_MAX)) {
    if (line.kind === 'line') return line.text;
    break;
  }
  await state.stderr.write('\n');
  state.stop.throwIfAborted();
  return undefined;
};

/** Of a cluster; more do not fit a question. Limit in docs/limits.md. */
const TARGETS_MAX = 32;
const ANSWER_BYTES_MAX = 100;
