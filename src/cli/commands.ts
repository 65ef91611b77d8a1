// Every command, in the order in which help lists them.

import type { Command } from './command.ts';
import { benchCommand } from './commands/bench.ts';
import { configCheckCommand, configPathCommand, configShowCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { forgetCommand } from './commands/forget.ts';
import { keyImportCommand, keyNewCommand, keyShowCommand } from './commands/key.ts';
import { mockCommand } from './commands/mock.ts';
import { openCommand } from './commands/open.ts';
import { PROBE_COMMANDS } from './commands/probe.ts';
import { reportCommand } from './commands/report.ts';
import { statusCommand } from './commands/status.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';

export const COMMANDS: readonly Command[] = [
  upCommand,
  statusCommand,
  openCommand,
  benchCommand,
  watchCommand,
  reportCommand,
  ...PROBE_COMMANDS,
  mockCommand,
  doctorCommand,
  forgetCommand,
  keyNewCommand,
  keyShowCommand,
  keyImportCommand,
  configPathCommand,
  configShowCommand,
  configCheckCommand,
];
