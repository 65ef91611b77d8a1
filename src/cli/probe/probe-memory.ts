// `plimsoll probe memory`: how fast the processors of this machine, all together, read and copy its memory.

import { figureText, formatBytes, formatBytesPerSecond } from '../../core/figure/figure.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { MemoryBandwidth } from '../../probe/memory-bandwidth/memory-bandwidth.ts';
import { probeMemory } from '../../probe/memory-bandwidth/probe-memory.ts';
import type { Command } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { homeOption, jsonOption } from '../options.ts';
import { machineForProbe } from './machine-for-probe.ts';

export const probeMemoryCommand: Command = {
  name: 'probe memory',
  summary: "Measure the bandwidth of this machine's memory",
  description:
    'All processors read and copy buffers past the last-level cache for a few seconds, at most an eighth of the free memory.',
  arguments: [],
  options: [homeOption, jsonOption],
  examples: [{ line: 'plimsoll probe memory', meaning: 'read and copy, all processors' }],
  run: async (invocation, state) => {
    using _machine = machineForProbe('plimsoll probe memory', invocation.option(homeOption), state);
    const outcome = await probeMemory({ env: state.env, nodePath: state.nodePath, signal: state.stop });
    if (outcome.kind === 'failed') {
      throw new CommandError(
        'probeFailed',
        `memory was not measured: ${outcome.reason}`,
        'Try again when the machine is less busy.',
      );
    }
    const { bandwidth } = outcome;
    await state.stdout.write(
      invocation.option(jsonOption)
        ? `${JSON.stringify(bandwidth, undefined, 2)}\n`
        : `${lines(bandwidth).join('\n')}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

const lines = (bandwidth: MemoryBandwidth): readonly string[] => {
  const { lastLevelCacheBytes: cache, readRounds, copyRounds } = bandwidth;
  return [
    `read   ${rate(bandwidth.readBytesPerSecond)}   (rounds: ${readRounds.map(rate).join(', ')})`,
    `copy   ${rate(bandwidth.copyBytesPerSecond)}   read plus written (rounds: ${copyRounds.map(rate).join(', ')})`,
    `last-level cache   ${isUnknown(cache) ? `unknown: ${cache.reason}` : figureText(formatBytes(cache))}`,
    bandwidth.method,
  ];
};

const rate = (bytesPerSecond: number): string => figureText(formatBytesPerSecond(bytesPerSecond));
