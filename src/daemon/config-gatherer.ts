// The node's own settings as a reading: the part that other nodes may see, and whether the file is valid.

import { type Config, publicConfig } from '../config/config.ts';
import type { Gatherer } from '../gather/gatherer.ts';
import { poll } from '../gather/poll.ts';

export interface ConfigSource {
  /** The settings in effect. */
  readonly config: Config;
  /** What is wrong with the file as it is now, in one line; undefined when nothing is. */
  readonly problem: string | undefined;
  /** Calls back when either changes. Returns the end of the subscription. */
  onChange(listener: () => void): () => void;
}

const CONFIG_INTERVAL_MS = 30_000;

export const configGatherer = (source: ConfigSource): Gatherer => ({
  name: 'config',
  reports: [CONFIG],
  intervalMs: CONFIG_INTERVAL_MS,
  gather: async session => {
    const report = (): void => {
      session.emit('config.toml', { kind: 'config', value: publicConfig(source.config) });
      if (source.problem !== undefined) session.fail(CONFIG, 'config.toml', source.problem);
    };
    const end = source.onChange(report);
    try {
      await poll(session, CONFIG_INTERVAL_MS, report);
    } finally {
      end();
    }
  },
});

const CONFIG = { reading: 'config', vendor: 'none' } as const;
