// `plimsoll agent`: makes this machine load a target for a coordinator elsewhere, without a cluster.

import { keyOfTarget, targetOrigin } from '../../config/bench-values.ts';
import type { TargetKey } from '../../config/config.ts';
import { resolveHome } from '../../config/home.ts';
import { AGENT_PORT } from '../agent/agent-places.ts';
import {
  type Command,
  everyAddressOption,
  flag,
  homeOption,
  nonEmpty,
  type Option,
  repeated,
  value,
} from '../command.ts';

const portOption = everyAddressOption(AGENT_PORT);

const targetOption: Option<readonly string[]> = repeated<string>({
  name: 'target',
  valueName: 'ORIGIN',
  meaning: 'A target that may be loaded, beside those of [bench] targets in config.toml.',
  parse: targetOrigin,
});

const keyOption: Option<readonly TargetKey[]> = repeated<TargetKey>({
  name: 'key',
  valueName: 'KEY',
  meaning: 'Where the API key of a target is: "ORIGIN VARIABLE", or "ORIGIN /path". Never the key itself.',
  parse: keyOfTarget,
});

const onceOption: Option<boolean> = flag('once', 'Exit after one sitting: when its code is spent.');

const codeFileOption: Option<string | undefined> = value({
  name: 'code-file',
  valueName: 'FILE',
  meaning:
    'A file with the code, as this command prints one; then none is printed, and it stays good. For machines that nobody reads.',
  parse: nonEmpty,
});

export const agentCommand: Command = {
  name: 'agent',
  summary: 'Make load for `plimsoll bench --agents` on another machine',
  description:
    'Prints a code that the coordinator needs, and loads only the targets given here or in config.toml, within the caps\nof [bench] there. One coordinator at a time. A code is good for the runs of one sitting, at most a minute apart.',
  arguments: [],
  options: [homeOption, portOption, targetOption, keyOption, codeFileOption, onceOption],
  examples: [
    { line: 'plimsoll agent --target http://10.0.0.7:8000', meaning: 'one target, until Ctrl-C' },
    {
      line: 'plimsoll agent --target https://llm.example.net --key "https://llm.example.net LLM_KEY"',
      meaning: 'with a key from the environment of this machine',
    },
    { line: 'plimsoll agent --port 5000 --once', meaning: 'the targets of config.toml, one sitting' },
  ],
  run: async (invocation, state) => {
    const { startAgent } = await loadAgent();
    return await startAgent(state, {
      home: resolveHome({ ...state, option: invocation.option(homeOption) }),
      port: invocation.option(portOption),
      targets: invocation.option(targetOption),
      keys: invocation.option(keyOption),
      codeFile: invocation.option(codeFileOption),
      isOnce: invocation.option(onceOption),
    });
  },
};

/** Loaded late; and not beside an `await using`, where TypeScript 6.0 forgets to rewrite the path. */
const loadAgent = () => import('../agent/start-agent.ts');
