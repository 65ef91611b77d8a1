// `plimsoll completion SHELL` and `plimsoll man`: completion scripts and a manual page, derived from the commands themselves.

import { resolveHome } from '../../config/home.ts';
import { type Command, homeOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { bashCompletion } from '../completion/bash-completion.ts';
import { fishCompletion } from '../completion/fish-completion.ts';
import { manPage } from '../completion/man-page.ts';
import { zshCompletion } from '../completion/zsh-completion.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** @param load every command: given, because this file is one of those that the table of commands loads. */
export const completionCommand = (load: () => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'In place of a URL, the script offers the servers of models that the daemon of this machine sees, by the names of their nodes and engines.',
  arguments: [{ name: 'bash|zsh|fish', meaning: 'The shell.', isRequired: true }],
  options: [homeOption],
  examples: [
    { line: 'source <(plimsoll completion bash)', meaning: 'in ~/.bashrc' },
    { line: 'source <(plimsoll completion zsh)', meaning: 'in ~/.zshrc, after compinit' },
    {
      line: 'plimsoll completion fish > ~/.config/fish/completions/plimsoll.fish',
      meaning: 'once, for fish',
    },
  ],
  run: async ({ arguments: [shell = ''], option }, state) => {
    if (shell === TARGETS) {
      const { targetWords } = await import('../target/target-words.ts');
      await state.stdout.write(
        await targetWords(resolveHome({ ...state, option: option(homeOption) }), state),
      );
      return EXIT_CODES.ok.code;
    }
    const complete = SHELLS.get(shell);
    if (complete === undefined)
      throw new CommandError(
        'usage',
        `${JSON.stringify(shell)} is not a known shell`,
        `Known: ${[...SHELLS.keys()].join(', ')}.`,
      );
    await state.stdout.write(complete(await load()));
    return EXIT_CODES.ok.code;
  },
});

export const manCommand = (load: () => Promise<readonly Command[]>): Command => ({
  name: 'man',
  summary: 'Print the manual as a page for man',
  description: '',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll man | man -l -', meaning: 'reads it' }],
  run: async (_, state) => {
    await state.stdout.write(manPage(await load(), state));
    return EXIT_CODES.ok.code;
  },
});

/** Not of a shell: what the scripts call for the names of servers. */
const TARGETS = 'targets';

const SHELLS: ReadonlyMap<string, (commands: readonly Command[]) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);
