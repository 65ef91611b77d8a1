// `plimsoll wire`: the settings with which an engine uses the fast links, and what is wrong with them.

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import type { NodeId } from '../../core/ids.ts';
import { clusterHeadroom } from '../../core/model/cluster-headroom.ts';
import { ENGINES } from '../../core/model/engine-constants.ts';
import type { Headroom } from '../../core/model/headroom.ts';
import { headroomDocument } from '../../core/model/headroom-document.ts';
import { choice, excludes, nonEmpty, value } from '../../core/option/option.ts';
import type { State } from '../../core/state.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { enginePlan } from '../../core/wiring/engine-plan.ts';
import { WIRED_NODES_MAX, wiredCluster } from '../../core/wiring/wired-cluster.ts';
import { WIRING_ENGINES, WIRING_SCHEMA, type WiringPlan } from '../../core/wiring/wiring-plan.ts';
import { ModelError } from '../../model/byte-source.ts';
import { hubFolder } from '../../model/hub-cache.ts';
import { readModelAt } from '../../model/read-model.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { headroomLines } from '../../render/headroom-text.ts';
import { wiringLines } from '../../render/wiring-text.ts';
import { clusterNow } from '../cluster-stream.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { nodesOption, requestedNodes } from '../nodes-option.ts';
import type { ProcessState } from '../process-state.ts';
import { writeExport } from '../report/write-export.ts';

const forOption = choice({
  name: 'for',
  meaning: `The engine: ${WIRING_ENGINES.join(', ')}.`,
  valueName: 'ENGINE',
  choices: WIRING_ENGINES,
});
const modelOption = value({
  name: 'model',
  valueName: 'ID',
  meaning:
    'The model in the commands. Its placement is added if ID is a file, a folder or a server that headroom reads.',
  parse: nonEmpty,
});
const outOption = value({
  name: 'out',
  isOfOneCall: true,
  valueName: 'DIR',
  rules: [excludes(['json'], { advice: 'The JSON contains the files.' })],
  meaning: 'Write the files into this folder rather than print them.',
  parse: nonEmpty,
});

export const wireCommand: Command = {
  name: 'wire',
  summary: 'Settings with which an engine uses the fast links',
  description:
    'From what probes measured: interfaces and adapters, host files, start commands for each node, and what is wrong with the links. Nothing is changed on any machine.',
  arguments: [],
  options: [forOption, nodesOption, modelOption, outOption, homeOption, jsonOption],
  prints: ['wire'],
  examples: [
    { line: 'plimsoll wire --for nccl', meaning: 'the environment of each node' },
    { line: 'plimsoll wire --for mlx --nodes mike,james --out hosts', meaning: 'host files in a folder' },
    { line: 'plimsoll wire --for llama.cpp --model model.gguf', meaning: 'with the placement of a model' },
  ],
  run: async (invocation, state) => {
    const engine = invocation.option(forOption);
    if (engine === undefined)
      throw usage('--for is missing', `Name the engine: --for ${WIRING_ENGINES.join('|')}`);
    const client = await findDaemon(resolveHome({ ...state, option: invocation.option(homeOption) }), state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const { state: cluster } = await clusterNow(client, systemClock, signal);
    const nowMs = systemClock.nowMs();
    const nodes = requestedNodes(invocation, cluster);
    const wired = wiredCluster(cluster, nowMs, nodes);
    if (wired.nodes.length > WIRED_NODES_MAX)
      throw usage(
        `${wired.nodes.length} nodes are too many for one job: at most ${WIRED_NODES_MAX}`,
        'Choose those of the job: --nodes A,B',
      );
    const model = invocation.option(modelOption);
    const plan = enginePlan(wired, engine, model);
    const headroom =
      model === undefined
        ? undefined
        : await placementOf(model, {
            state,
            cluster,
            nowMs,
            engine,
            nodes: plan.nodes.map(node => node.nodeId),
          });
    const shown = isUnknown(headroom)
      ? { ...plan, notes: [...plan.notes, `The placement of ${model} is unknown: ${headroom.reason}`] }
      : plan;
    const placed = isUnknown(headroom) ? undefined : headroom;
    if (invocation.option(jsonOption)) {
      const placement = placed === undefined ? {} : { headroom: headroomDocument(placed) };
      await state.stdout.write(jsonLines({ schema: WIRING_SCHEMA, ...shown, ...placement }));
      return EXIT_CODES.ok.code;
    }
    const out = invocation.option(outOption);
    const columns = state.stdout.isTerminal ? state.stdout.columns : Number.POSITIVE_INFINITY;
    const lines = [
      ...wiringLines(out === undefined ? shown : { ...shown, files: [] }, columns),
      ...(placed === undefined ? [] : ['', 'Placement:', ...headroomLines(placed)]),
    ];
    await state.stdout.write(`${lines.map(text => showable(text)).join('\n')}\n`);
    if (out !== undefined) await writeFiles(out, plan, state);
    return EXIT_CODES.ok.code;
  },
};

/** Unknown for a model that only the engine can find, such as an id of a hub. */
const placementOf = async (
  model: string,
  {
    state,
    cluster,
    nowMs,
    engine,
    nodes,
  }: {
    readonly state: ProcessState;
    readonly cluster: State;
    readonly nowMs: number;
    readonly engine: WiringPlan['engine'];
    readonly nodes: readonly NodeId[];
  },
): Promise<Headroom | Unknown> => {
  const isRemote = /^https?:\/\//i.test(model);
  const read = await readModelAt(isRemote ? model : resolve(state.cwd, model), {
    served: undefined,
    hub: hubFolder(state.env),
    signal: state.stop,
  }).catch((error: unknown) => {
    if (error instanceof ModelError) return unknown(error.problem.problem);
    throw error;
  });
  if (isUnknown(read)) return read;
  return clusterHeadroom(cluster, nowMs, {
    model: read.facts,
    question: {
      engine: ENGINES.find(one => one === engine) ?? 'other',
      contextTokens: CONTEXT_TOKENS,
      outputTokens: OUTPUT_TOKENS,
      batch: 1,
      cacheType: 'f16',
    },
    nodes,
  });
};

const writeFiles = async (folder: string, { files }: WiringPlan, state: ProcessState): Promise<void> => {
  const path = resolve(state.cwd, folder);
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new CommandError(
      'failure',
      `${path} cannot be created: ${diskReason(error)}`,
      'Choose a folder that you can write to: --out DIR',
      { cause: error },
    );
  }
  for (const { name, text } of files)
    await state.stdout.write(await writeExport({ file: join(path, name), text: async () => text }, state));
};

/** As `headroom` has them by default. */
const CONTEXT_TOKENS = 4_096;
const OUTPUT_TOKENS = 256;
const ANSWER_MS = 10_000;
