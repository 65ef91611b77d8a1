// `plimsoll probe all`: asks the daemon, and through it every node, to measure everything now.

import * as v from 'valibot';
import { resolveHome } from '../../config/home.ts';
import { printable } from '../../tui/part.ts';
import type { Command } from '../command.ts';
import { findDaemon, noAnswer } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { homeOption, jsonOption } from '../options.ts';
import { askedSchema, nodesSchema } from './probed-link.ts';

export const probeAllCommand: Command = {
  name: 'probe all',
  summary: 'Have every linked node measure its devices and connections now',
  description:
    'The daemons measure one thing an interface at a time; what a runner or a busy interface holds back says so. A node that is heard through others only is named and not asked: ask there. The figures appear on the dashboard.',
  arguments: [],
  options: [homeOption, jsonOption],
  examples: [{ line: 'plimsoll probe all', meaning: 'after a cable was changed' }],
  run: async (invocation, state) => {
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const answer = v.safeParse(
      askedSchema,
      await client.json('/api/probes', signal, 'POST', { subject: 'all' }),
    );
    if (!answer.success) throw noAnswer(client.file, 'its answer is not understood', undefined);
    const { probes, unreached } = answer.output;
    if (invocation.option(jsonOption)) {
      await state.stdout.write(`${JSON.stringify(answer.output, undefined, 2)}\n`);
    } else {
      const nodes = new Set(probes.map(({ node }) => node));
      const started = probes.filter(({ result }) => result === 'started').length;
      const queued = probes.filter(({ result }) => result === 'queued').length;
      await state.stdout.write(
        `${started} started, ${queued} wait, on ${nodes.size} ${nodes.size === 1 ? 'node' : 'nodes'}.\n`,
      );
      const refusals = probes.filter(({ result }) => result === 'refused').map(({ reason }) => reason);
      for (const reason of new Set(refusals)) await state.stdout.write(`Refused: ${printable(reason)}\n`);
      const known = v.safeParse(nodesSchema, await client.json('/api/nodes', signal));
      const nameOf = (id: string): string =>
        (known.success ? known.output.nodes.find(({ nodeId }) => nodeId === id)?.name : undefined) ?? id;
      for (const { node, reason } of unreached)
        await state.stdout.write(`${printable(`${nameOf(node)} was not asked: ${reason}`)}\n`);
    }
    const isTaken = probes.some(({ result }) => result !== 'refused');
    return isTaken && unreached.length === 0 ? EXIT_CODES.ok.code : EXIT_CODES.probeFailed.code;
  },
};

const ANSWER_MS = 10_000;
