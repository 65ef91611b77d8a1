// Tools that behave and tools that do not: each comes back as data or one error, promptly, and leaves no process behind.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTool, streamLines, ToolError, type ToolResult } from '../../src/process/child.ts';
import { type StandInTools, standInTools } from '../gather/stand-in-tools.ts';
import { isRunning, processIdsIn } from '../support/process-ids.ts';
import { until } from '../support/until.ts';

let tools: StandInTools;
let ending: AbortController;

beforeEach(() => {
  tools = standInTools();
  ending = new AbortController();
});

afterEach(() => {
  ending.abort();
  // What a stand-in left running on purpose.
  for (const pid of pidsIn('grandchild.pid')) tryKill(pid);
  tools[Symbol.dispose]();
});

describe('a tool that is run to its end', () => {
  it('gives its output, its messages and its exit code', async () => {
    tools.script('tool', 'echo out; echo words >&2; exit 3');
    expect(await run()).toEqual({ kind: 'exited', code: 3, stdout: 'out\n', stderr: 'words\n' });
  });

  it('gets its arguments, its input and an English locale', async () => {
    tools.script('tool', 'echo "$1|$LC_ALL"; cat');
    const result = await run({ args: ['a b'], input: 'from us' });
    expect(result).toMatchObject({ kind: 'exited', stdout: 'a b|C\nfrom us' });
  });

  it('is missing when it is not on PATH', async () => {
    expect(await run()).toEqual({ kind: 'missing', reason: 'tool: not installed' });
  });

  it('fails with a reason when it cannot be executed', async () => {
    tools.script('tool', 'exit 0');
    const result = await runTool(tools.folder, [], { ...OPTIONS, env: tools.env, signal: ending.signal });
    expect(result).toMatchObject({ kind: 'failed' });
  });

  it('may ignore a large input without breaking anything', async () => {
    tools.script('tool', 'exit 0');
    expect(await run({ input: 'x'.repeat(1_000_000) })).toMatchObject({ kind: 'exited', code: 0 });
  });

  it('is killed at its deadline, also when it ignores SIGTERM', async () => {
    tools.script('tool', `trap '' TERM; ${PRINT_PID}; while :; do sleep 1; done`);
    const result = await run({ timeoutMs: 300 });
    expect(result).toEqual({ kind: 'timeout', reason: 'tool gave no answer in 300 ms' });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('is killed when it prints more than its bound', async () => {
    tools.script('tool', `${PRINT_PID}; exec yes`);
    const result = await run({ outputBytesMax: 10_000 });
    expect(result).toEqual({ kind: 'failed', reason: 'tool printed more than 10000 bytes' });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('is killed for flooding although it floods through a child of its own', async () => {
    tools.script('tool', `yes & echo $! >> "$HERE/grandchild.pid"; wait`);
    const result = await run({ outputBytesMax: 10_000, timeoutMs: 20_000 });
    expect(result).toEqual({ kind: 'failed', reason: 'tool printed more than 10000 bytes' });
  });

  it('has exited although a child of its own still holds its output', async () => {
    tools.script('tool', `echo answer; sleep 600 & echo $! >> "$HERE/grandchild.pid"`);
    const result = await run({ timeoutMs: 20_000 });
    expect(result).toMatchObject({ kind: 'exited', code: 0, stdout: 'answer\n' });
  });

  it('reports which signal ended it', async () => {
    tools.script('tool', 'kill -SEGV $$');
    expect(await run()).toEqual({ kind: 'failed', reason: 'tool was killed by SIGSEGV' });
  });

  it('is killed when the asker gives up, who gets the reason', async ({ signal }) => {
    tools.script('tool', `${PRINT_PID}; while :; do sleep 1; done`);
    const running = run();
    await until(() => pidsIn('tool.pid').length > 0, signal, running);
    ending.abort(new Error('not needed any more'));
    await expect(running).rejects.toThrow('not needed any more');
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('is not even started for an asker who has given up', async () => {
    tools.script('tool', PRINT_PID);
    ending.abort(new Error('too late'));
    await expect(run()).rejects.toThrow('too late');
    expect(pidsIn('tool.pid')).toEqual([]);
  });
});

describe('a tool that is read line by line', () => {
  it('gives its lines without their ends, for any pieces in which they arrive', async () => {
    tools.script('tool', `printf 'on'; sleep 0.05; printf 'e\\r\\ntwo\\n\\nthr'; sleep 0.05; printf 'ee\\n'`);
    expect(await linesAndError()).toMatchObject({ lines: ['one', 'two', '', 'three'], code: 'exited' });
  });

  it('does not give a last line that was cut off', async () => {
    tools.script('tool', `printf 'whole\\nha'; exit 4`);
    expect(await linesAndError()).toEqual({
      lines: ['whole'],
      code: 'exited',
      message: 'tool exited with code 4',
    });
  });

  it('reports its last words when it exits', async () => {
    tools.script('tool', 'echo noise >&2; echo "no such device" >&2; exit 2');
    expect((await linesAndError()).message).toBe('tool exited with code 2: no such device');
  });

  it('is missing when it is not on PATH', async () => {
    expect(await linesAndError()).toMatchObject({ lines: [], code: 'tool-missing' });
  });

  it('is reported and killed when it falls silent', async () => {
    tools.script('tool', `${PRINT_PID}; echo hello; while :; do sleep 1; done`);
    expect(await linesAndError({ idleTimeoutMs: 300 })).toMatchObject({
      lines: ['hello'],
      code: 'no-answer',
    });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('is reported and killed when it is stopped by a signal from outside', async () => {
    tools.script('tool', `${PRINT_PID}; echo hello; kill -STOP $$; echo never`);
    expect(await linesAndError({ idleTimeoutMs: 300 })).toMatchObject({
      lines: ['hello'],
      code: 'no-answer',
    });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('is killed when a line passes its bound, with or without an end', async () => {
    for (const line of ['head -c 100000 /dev/zero', 'head -c 100000 /dev/zero; echo']) {
      tools.script('tool', `${PRINT_PID}; ${line}; while :; do sleep 1; done`);
      expect(await linesAndError({ lineBytesMax: 50_000 })).toMatchObject({ code: 'line-too-long' });
    }
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('waits for a slow reader instead of filling the memory', async () => {
    tools.script('tool', 'exec yes "a line of some length"');
    let count = 0;
    const before = process.memoryUsage().rss;
    for await (const _ of lines()) {
      count += 1;
      if (count % 1_000 === 0) await new Promise(resolve => setImmediate(resolve));
      if (count === 200_000) break;
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('is read to its end in a moment when it floods with empty lines', async () => {
    tools.script('tool', `head -c 2000000 /dev/zero | tr '\\000' '\\n'`);
    expect((await linesAndError()).lines.length).toBe(2_000_000);
  });

  it('is reported and killed when it prints faster than its bound', async () => {
    tools.script('tool', `${PRINT_PID}; exec yes`);
    expect(await linesAndError({ linesPerSecondMax: 500 })).toMatchObject({
      code: 'flood',
      message: 'tool prints more than 500 lines a second',
    });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('may print as many lines as it likes within its bound', async () => {
    tools.script('tool', 'seq 500');
    expect((await linesAndError({ linesPerSecondMax: 500 })).lines).toHaveLength(500);
  });

  it('is killed when its reader leaves, also when it ignores SIGTERM', async () => {
    tools.script('tool', `trap '' TERM; ${PRINT_PID}; while :; do echo tick; sleep 0.05; done`);
    for await (const _ of lines()) break;
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('ends quietly when its reader gives up while nothing comes', async ({ signal }) => {
    tools.script('tool', `${PRINT_PID}; while :; do sleep 1; done`);
    const reading = linesAndError();
    await until(() => pidsIn('tool.pid').length > 0, signal, reading);
    ending.abort();
    expect(await reading).toEqual({ lines: [], code: undefined, message: undefined });
    expect(pidsIn('tool.pid').filter(isRunning)).toEqual([]);
  });

  it('has exited although a child of its own still holds its output', async () => {
    tools.script('tool', `echo answer; sleep 600 & echo $! >> "$HERE/grandchild.pid"; exit 5`);
    expect(await linesAndError()).toEqual({
      lines: ['answer'],
      code: 'exited',
      message: 'tool exited with code 5',
    });
  });

  it('replaces bytes that are no text and goes on', async () => {
    tools.script('tool', `printf '\\377\\376\\000ok\\nnext\\n'`);
    expect((await linesAndError()).lines).toEqual(['\uFFFD\uFFFD\0ok', 'next']);
  });

  it('receives what to watch through an input that stays open', async () => {
    tools.script('tool', 'read first; echo "watching $first"; cat');
    for await (const line of lines({ input: 'this\n' })) {
      expect(line).toBe('watching this');
      break;
    }
  });
});

const OPTIONS = { timeoutMs: 20_000 };
const PRINT_PID = 'echo $$ >> "$HERE/tool.pid"';

interface RunOptions {
  readonly args?: readonly string[];
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly outputBytesMax?: number;
}

const run = ({ args = [], ...options }: RunOptions = {}): Promise<ToolResult> =>
  runTool('tool', args, { ...OPTIONS, env: tools.env, signal: ending.signal, ...options });

interface LineOptions {
  readonly linesPerSecondMax?: number;
  readonly idleTimeoutMs?: number;
  readonly lineBytesMax?: number;
  readonly input?: string;
}

const lines = (options: LineOptions = {}): AsyncGenerator<string, void, void> =>
  streamLines('tool', [], {
    env: tools.env,
    signal: ending.signal,
    idleTimeoutMs: Number.POSITIVE_INFINITY,
    ...options,
  });

const linesAndError = async (
  options: LineOptions = {},
): Promise<{
  readonly lines: readonly string[];
  readonly code: string | undefined;
  readonly message: string | undefined;
}> => {
  const read: string[] = [];
  try {
    for await (const line of lines(options)) read.push(line);
    return { lines: read, code: undefined, message: undefined };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { lines: read, code: error.code, message: error.message };
  }
};

const pidsIn = (name: string): readonly number[] => processIdsIn(join(tools.folder, name));

const tryKill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ended by itself
  }
};
