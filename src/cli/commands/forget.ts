// `plimsoll forget NODE`: takes a machine that is gone for good out of the picture, on every node.

import { resolveHome } from '../../config/home.ts';
import type { Command } from '../command.ts';
import { homeOption } from '../command.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { knownNodes, nodeCalled } from '../known-nodes.ts';

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'Hide a node that is gone, on every node',
  description: 'What it wrote stays in the journals. A forgotten node that speaks again is shown again.',
  arguments: [
    { name: 'NODE', meaning: 'Its name, its id, or the first characters of its id.', isRequired: true },
  ],
  options: [homeOption],
  examples: [{ line: 'plimsoll forget spark', meaning: 'a machine you no longer have' }],
  run: async (invocation, state) => {
    const asked = invocation.arguments[0] ?? '';
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const node = nodeCalled(asked, await knownNodes(client, signal));
    await client.json(`/api/nodes/${node.nodeId}/forget`, signal, 'POST');
    await state.stdout.write(`${node.name} (${node.nodeId}) is hidden until it speaks again.\n`);
    return EXIT_CODES.ok.code;
  },
};

const ANSWER_MS = 5_000;
