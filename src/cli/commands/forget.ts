// `plimsoll forget NODE`: takes a machine that is gone for good out of the picture, on every node.

import * as v from 'valibot';
import { resolveHome } from '../../config/home.ts';
import type { Command } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon, noAnswer } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { homeOption } from '../options.ts';

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'Hide a node that is gone, on every node',
  description: 'What it wrote stays in the journals. A forgotten node that speaks again is shown again.',
  arguments: [{ name: 'NODE', meaning: 'Its name, its id, or the beginning of its id.', isRequired: true }],
  options: [homeOption],
  examples: [{ line: 'plimsoll forget spark', meaning: 'the machine that was sold' }],
  run: async (invocation, state) => {
    const asked = invocation.arguments[0] ?? '';
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const answer = v.safeParse(NODES_ANSWER, await client.json('/api/nodes', signal));
    if (!answer.success) throw noAnswer(client.file, 'it tells no nodes', undefined);
    const meant = answer.output.nodes.filter(
      ({ nodeId, name }) => name === asked || nodeId.startsWith(asked),
    );
    const [node] = meant;
    if (node === undefined || asked === '') {
      const names = answer.output.nodes.map(({ name }) => name).join(', ');
      throw new CommandError('usage', `no node is called ${JSON.stringify(asked)}`, `There are: ${names}.`);
    }
    if (meant.length > 1) {
      const ids = meant.map(({ nodeId }) => nodeId).join(', ');
      throw new CommandError(
        'usage',
        `${meant.length} nodes are called ${JSON.stringify(asked)}`,
        `Give the id: ${ids}.`,
      );
    }
    await client.json(`/api/nodes/${node.nodeId}/forget`, signal, 'POST');
    await state.stdout.write(`${node.name} (${node.nodeId}) is hidden until it speaks again.\n`);
    return EXIT_CODES.ok.code;
  },
};

const NODES_ANSWER = v.object({ nodes: v.array(v.object({ nodeId: v.string(), name: v.string() })) });
const ANSWER_MS = 5_000;
