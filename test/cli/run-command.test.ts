import { expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { CommandError } from '../../src/cli/command-error.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

const failing: Command = {
  name: 'try',
  summary: 'Fail',
  description: '',
  arguments: [],
  options: [],
  examples: [],
  run: () =>
    Promise.reject(new CommandError('usage', 'no node is called "x"', 'There are: \u001b[31mjuno\u0007.')),
};

test('names from other machines reach the terminal as text only, also in an error', async () => {
  const { state, stderr } = madeUpProcess(['try']);
  expect(await runCommand([failing], state)).toBe(EXIT_CODES.usage.code);
  expect(stderr.text).toBe('plimsoll: no node is called "x"\nThere are: [31mjuno.\n');
});
