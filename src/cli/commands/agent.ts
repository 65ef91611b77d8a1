// `plimsoll agent`: makes this machine load a target for a coordinator elsewhere, without a cluster.

import { keyOfTarget, type TargetKey, targetOrigin } from '../../config/bench-values.ts';
import { resolveHome } from '../../config/home.ts';
import { flag, nonEmpty, type Option, repeated, value } from '../../core/option/option.ts';
import { AGENT_PORT } from '../agent/agent-addresses.ts';
import { type Command, everyAddressOption, homeOption } from '../command.ts';

const portOption = everyAddressOption(AGENT_PORT);

const targetOption: Option<readonly string[]> = repeated<string>({
  name: 'target',
  valueName: 'ORIGIN',
  meaning: 'A target that may be loaded, in addition to [bench] targets in config.toml.',
  parse: targetOrigin,
});

const keyOption: Option<readonly TargetKey[]> = repeated<TargetKey>({
  name: 'key',
  valueName: 'KEY',
  meaning:
    'Where to find the API key of a target: "ORIGIN VARIABLE", or "ORIGIN /path". Never the key itself.',
  parse: keyOfTarget,
});

const onceOption: Option<boolean> = flag(
  'once',
  'Exit after the runs of one coordinator, when the code expires.',
);

const codeFileOption: Option<string | undefined> = value({
  name: 'code-file',
  valueName: 'FILE',
  meaning:
    'Read the code from this file instead of printing one; the code stays valid. For unattended machines.',
  parse: nonEmpty,
});

export const agentCommand: Command = {
  name: 'agent',
  summary: 'Generate load for `plimsoll bench --agents` on another machine',
  description:
    'Prints a code that the coordinator needs, and loads only the targets given here or in config.toml, within the caps\nof [bench] there. One coordinator at a time. A code is valid for the runs of one coordinator, at most a minute apart.',
  arguments: [],
  options: [homeOption, portOption, targetOption, keyOption, codeFileOption, onceOption],
  examples: [
    { line: 'plimsoll agent --target http://10.0.0.7:8000', meaning: 'one target, until Ctrl-C' },
    {
      line: 'plimsoll agent --target https://llm.example.net --key "https://llm.example.net LLM_KEY"',
      meaning: 'with a key from the environment of this machine',
    },
    { line: 'plimsoll agent --port 5000 --once', meaning: 'the targets of config.toml, for one coordinator' },
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

/** Loaded late; not next to an `await using`, where TypeScript 6.0 does not rewrite the path. */
const loadAgent = () => import('../agent/start-agent.ts');
