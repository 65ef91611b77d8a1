// Translates the command line of another tool into options of `plimsoll bench`.

import { objectiveNamed } from '../../core/run/objective.ts';

/** The tools whose commands are read, by the first word of the command. */
export const LIKE_TOOLS = [
  'vllm',
  'sglang',
  'aiperf',
  'genai-perf',
  'guidellm',
  'oha',
  'hey',
  'wrk',
  'ab',
  'k6',
  'llama-bench',
] as const;

export type LikeTool = (typeof LIKE_TOOLS)[number];

/** Of another tool's command. */
export interface LikeCommand {
  readonly command: 'bench' | 'sweep';
  readonly url: string;
  /** Name without dashes and value; '' for a flag. In the order of --help. */
  readonly options: readonly (readonly [name: string, value: string])[];
  /** What differs or has no counterpart, a sentence each. */
  readonly notes: readonly string[];
}

/** The same, while it is put together. */
export class LikeBuilder {
  readonly #options: (readonly [string, string])[] = [];
  readonly #notes: string[] = [];
  #command: LikeCommand['command'] = 'bench';

  /** One stage for each of several loads. */
  addLoads(name: 'rates' | 'concurrency', levels: string): void {
    this.#command = 'sweep';
    this.add(name, levels);
  }

  /** Not for what was not given. */
  add(name: string, value: string | number | undefined): void {
    if (value !== undefined) this.#options.push([name, String(value)]);
  }

  /** An objective of each request, as the goodput of other tools names it. */
  addGoal(goal: string): void {
    const objective = goalObjective(goal);
    this.add('slo', objective);
    if (objective === undefined) this.note(`an objective on ${goal.split(':', 1)[0]} does not exist here`);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** @param unread flags without a counterpart here @param harmless those whose absence changes no figure */
  made(url: string, unread: readonly string[], harmless: ReadonlySet<string>): LikeCommand {
    const unknown = unread.filter(flag => !harmless.has(flag.slice(2)));
    const duration = this.#options.find(([name]) => name === 'duration');
    const isSweep = this.#command === 'sweep';
    const isOver = !isSweep && duration !== undefined && this.#options.some(([name]) => name === 'requests');
    const notes = [
      ...this.#notes,
      ...(isOver ? [`one of both ends a run here: for its time give --duration ${duration[1]} instead`] : []),
      ...(isSweep && this.#options.some(([name]) => name === 'requests')
        ? ['the stages of a sweep end after a time: --duration']
        : []),
      ...(unknown.length === 0
        ? []
        : [`left out, with no counterpart here: ${unknown.join(', ')}; see plimsoll bench --help`]),
    ];
    const options = this.#options.filter(
      option => (!isOver || option !== duration) && (!isSweep || option[0] !== 'requests'),
    );
    return { command: this.#command, url, options, notes };
  }
}

/** The shape of gamma distributed gaps; 1, Poisson, is the default here too. */
export const addBurstiness = (made: LikeBuilder, shape: string | undefined): void => {
  made.add('burstiness', shape === undefined || shape === '' || Number(shape) === 1 ? undefined : shape);
};

/** "1024", or "uniform" as other tools write a spread, or a normal distribution. */
export const lengthText = (mean: number | undefined, deviation: number | undefined): string | undefined => {
  if (mean === undefined) return undefined;
  return deviation === undefined || deviation === 0 ? String(mean) : `normal(${mean},${deviation})`;
};

/**
 * "ttft:500", "time_to_first_token:500" as an objective of ours; numbers are milliseconds.
 * @returns undefined for a name that no objective has
 */
export const goalObjective = (goal: string): string | undefined => {
  const [given = '', limit = ''] = goal.split(':');
  const name = objectiveNamed(given.replaceAll('_', '-'));
  return name === undefined ? undefined : `${name}=${/^[\d.]+$/.test(limit) ? `${limit}ms` : limit}`;
};

/** The most of --concurrency. */
export const IN_FLIGHT_MAX = 20_000;
