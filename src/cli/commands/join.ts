// `plimsoll join CODE` and `plimsoll leave`: this machine into a cluster and out of it, while its daemon runs.

import { joinedAnswerSchema, leftAnswerSchema } from '../../wire/api/daemon-answers.ts';
import { type Command, homeOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { requestMembership } from '../request-membership.ts';
import { homePath } from './key-home.ts';

export const joinCommand: Command = {
  name: 'join',
  summary: 'Join the cluster of another machine, without a restart',
  description:
    'The daemon of this home requests the cluster key from the machine that gave the code, writes it to <home>/cluster-key\nand connects. A code works once, within ten minutes.',
  arguments: [
    {
      name: 'CODE',
      meaning: 'As `plimsoll key show --join` prints it on a machine of the cluster; - for standard input.',
      isRequired: true,
    },
  ],
  options: [homeOption],
  examples: [
    {
      line: 'plimsoll join plimsoll-join-1-4fgqzrwx-a6nvtmye-kc7h2bdp-su3iwoqa@192.168.1.20:4181',
      meaning: 'on the machine that joins',
    },
  ],
  run: async (invocation, state) => {
    const [given = '-'] = invocation.arguments;
    const code = given === '-' ? await state.readInput(INPUT_BYTES_MAX) : given;
    if (code.trim() === '' || code.length > INPUT_BYTES_MAX)
      throw new CommandError(
        'usage',
        code.trim() === '' ? 'there is no code' : 'that is much too long for a code',
        'On a machine of the cluster run: plimsoll key show --join',
      );
    const client = await findDaemon(homePath(invocation, state), state);
    const body = { code: lastWord(code) };
    const { keyId, address } = await requestMembership(state, JOIN_MS, signal =>
      client.answer(joinedAnswerSchema, '/api/mesh/join', signal, 'POST', body),
    );
    await state.stdout.write(
      `Joined cluster ${keyId} through ${address}.\nSee its machines with: plimsoll status\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

export const leaveCommand: Command = {
  name: 'leave',
  summary: 'Leave the cluster, without a restart',
  description:
    'Deletes the cluster key of the home and closes every link. What this node has stored about the others stays in its\njournal, and they keep what they have stored about it: plimsoll forget NODE hides it there.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll leave', meaning: 'on the machine that leaves' }],
  run: async (invocation, state) => {
    const client = await findDaemon(homePath(invocation, state), state);
    const { keyId } = await requestMembership(state, LEAVE_MS, signal =>
      client.answer(leftAnswerSchema, '/api/mesh/leave', signal, 'POST'),
    );
    await state.stdout.write(
      `Left ${keyId === '' ? 'the cluster' : `cluster ${keyId}`}. Anyone with a copy of its key is still a member: run plimsoll key rotate on a machine that stays.\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

/** The code itself, also where the whole line of the other machine was copied. */
const lastWord = (text: string): string => text.trim().split(/\s+/).at(-1) ?? '';

const INPUT_BYTES_MAX = 1_000;
/** Six addresses, 8 s each, and the first link. */
const JOIN_MS = 60_000;
const LEAVE_MS = 15_000;
