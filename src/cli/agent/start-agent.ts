// Runs `plimsoll agent`: the host with this machine's policy, and lines for who sits in front of it. Loaded late, because it
// brings ZeroMQ along.

import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { AgentHost, type AgentHostObserver } from '../../bench/agent/agent-host.ts';
import { type AgentPolicy, hasKey } from '../../bench/agent/agent-policy.ts';
import { systemNames } from '../../bench/agent/reach-target.ts';
import type { AgentLoad, AgentSessionEnd } from '../../bench/agent/session-parts.ts';
import { makeAgentCode, parseAgentCode } from '../../bench/agent/tls/agent-code.ts';
import { unlessAborted } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { Config } from '../../config/config.ts';
import { placedProblem } from '../../config/config-problem.ts';
import { homeFiles, openHome } from '../../config/home.ts';
import { readConfig } from '../../config/read-config.ts';
import { errorCode } from '../../core/problem.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { showable } from '../../core/text/single-line.ts';
import { diskReason, fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { asBenchCommandError, benchProcess } from '../bench/bench-process.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { ownAddresses, RefusalLines } from '../probe/probe-serve.ts';
import type { ProcessState } from '../process-state.ts';
import { AGENT_PORT, agentAddressText } from './agent-addresses.ts';

interface AgentStart {
  readonly home: string;
  /** undefined: the usual one, or the next that is free. */
  readonly port: number | undefined;
  readonly targets: readonly string[];
  readonly keys: AgentPolicy['keys'];
  /** With a code that stays good; undefined: a new one for each sitting is printed. */
  readonly codeFile: string | undefined;
  readonly isOnce: boolean;
}

/** @throws CommandError when it cannot listen, or may load nothing. */
export const startAgent = async (state: ProcessState, start: AgentStart): Promise<ExitCode> => {
  const folder = join(start.home, 'agent');
  await makeFolder(start.home, folder);
  const config = await configOf(start.home);
  const policy = policyOf(config, start);
  await checkKeys(state, policy, start.keys);
  const code = start.codeFile === undefined ? undefined : await codeIn(resolve(state.cwd, start.codeFile));
  const lines = new AgentLines(state, {
    wantedPort: start.port ?? AGENT_PORT,
    policy,
    codeFile: start.codeFile,
  });
  for (let tried = 0; ; tried += 1) {
    const port = (start.port ?? AGENT_PORT) + tried;
    let codes = start.isOnce ? 1 : Number.POSITIVE_INFINITY;
    await using host = new AgentHost({
      host: '::',
      port,
      nextSecret: () => (codes-- > 0 ? (code ?? makeAgentCode()) : undefined),
      restMs: REST_MS,
      unusedMs: Number.POSITIVE_INFINITY,
      observer: lines,
      session: {
        policy: () => policy,
        name: config.name ?? hostname(),
        bench: benchProcess(state),
        env: state.env,
        folder,
        resolve: systemNames,
        signal: state.stop,
        onLoad: load => lines.load(load),
      },
    });
    try {
      await host.listen();
    } catch (error) {
      if (errorCode(error) === 'EADDRINUSE' && start.port === undefined && tried + 1 < PORTS_TRIED) continue;
      throw new CommandError(
        'addressInUse',
        errorCode(error) === 'EADDRINUSE'
          ? `port ${port} is taken by another program`
          : `port ${port} cannot be used: ${diskReason(error)}`,
        'Choose another one: plimsoll agent --port N',
        { cause: error },
      );
    }
    await unlessAborted(host.over, state.stop);
    return EXIT_CODES.ok.code;
  }
};

/** Its caps protect this machine, and the defaults are far above those that somebody wrote into a file with an error. */
const configOf = async (home: string): Promise<Config> => {
  const result = await readConfig(homeFiles(home).config);
  if (result.kind === 'ok') return result.config;
  const [problem] = result.problems;
  throw new CommandError(
    'badConfig',
    `the caps of this agent cannot be read: ${problem === undefined ? 'config.toml has an error' : placedProblem(problem)}`,
    `${problem?.advice ?? ''} All that is wrong: plimsoll config check`.trim(),
  );
};

/** @throws CommandError that does not show the file's content. */
const codeIn = async (file: string): Promise<string> => {
  let text: string;
  try {
    text = await readInputText(file, 'secret');
  } catch (error) {
    throw new CommandError(
      'usage',
      `--code-file: ${file} cannot be read: ${fileReason(error)}`,
      'Name a file with the code of this agent, alone on one line.',
    );
  }
  const code = parseAgentCode(text);
  if (code.kind === 'wrong')
    throw new CommandError(
      'usage',
      `--code-file: what is in ${file} is not the code of an agent`,
      'It has 28 letters and digits: copy one that `plimsoll agent` printed.',
    );
  return code.value;
};

const makeFolder = async (home: string, folder: string): Promise<void> => {
  try {
    await openHome(home);
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

/** Starting an agent by hand is permission to run; the limits in the config still apply. */
const policyOf = ({ bench }: Config, { targets, keys }: AgentStart): AgentPolicy => {
  if (targets.length + bench.targets.length === 0) {
    throw new CommandError(
      'usage',
      'this agent may not load anything: no target is listed',
      'Name one: plimsoll agent --target http://10.0.0.7:8000, or list it in [bench] targets of config.toml.',
    );
  }
  return {
    ...bench,
    isAgent: true,
    targets: [...new Set([...targets, ...bench.targets])],
    keys: [...keys, ...bench.keys],
  };
};

/** Those of the command line: config.toml may be written for another environment. */
const checkKeys = async (
  { env }: ProcessState,
  { targets }: AgentPolicy,
  keys: AgentPolicy['keys'],
): Promise<void> => {
  for (const { origin, source } of keys) {
    if (!targets.includes(origin)) {
      throw new CommandError(
        'usage',
        `--key: ${origin} is not among the targets that this agent may load`,
        `Add it with --target ${origin}, or name a target that is listed.`,
      );
    }
    if (await hasKey(source, env)) continue;
    // The user may have typed the key in place of the variable's name: do not show it.
    const shown = source.kind === 'variable' ? 'the environment variable' : `the file ${source.path}`;
    throw new CommandError(
      'usage',
      `--key: ${shown} that is named for ${origin} is not there, or holds no key`,
      'It has to hold the key, alone on one line.',
    );
  }
};

/** Between two runs of one sitting. */
const REST_MS = 60_000;
const PORTS_TRIED = 20;

// The output of `plimsoll agent`: what to type at the coordinator, what may be loaded, and each load from beginning to end.
// A code appears only in the line that is to be typed.
interface AgentLinesOptions {
  readonly wantedPort: number;
  readonly policy: AgentPolicy;
  /** The file that contains the code if it is not printed. */
  readonly codeFile: string | undefined;
}

class AgentLines implements AgentHostObserver {
  readonly #state: Pick<ProcessState, 'stdout' | 'program'>;
  readonly #options: AgentLinesOptions;
  readonly #refusals: RefusalLines;
  #isFirst = true;
  #strangersBefore = 0;
  #strangers = 0;

  constructor(state: Pick<ProcessState, 'stdout' | 'program'>, options: AgentLinesOptions) {
    this.#state = state;
    this.#options = options;
    this.#refusals = new RefusalLines(systemClock, line => this.#write(line));
  }

  secret(code: string, port: number): void {
    const { wantedPort, policy, codeFile } = this.#options;
    const wasReported = codeFile !== undefined && !this.#isFirst;
    if (this.#isFirst) {
      const taken = port === wantedPort ? '' : ` (${wantedPort} is taken)`;
      this.#write(`Waiting for a coordinator on port ${port}${taken}. Ctrl-C stops it.`);
      this.#write(`May load: ${policy.targets.join(', ')}`);
      this.#write(capsText(policy));
    }
    this.#isFirst = false;
    this.#strangersBefore = this.#strangers;
    this.#refusals.begin();
    if (wasReported) return;
    const own = ownAddresses();
    const addresses = (own.length === 0 ? ['THIS-MACHINE'] : own).map(host =>
      agentAddressText({ at: { host, port }, code: codeFile === undefined ? code : 'CODE' }),
    );
    const url = policy.targets[0] ?? 'URL';
    this.#write(addresses.length === 1 ? 'At the coordinator:' : 'At the coordinator, one of:');
    for (const address of addresses)
      this.#write(`  ${shellCommand`plimsoll bench ${url} --agents ${address}`}`);
    if (codeFile !== undefined) this.#write(`The code is the one in ${codeFile}.`);
  }

  began(peer: string): void {
    this.#write(`${plainText(peer)} coordinates.`);
  }

  load(load: AgentLoad | undefined): void {
    if (load !== undefined) this.#write(`Loading ${plainText(load.target)}.`);
  }

  ended({ peer, kind, detail, keptIn }: AgentSessionEnd): void {
    this.#write(`${plainText(peer)} ${ENDINGS[kind]}${detail === '' ? '' : `: ${plainText(detail)}`}.`);
    if (keptIn !== undefined) this.#write(`Its samples were not fetched; they are in ${keptIn}`);
  }

  strangers(count: number): void {
    this.#strangers = count;
    this.#refusals.counted(count - this.#strangersBefore);
  }

  #write(line: string): void {
    void this.#state.stdout.write(`${line}\n`);
  }
}

const capsText = (policy: AgentPolicy): string => {
  const { requestsPerSecondMax, connectionsMax, durationMsMax, samplesMax } = policy;
  return `At most ${requestsPerSecondMax} requests a second, ${connectionsMax} connections, ${durationMsMax / 1_000} s and ${samplesMax} requests a load.`;
};

/** What comes from elsewhere moves no cursor and starts no line. */
const plainText = (text: string): string => showable(text.slice(0, TEXT_LENGTH_MAX), ' ');

const ENDINGS: Readonly<Record<AgentSessionEnd['kind'], string>> = {
  done: 'has all samples',
  refused: 'was refused',
  lost: 'is gone before the end',
  nothing: 'left without a load',
};
const TEXT_LENGTH_MAX = 300;
