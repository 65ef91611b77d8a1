// The output of `plimsoll agent`: what to type at the coordinator, what may be loaded, and each load from beginning to end.
// A code appears only in the line that is to be typed.

import type { AgentHostObserver } from '../../bench/agent/agent-host.ts';
import type { AgentPolicy } from '../../bench/agent/agent-policy.ts';
import type { AgentLoad, AgentSessionEnd } from '../../bench/agent/session-parts.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { showable } from '../../core/text/single-line.ts';
import { ownAddresses, RefusalLines } from '../probe/probe-serve.ts';
import type { ProcessState } from '../process-state.ts';
import { agentPlaceText } from './agent-places.ts';

interface AgentLinesOptions {
  readonly wantedPort: number;
  readonly policy: AgentPolicy;
  /** The file that contains the code if it is not printed. */
  readonly codeFile: string | undefined;
}

export class AgentLines implements AgentHostObserver {
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
    const places = (own.length === 0 ? ['THIS-MACHINE'] : own).map(host =>
      agentPlaceText({ at: { host, port }, code: codeFile === undefined ? code : 'CODE' }),
    );
    const url = policy.targets[0] ?? 'URL';
    this.#write(places.length === 1 ? 'At the coordinator:' : 'At the coordinator, one of:');
    for (const place of places) this.#write(`  ${shellCommand`plimsoll bench ${url} --agents ${place}`}`);
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
