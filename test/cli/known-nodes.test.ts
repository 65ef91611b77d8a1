import { describe, expect, test } from 'vitest';
import { nodeCalled, otherNodeCalled } from '../../src/cli/known-nodes.ts';
import { nodeId } from '../../src/core/ids.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

const node = (id: string, name: string) => ({ nodeId: nodeId(id.padEnd(26, 'a')), name });

describe('the node that a person means', () => {
  const nodes = [node('juno', 'atlas'), node('jove', 'spark'), node('mars', 'spark')];

  test('is found by its name, its id, or the beginning of its id', () => {
    expect(nodeCalled('atlas', nodes)).toBe(nodes[0]);
    expect(nodeCalled('jo', nodes)).toBe(nodes[1]);
    expect(nodeCalled(nodes[2]?.nodeId ?? '', nodes)).toBe(nodes[2]);
  });

  test('is asked for again where none or several are meant', () => {
    const refusal = (requested: string, there = nodes) => {
      try {
        return nodeCalled(requested, there).name;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    expect(refusal('vesta')).toContain('no node is called "vesta"');
    expect(refusal('')).toContain('no node is called ""');
    expect(refusal('spark')).toContain('2 nodes are called "spark"');
    expect(refusal('vesta', [])).toContain('no node is called "vesta"');
    expect(() => otherNodeCalled('atlas', nodes, nodeId('juno'.padEnd(26, 'a')))).toThrow(
      'atlas is this machine',
    );
    expect(otherNodeCalled('jo', nodes, nodeId('juno'.padEnd(26, 'a')))).toBe(nodes[1]);
  });
});

test('commands about nodes and probes understand what a daemon answers', async () => {
  const demo = madeUpProcess(['demo', '--nodes', '3', '--no-bench', '--no-open', '--http', '127.0.0.1:0']);
  const running = demo.run();
  await demo.stdout.until(/Ctrl-C stops it/);
  const [, home = ''] = /--home (\S+)$/m.exec(demo.stdout.text) ?? [];
  const outcome = async (...args: string[]) => {
    const command = madeUpProcess([...args, '--home', home]);
    return { code: await command.run(), out: command.stdout.text, err: command.stderr.text };
  };
  expect(await outcome('open', '--no-open')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^http:.*#code=\S+\n$/),
  });
  for (const command of [['forget'], ['probe', 'link']]) {
    const refused = await outcome(...command, 'vesta');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('no node is called "vesta"') });
  }
  expect(await outcome('probe', 'all')).toMatchObject({
    out: expect.stringMatching(/^Probe campaign \S+ · .* · \w+, \w+, \w+$/m),
  });
  demo.stop('SIGINT');
  await running;
});
