// `plimsoll headroom MODEL`: whether a model fits, what the measured machines should do with it, and what limits them.

import { resolve } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { parseBytes } from '../../core/figure/parse-figure.ts';
import type { CacheType } from '../../core/model/cache-bytes.ts';
import { clusterHeadroom } from '../../core/model/cluster-headroom.ts';
import { deviceClass, ENGINES } from '../../core/model/engine-constants.ts';
import { type Headroom, headroom } from '../../core/model/headroom.ts';
import type { HeadroomDevice, HeadroomQuestion } from '../../core/model/headroom-devices.ts';
import { headroomDocument } from '../../core/model/headroom-document.ts';
import type { ModelFacts } from '../../core/model/model-facts.ts';
import { choice, nonEmpty, value } from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { unknown } from '../../core/unknown.ts';
import { ModelError } from '../../model/byte-source.ts';
import { hubFolder } from '../../model/hub-cache.ts';
import { readModelAt } from '../../model/read-model.ts';
import { headroomLines } from '../../render/headroom-text.ts';
import { clusterNow } from '../cluster-stream.ts';
import { type Command, homeOption, type Invocation, jsonOption, OR_NAMED } from '../command.ts';
import { endedBy } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { nodesOption, requestedNodes } from '../nodes-option.ts';
import type { ProcessState } from '../process-state.ts';

const CACHE_NAMES: readonly CacheType[] = ['f16', 'bf16', 'f32', 'fp8', 'q8_0', 'q4_0'];

const contextOption = value({
  name: 'context',
  valueName: 'N',
  meaning: 'Tokens of context of each sequence. Default: 4096.',
  parse: wholeNumberFrom(1, 100_000_000),
});
const batchOption = value({
  name: 'batch',
  valueName: 'B',
  meaning: 'Sequences at once. Default: 1.',
  parse: wholeNumberFrom(1, 100_000),
});
const outputOption = value({
  name: 'output',
  valueName: 'N',
  meaning: 'Tokens of output of each request, where several are served in turn. Default: 256.',
  parse: wholeNumberFrom(1, 100_000_000),
});
const servedOption = value({
  name: 'served',
  valueName: 'NAME',
  meaning: 'Which model of a server that has several.',
  parse: nonEmpty,
});
const engineOption = choice({
  name: 'engine',
  valueName: 'NAME',
  meaning:
    'llama.cpp, mlx, vllm, sglang or other. Default: that of the server, llama.cpp for a .gguf file, else other.',
  choices: ENGINES,
});
const cacheOption = choice({
  name: 'cache-type',
  valueName: 'TYPE',
  meaning: 'Type of the numbers in the cache: f16, bf16, f32, fp8, q8_0 or q4_0. Default: f16.',
  choices: CACHE_NAMES,
});
const bandwidthOption = value({
  name: 'bandwidth',
  valueName: 'SIZE',
  meaning: 'Bytes a second of a machine that is not here, by its data sheet: 273GB. No daemon is used.',
  parse: parseBytes,
});
const memoryOption = value({
  name: 'memory',
  valueName: 'SIZE',
  meaning: 'With --bandwidth: its memory.',
  parse: parseBytes,
});
const teraflopsOption = value({
  name: 'tflops',
  valueName: 'N',
  meaning: 'With --bandwidth: its dense 16-bit TFLOP/s.',
  parse: wholeNumberFrom(1, 100_000),
});
const deviceOption = value({
  name: 'device',
  valueName: 'NAME',
  meaning: 'With --bandwidth: its name, which decides the constants: "Apple M4 Max".',
  parse: nonEmpty,
});

export const headroomCommand: Command = {
  name: 'headroom',
  summary: 'What a model should do on the measured machines',
  description:
    'MODEL is a .gguf file, a folder with config.json (and safetensors), the URL of a .gguf file, of which only the header is fetched, or the URL of a server (Ollama, llama.cpp, vLLM, SGLang). The bound follows from measured ceilings alone; the expectation from constants of engines, with their error.',
  arguments: [
    {
      name: 'MODEL',
      meaning: `The file, folder or URL of a model, or of its server. ${OR_NAMED}`,
      isRequired: true,
      target: 'also',
    },
  ],
  options: [
    contextOption,
    batchOption,
    outputOption,
    servedOption,
    engineOption,
    cacheOption,
    nodesOption,
    bandwidthOption,
    memoryOption,
    teraflopsOption,
    deviceOption,
    homeOption,
    jsonOption,
  ],
  prints: ['headroom'],
  examples: [
    {
      line: 'plimsoll headroom ~/models/qwen3-30b-a3b-q4_k_m.gguf',
      meaning: 'on every node that was measured',
    },
    {
      line: 'plimsoll headroom ./Qwen3-32B --context 32768 --batch 8',
      meaning: 'a folder with config.json and safetensors',
    },
    {
      line: 'plimsoll headroom model.gguf --bandwidth 273GB --memory 128GB --device GB10',
      meaning: 'on a machine that is not here',
    },
  ],
  run: async (invocation, state) => {
    const [path = ''] = invocation.arguments;
    const isRemote = /^https?:\/\//i.test(path);
    const { facts: model, engine } = await readModelAt(isRemote ? path : resolve(state.cwd, path), {
      served: invocation.option(servedOption),
      hub: hubFolder(state.env),
      signal: state.stop,
    }).catch((error: unknown) => {
      throw error instanceof ModelError ? endedBy('benchInput', error) : error;
    });
    const question = {
      engine: invocation.option(engineOption) ?? engine,
      contextTokens: invocation.option(contextOption) ?? CONTEXT_TOKENS,
      outputTokens: invocation.option(outputOption) ?? OUTPUT_TOKENS,
      batch: invocation.option(batchOption) ?? 1,
      cacheType: invocation.option(cacheOption) ?? 'f16',
    } as const;
    const onPaper = statedDevice(invocation);
    const answer =
      onPaper === undefined
        ? await onCluster(invocation, state, { model, question })
        : headroom(model, [onPaper], question);
    await state.stdout.write(
      invocation.option(jsonOption)
        ? jsonLines(headroomDocument(answer))
        : `${headroomLines(answer)
            .map(text => showable(text))
            .join('\n')}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

/** The machine that the command line describes. */
const statedDevice = (invocation: Invocation): HeadroomDevice | undefined => {
  const bytesPerSecond = invocation.option(bandwidthOption);
  const teraflops = invocation.option(teraflopsOption);
  const deviceName = invocation.option(deviceOption) ?? 'by its data sheet';
  if (bytesPerSecond === undefined) return undefined;
  return {
    name: 'this machine on paper',
    nodeId: undefined,
    deviceId: 'on-paper',
    deviceName,
    deviceClass: deviceClass(deviceName),
    ceiling: {
      bytesPerSecond,
      operationsPerSecond: teraflops === undefined ? undefined : teraflops * 1e12,
      isMeasured: false,
    },
    memoryBytes: invocation.option(memoryOption) ?? unknown('--memory was not given'),
  };
};

/** On the machines that the daemon sees. */
const onCluster = async (
  invocation: Invocation,
  state: ProcessState,
  request: { readonly model: ModelFacts; readonly question: HeadroomQuestion },
): Promise<Headroom> => {
  const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
  const moment = await clusterNow(client, systemClock, signal);
  return clusterHeadroom(moment.state, systemClock.nowMs(), {
    ...request,
    nodes: requestedNodes(invocation, moment.state),
  });
};

const CONTEXT_TOKENS = 4_096;
const OUTPUT_TOKENS = 256;
const ANSWER_MS = 10_000;
