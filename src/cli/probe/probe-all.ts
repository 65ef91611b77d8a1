// `plimsoll probe all`: asks the daemon, and through it every node, to measure everything now.

import { resolveHome } from '../../config/home.ts';
import { counted } from '../../core/figure/figure.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { probesAnswerSchema } from '../../wire/api/probe-answers.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { knownNodes } from '../known-nodes.ts';

export const probeAllCommand: Command = {
  name: 'probe all',
  summary: 'Measure all devices and connections of all linked nodes now',
  description:
    'Each daemon measures one thing per interface at a time; measurements held back by a runner or a busy interface are listed. A node known only through others is listed but not measured: run this there. The figures appear on the dashboard.',
  arguments: [],
  options: [homeOption, jsonOption],
  examples: [{ line: 'plimsoll probe all', meaning: 'after a cable was changed' }],
  run: async (invocation, state) => {
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await client.answer(probesAnswerSchema, '/api/probes', signal, 'POST', { subject: 'all' });
    const { probes, unreached } = answer;
    if (invocation.option(jsonOption)) {
      await state.stdout.write(jsonLines(answer));
    } else {
      const nodes = new Set(probes.map(({ node }) => node));
      const started = probes.filter(({ result }) => result === 'started').length;
      const queued = probes.filter(({ result }) => result === 'queued').length;
      await state.stdout.write(`${started} started, ${queued} wait, on ${counted(nodes.size, 'node')}.\n`);
      const refusals = probes.filter(({ result }) => result === 'refused').map(({ reason }) => reason);
      for (const reason of new Set(refusals)) await state.stdout.write(`Refused: ${showable(reason)}\n`);
      const known = await knownNodes(client, signal);
      for (const { node, reason } of unreached) {
        const name = known.find(({ nodeId }) => nodeId === node)?.name ?? node;
        await state.stdout.write(`${showable(`${name} was not measured: ${reason}`)}\n`);
      }
    }
    const isTaken = probes.some(({ result }) => result !== 'refused');
    return isTaken && unreached.length === 0 ? EXIT_CODES.ok.code : EXIT_CODES.probeFailed.code;
  },
};

const ANSWER_MS = 10_000;
