// The settings in effect while the daemon runs: read at the start, followed afterwards. An invalid file changes nothing
// except its reported problem.

import type { Clock } from '../clock/clock.ts';
import type { Config } from '../config/config.ts';
import { placedProblem } from '../config/config-problem.ts';
import { type ConfigResult, effectiveConfig, loadConfig } from '../config/read-config.ts';
import { watchConfig } from '../config/watch-config.ts';
import { problemText } from '../core/problem.ts';
import type { ConfigSource } from './config-gatherer.ts';
import type { Notices } from './notices.ts';

export class LiveConfig implements ConfigSource {
  readonly #path: string;
  readonly #notices: Notices;
  readonly #listeners = new Set<() => void>();
  #result: ConfigResult;
  #config: Config;
  #problem: string | undefined;

  private constructor(path: string, notices: Notices, result: ConfigResult) {
    this.#path = path;
    this.#notices = notices;
    this.#result = result;
    this.#config = effectiveConfig(result);
    this.#take(result);
  }

  static async open(path: string, notices: Notices): Promise<LiveConfig> {
    return new LiveConfig(path, notices, await loadConfig(path));
  }

  get config(): Config {
    return this.#config;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows the file until the signal aborts. */
  follow(clock: Clock, signal: AbortSignal): Promise<void> {
    return watchConfig(this.#path, {
      signal,
      clock,
      since: this.#result,
      onChange: result => {
        this.#take(result);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  #take(result: ConfigResult): void {
    this.#result = result;
    if (result.kind === 'ok') {
      this.#config = result.config;
      this.#problem = undefined;
      this.#notices.clear(CONFIG_NOTICE);
      return;
    }
    const [first] = result.problems;
    const problem = first === undefined ? 'config.toml is broken.' : placedProblem(first);
    const others = result.problems.length - 1;
    const advice = `${first?.advice ?? ''}${others > 0 ? ` (and ${others} more: plimsoll config check)` : ''}`;
    this.#problem = problemText({ problem, advice });
    this.#notices.raise({
      id: CONFIG_NOTICE,
      code: CONFIG_NOTICE,
      problem,
      advice: `${advice} Until you fix it, ${result.lastGood === undefined ? 'the defaults' : 'the last good values'} stay in effect.`,
      ...(first?.position === undefined ? {} : { line: first.position.line }),
      problemCount: result.problems.length,
    });
  }
}

const CONFIG_NOTICE = 'config-broken';
