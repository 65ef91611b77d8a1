// `plimsoll probe …`: measures now, without a daemon. One file a subcommand in cli/probe/.

import type { Command } from '../command.ts';
import { probeAllCommand } from '../probe/probe-all.ts';
import { probeGpuCommand, probeMemoryCommand } from '../probe/probe-devices.ts';
import { probeLinkCommand } from '../probe/probe-link.ts';
import { probeServeCommand } from '../probe/probe-serve.ts';

/** In the order in which help lists them. */
export const PROBE_COMMANDS: readonly Command[] = [
  probeLinkCommand,
  probeServeCommand,
  probeGpuCommand,
  probeMemoryCommand,
  probeAllCommand,
];
