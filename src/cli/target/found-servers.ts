// Servers of models, for a load that is started without a URL: on this machine at the ports that engines listen on unless they are
// configured otherwise and those of config.toml, and the engines that the nodes of the cluster have found on themselves.

import { readEngine } from '../../bench/target/read-engine.ts';
import { homeFiles, resolveHome } from '../../config/home.ts';
import { effectiveConfig, readConfig } from '../../config/read-config.ts';
import { USUAL_PORTS } from '../../core/engine/server-engines.ts';
import { engineName, inFlightText, modelsText, type NodeEngine } from '../../core/node/engines.ts';
import { inColumns } from '../../core/text/columns.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { homeOption, type Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { knownTargets, reachedUrl } from './known-targets.ts';

interface FoundServer {
  readonly url: string;
  /** '' for this machine. */
  readonly nodeName: string;
  readonly engine: Omit<NodeEngine, 'origin' | 'listensOn' | 'facts'>;
}

/**
 * The line with the URL of a server that the person chose, if it has none. Where nobody can choose, the error shows the command.
 * @throws CommandError `usage`
 */
export const withOffered = async (
  invocation: Invocation,
  state: ProcessState,
): Promise<{ readonly invocation: Invocation; readonly state: ProcessState }> => {
  if (invocation.arguments.length > 0) return { invocation, state };
  const [command = '', ...rest] = state.args;
  const home = resolveHome({ ...state, option: invocation.option(homeOption) });
  const url = await chosenServer(state, { home, command, rest });
  return {
    invocation: { option: invocation.option, arguments: [url] },
    state: { ...state, args: [command, url, ...rest] },
  };
};

/** @param rest the words after the command, to show them with a URL */
const chosenServer = async (
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
      `Write: ${shellCommand`plimsoll ${command} ${first.url} ${rest}`}`,
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
  const cluster = await knownTargets(home, state);
  const others = isUnknown(cluster)
    ? []
    : cluster.targets
        .filter(({ nodeId }) => nodeId !== cluster.self)
        .slice(0, TARGETS_MAX)
        .map(async (target): Promise<FoundServer | undefined> => {
          const url = await reachedUrl(target, state.stop);
          return url === undefined ? undefined : { url, nodeName: target.nodeName, engine: target.engine };
        });
  return (await Promise.all([...own, ...others])).filter(server => server !== undefined);
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

/** Of other nodes; more do not fit a question. Limit in docs/limits.md. */
const TARGETS_MAX = 32;
const ANSWER_BYTES_MAX = 100;
