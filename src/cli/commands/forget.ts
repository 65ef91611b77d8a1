// `plimsoll forget NODE`: takes a machine that is gone for good out of the picture, on every node; with a second node, the
// cables that were lost between the two.

import { resolveHome } from '../../config/home.ts';
import { type Command, homeOption } from '../command.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { knownNodes, nodeCalled } from '../known-nodes.ts';

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'Hide a node that is gone, or lost links, on every node',
  description:
    'Its events stay in the journals. A forgotten node or link that returns is shown again. With two nodes, the links that were lost between them are hidden, and the nodes stay.',
  arguments: [
    { name: 'NODE', meaning: 'Its name, its id, or the first characters of its id.', isRequired: true },
    { name: 'OTHER', meaning: 'The other end of links that were lost.', isRequired: false },
  ],
  options: [homeOption],
  examples: [
    { line: 'plimsoll forget spark', meaning: 'a machine you no longer have' },
    { line: 'plimsoll forget atlas juno', meaning: 'a cable that you have removed for good' },
  ],
  run: async (invocation, state) => {
    const requested = invocation.arguments[0] ?? '';
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const nodes = await knownNodes(client, signal);
    const node = nodeCalled(requested, nodes);
    const [, otherRequested] = invocation.arguments;
    if (otherRequested !== undefined) {
      const other = nodeCalled(otherRequested, nodes);
      await client.json(`/api/links/${node.nodeId}/${other.nodeId}/forget`, signal, 'POST');
      await state.stdout.write(
        `Lost links between ${node.name} and ${other.name} are hidden until they return.\n`,
      );
      return EXIT_CODES.ok.code;
    }
    await client.json(`/api/nodes/${node.nodeId}/forget`, signal, 'POST');
    await state.stdout.write(`${node.name} (${node.nodeId}) is hidden until it returns.\n`);
    return EXIT_CODES.ok.code;
  },
};

const ANSWER_MS = 5_000;
