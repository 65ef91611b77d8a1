// `plimsoll watch [RUN]`: a run that goes on in another terminal, or the report of one that has ended.

import { resolveHome } from '../../config/home.ts';
import { type Command, homeOption } from '../command.ts';

export const watchCommand: Command = {
  name: 'watch',
  summary: 'Watch a benchmark that runs in another terminal',
  description: 'Without RUN: the newest. After it has ended, its report is shown.',
  arguments: [{ name: 'RUN', meaning: "The run's id, or its directory.", isRequired: false }],
  options: [homeOption],
  examples: [
    { line: 'plimsoll watch', meaning: 'the run in progress' },
    { line: 'plimsoll watch 20261120-120501-3f2a', meaning: 'this one' },
    { line: 'plimsoll watch ./results', meaning: 'the one that was started with --out ./results' },
  ],
  run: async (invocation, state) => {
    const { watchRun } = await loadWatch();
    return await watchRun(state, {
      home: resolveHome({ ...state, option: invocation.option(homeOption) }),
      run: invocation.arguments[0],
    });
  },
};

/** Loaded late, because it brings ZeroMQ along. */
const loadWatch = () => import('../bench/watch-run.ts');
