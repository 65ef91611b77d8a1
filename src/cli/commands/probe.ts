// `plimsoll probe …`: measures now, without a daemon. One file a subcommand in cli/probe/.

import type { Command } from '../command.ts';
import { probeGpuCommand } from '../probe/probe-gpu.ts';
import { probeMemoryCommand } from '../probe/probe-memory.ts';

/** In the order in which help lists them. */
export const PROBE_COMMANDS: readonly Command[] = [probeGpuCommand, probeMemoryCommand];
