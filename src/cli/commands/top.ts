// `plimsoll top`: machines, links, benchmarks and what needs a look, live on one screen.

import { resolveHome } from '../../config/home.ts';
import { ServingWatch } from '../../core/engine/second-node.ts';
import { topFrame } from '../../tui/top-pages.ts';
import { firstTopView, type TopRows, topAfter } from '../../tui/top-view.ts';
import { type Command, homeOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { SCOPE_OPTIONS, scopeOf } from '../group-options.ts';
import { watchCluster } from '../watch-cluster.ts';

export const topCommand: Command = {
  name: 'top',
  summary: 'Watch the cluster live: machines, links, benchmarks, warnings',
  description:
    'Updates in place twice a second until q or Ctrl-C; ? shows the keys. For a single view or scripts: plimsoll status.',
  arguments: [],
  options: [homeOption, ...SCOPE_OPTIONS],
  examples: [
    { line: 'plimsoll top', meaning: 'the whole cluster on one screen' },
    { line: 'plimsoll top --group rack', meaning: 'one row a rack' },
    { line: 'plimsoll top --rack r07', meaning: 'the nodes of one rack' },
  ],
  run: async (invocation, state) => {
    if (!state.stdout.isTerminal) {
      throw new CommandError('usage', 'top needs a terminal', 'For scripts: plimsoll status --json');
    }
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const scope = scopeOf(invocation);
    const serving = new ServingWatch();
    let view = firstTopView(scope.by);
    let rows: TopRows = { count: 0, nodes: [], room: 1 };
    return await watchCluster(
      home,
      state,
      (cluster, nowMs, reported, options) => {
        const frame = topFrame(cluster, nowMs, reported, { ...options, scope, serving, view });
        rows = frame.rows;
        return frame.lines;
      },
      key => {
        const next = topAfter(view, key, rows);
        if (next === 'quit') return 'quit';
        view = next;
        return 'drawn';
      },
    );
  },
};
