// Servers of models on this machine, for a benchmark that is started without a URL: at the ports that engines listen on
// unless they are configured otherwise, and those of [[endpoints]] in config.toml.

import { BenchError } from '../../bench/bench-error.ts';
import { SERVER_APIS } from '../../bench/target/api/server-apis.ts';
import { queryServer } from '../../bench/target/query-server.ts';
import { parseTargetUrl } from '../../bench/target/target-url.ts';
import { homeFiles } from '../../config/home.ts';
import { effectiveConfig, readConfig } from '../../config/read-config.ts';
import { inColumns } from '../../core/text/columns.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

interface FoundServer {
  readonly url: string;
  readonly kind: Reported<string>;
  /** The one that would be loaded. */
  readonly model: string;
}

/** Default ports: Ollama, LM Studio, vLLM, llama.cpp and mlx, SGLang, exo (their documents, 2026-11). */
const USUAL_PORTS = [11_434, 1_234, 8_000, 8_080, 30_000, 52_415] as const;

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
  const found = await findServers(home, state.stop);
  const [first] = found;
  if (first === undefined)
    throw new CommandError(
      'usage',
      `URL is missing, and no server of a model was found on this machine (ports ${USUAL_PORTS.join(', ')})`,
      `Write: plimsoll ${command} http://HOST:PORT`,
    );
  const rows = found.map(({ url, kind, model }, at) => [
    String(at + 1),
    url,
    isUnknown(kind) ? '' : kind,
    model,
  ]);
  await state.stderr.write(`plimsoll: servers found on this machine:\n${inColumns(rows).join('\n')}\n`);
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

const findServers = async (home: string, signal: AbortSignal): Promise<readonly FoundServer[]> => {
  const { endpoints } = effectiveConfig(await readConfig(homeFiles(home).config));
  const urls = new Set([
    ...endpoints.map(({ url }) => new URL(url).origin),
    ...USUAL_PORTS.map(port => `http://127.0.0.1:${port}`),
  ]);
  const found = await Promise.all([...urls].map(url => serverAt(url, signal)));
  return found.filter(server => server !== undefined);
};

const serverAt = async (url: string, signal: AbortSignal): Promise<FoundServer | undefined> => {
  const target = parseTargetUrl(url);
  if (target.kind === 'wrong') return undefined;
  try {
    const { serverKind, model } = await queryServer({
      api: SERVER_APIS[0],
      target: target.value,
      headers: [],
      model: undefined,
      timeoutMs: QUERY_MS_MAX,
      signal,
    });
    return { url, kind: serverKind, model };
  } catch (error) {
    signal.throwIfAborted();
    // Nothing listens there, or something that is no server of a model.
    if (error instanceof BenchError) return undefined;
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

/** On this machine, a server that takes longer to list its models is stuck. */
const QUERY_MS_MAX = 1_000;
const ANSWER_BYTES_MAX = 100;
