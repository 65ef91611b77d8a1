// What is stored with a run, in config.json, reports, pages and the journal, has no key in it: such options are refused.

import { expect, test } from 'vitest';
import { CommandError } from '../../../src/cli/command-error.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';

const COMMANDS = await allCommands();
const SECRET = 'abc-value-0123456789';

const OPTIONS: readonly (readonly [option: string, value: string])[] = [
  ['--body', `{"api_key":"${SECRET}"}`],
  ['--body', `{"extra":{"authToken":"${SECRET}"}}`],
  ['--body', `{"credentials":{"user":"${SECRET}"}}`],
  ['--body', `{"metadata":{"note":"sk-${SECRET}"}}`],
  ['--body', `{"hook":"https://me:${SECRET}@host/"}`],
  ['--tag', `api_key=${SECRET}`],
  ['--tag', `hook=https://me:${SECRET}@host/`],
  ['--name', `sk-${SECRET}`],
];

test.each(
  ['bench', 'sweep', 'line'].flatMap(command => OPTIONS.map(([option, value]) => [command, option, value])),
)('%s refuses %s %s, without repeating the secret', (command = '', option = '', value = '') => {
  const refused = refusalOf([command, 'http://127.0.0.1:8000', option, value]);
  expect(refused).toContain('looks like a secret');
  expect(refused).toContain('--header-file FILE');
  expect(refused).not.toContain(SECRET);
});

test('what is no JSON is not repeated either', () => {
  expect(refusalOf(['bench', 'http://127.0.0.1:8000', '--body', `{"api_key":"${SECRET}"`])).not.toContain(
    SECRET,
  );
});

const refusalOf = (args: readonly string[]): string => {
  try {
    const line = parseCommandLine(args, COMMANDS);
    return `${line.kind} was taken`;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    expect(error.exitCode).toBe(EXIT_CODES.usage.code);
    return error.message;
  }
};
