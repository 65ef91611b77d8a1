// The servers that a comparison starts: both for its whole time, or one at a time if the machine has room for only one. Each is
// stopped with its process group, however the comparison ends.

import { join } from 'node:path';
import type { SideParts } from '../../bench/compare/compared-side.ts';
import { type StartedServer, startServer } from '../../bench/compare/started-server.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import type { Clock } from '../../clock/clock.ts';
import type { ProcessState } from '../process-state.ts';

export interface RequestedSide {
  readonly label: string;
  readonly request: BenchRequest;
  /** Its model's file, folder or URL, as --facts and --b-facts name it. */
  readonly facts: string | undefined;
  /** Typed on this command line, and written nowhere. */
  readonly startCommand: string | undefined;
}

interface ComparedServersOptions {
  readonly a: RequestedSide;
  readonly b: RequestedSide;
  /** For a server to answer. */
  readonly startMsMax: number;
  readonly isOneAtATime: boolean;
  readonly state: ProcessState;
  /** Absolute: for what they print. */
  readonly directory: string;
  readonly clock: Clock;
}

type Letter = 'a' | 'b';

export class ComparedServers implements AsyncDisposable {
  readonly #options: ComparedServersOptions;
  readonly #running = new Map<Letter, StartedServer>();

  constructor(options: ComparedServersOptions) {
    this.#options = options;
  }

  side(letter: Letter): Pick<SideParts, 'isStartedHere' | 'ready'> {
    const requested = this.#options[letter];
    const { startCommand } = requested;
    if (startCommand === undefined) return { isStartedHere: false, ready: async () => 'known' };
    return {
      isStartedHere: true,
      ready: signal => this.#ready(letter, { ...requested, startCommand }, signal),
    };
  }

  async #ready(
    letter: Letter,
    { request, startCommand }: RequestedSide & { readonly startCommand: string },
    signal: AbortSignal,
  ): Promise<'fresh' | 'known'> {
    const { state, directory, clock, startMsMax, isOneAtATime } = this.#options;
    const running = this.#running.get(letter);
    if (running !== undefined) {
      running.check();
      return 'known';
    }
    if (isOneAtATime) await this.#end(letter === 'a' ? 'b' : 'a');
    const server = await startServer(
      {
        side: letter.toUpperCase(),
        command: startCommand,
        cwd: state.cwd,
        log: join(directory, `server-${letter}.log`),
        env: state.env,
        nodePath: state.nodePath,
        clock,
        target: request.target,
        api: request.api,
        headers: request.headers,
        startMsMax,
      },
      signal,
    );
    this.#running.set(letter, server);
    return 'fresh';
  }

  async #end(letter: Letter): Promise<void> {
    const server = this.#running.get(letter);
    this.#running.delete(letter);
    await server?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#end('a'), this.#end('b')]);
  }
}
