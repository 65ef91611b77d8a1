// The kernel's log as systemd's journal keeps it: for a user who may not read /dev/kmsg and is in the journal's group.

import { runTool } from '../../process/child.ts';
import { quietLines } from '../../process/quiet-tool.ts';
import { sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';

/**
 * Every boot begins with lines of the kernel: where the journal shows none, it hides them or does not take them, and following it
 * would look like a machine without errors.
 * @throws where it is so, with why and what to do.
 */
export const needJournal = async (
  { env, timeouts }: Pick<MachineAccess, 'env' | 'timeouts'>,
  signal: AbortSignal,
): Promise<void> => {
  const options = { env, signal, timeoutMs: timeouts.toolMs, outputBytesMax: LINE_BYTES_MAX };
  const result = await runTool('journalctl', [...KERNEL, '--lines=1'], options);
  if (result.kind === 'exited' && result.code === 0 && result.stdout.startsWith('{')) return;
  const why =
    result.kind === 'missing'
      ? 'there is no journalctl'
      : result.kind === 'exited'
        ? "systemd's journal shows this user nothing of the kernel"
        : result.reason;
  throw sourceFailed(
    `the kernel keeps its log for root (kernel.dmesg_restrict), and ${why}: ${WHAT_TO_DO}`,
    'permission',
  );
};

/** What it holds of the driver's errors since the machine started, then each as it comes. */
export const journalLines = (
  { env }: Pick<MachineAccess, 'env'>,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> =>
  quietLines(['journalctl', ...KERNEL, '--follow', '--no-tail', `--grep=${LOGGED_BY_GPUS}`], {
    env,
    signal,
    lineBytesMax: LINE_BYTES_MAX,
    linesPerSecondMax: LINES_PER_SECOND_MAX,
  });

/** Of the lines that parse-xid.ts reads, and few others: journalctl takes a Perl expression. */
const LOGGED_BY_GPUS =
  '^(NVRM: Xid|nvidia-nvswitch[0-9]+: SXid|(amdgpu|i915|xe) [0-9a-f]{4}.*(reset|GPU HANG|wedged|lost from bus))';
const KERNEL = [
  '--dmesg',
  '--output=json',
  '--output-fields=MESSAGE,_SOURCE_MONOTONIC_TIMESTAMP',
  '--quiet',
  '--no-pager',
];
const WHAT_TO_DO = "add the daemon's user to the group systemd-journal, or set kernel.dmesg_restrict=0";
const LINE_BYTES_MAX = 64 * 1024;
/** A journal of a long boot comes at once: as many records as /dev/kmsg is read in one go. */
const LINES_PER_SECOND_MAX = 20_000;
