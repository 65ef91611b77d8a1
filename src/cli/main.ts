// The entry of the command `plimsoll`.

import { commandsFor } from './commands.ts';
import { readProcessState } from './process-state.ts';
import { runCommand } from './run-command.ts';

const state = readProcessState();
state.exit(await runCommand(await commandsFor(state.args), state));
