// Every command, in the order in which help lists them.

import type { Command } from './command.ts';
import { configCheckCommand, configPathCommand, configShowCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { openCommand } from './commands/open.ts';
import { reportCommand } from './commands/report.ts';
import { statusCommand } from './commands/status.ts';
import { upCommand } from './commands/up.ts';

export const COMMANDS: readonly Command[] = [
  upCommand,
  statusCommand,
  openCommand,
  reportCommand,
  doctorCommand,
  configPathCommand,
  configShowCommand,
  configCheckCommand,
];
