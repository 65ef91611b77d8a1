// Every command, in the order in which help lists them.

import type { Command } from './command.ts';
import { benchCommand } from './commands/bench.ts';
import { configCheckCommand, configPathCommand, configShowCommand } from './commands/config.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { forgetCommand } from './commands/forget.ts';
import {
  keyDropOldCommand,
  keyImportCommand,
  keyNewCommand,
  keyRotateCommand,
  keyShowCommand,
} from './commands/key.ts';
import { mockCommand } from './commands/mock.ts';
import { openCommand } from './commands/open.ts';
import { PROBE_COMMANDS } from './commands/probe.ts';
import { recordCommand } from './commands/record.ts';
import { reportCommand } from './commands/report.ts';
import { statusCommand } from './commands/status.ts';
import { topCommand } from './commands/top.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';

export const COMMANDS: readonly Command[] = [
  upCommand,
  statusCommand,
  topCommand,
  openCommand,
  benchCommand,
  watchCommand,
  reportCommand,
  ...PROBE_COMMANDS,
  mockCommand,
  demoCommand,
  recordCommand,
  doctorCommand,
  forgetCommand,
  keyNewCommand,
  keyShowCommand,
  keyImportCommand,
  keyRotateCommand,
  keyDropOldCommand,
  configPathCommand,
  configShowCommand,
  configCheckCommand,
];
