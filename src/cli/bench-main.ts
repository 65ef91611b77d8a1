// The entry of `plimsoll bench`, packed apart from all other commands: every run loads it, from few files.

import { benchCommand } from './commands/bench.ts';
import { readProcessState } from './process-state.ts';
import { runCommand } from './run-command.ts';

const state = readProcessState();
void runCommand([benchCommand], state).then(code => state.exit(code));
