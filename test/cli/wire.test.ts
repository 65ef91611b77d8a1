import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { liveDemo } from '../support/live-daemons.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { documentFaults } from '../support/published-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('plimsoll wire', () => {
  test('prints settings, a published document with --json, and writes files with --out', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 4, clock });
    await clock.advance(60_000);
    const wire = async (...words: readonly string[]) => {
      const made = madeUpProcess(['wire', '--home', live.home, ...words]);
      return { code: await made.run(), text: made.stdout.text, problems: made.stderr.text };
    };

    const mlx = await wire('--for', 'mlx', '--nodes', 'juno,atlas');
    expect(mlx).toMatchObject({ code: 0, problems: '' });
    expect(mlx.text).toContain('MLX on juno, atlas');
    expect(mlx.text).toContain('"backend": "jaccl"');

    const json = await wire('--for', 'llama.cpp', '--json');
    const document: unknown = JSON.parse(json.text);
    expect(await documentFaults(document)).toEqual([]);
    expect(document).toMatchObject({ schema: 'plimsoll.wire/1', engine: 'llama.cpp' });

    using folder = temporaryDirectory();
    const out = join(folder.path, 'hosts');
    const written = await wire('--for', 'mlx', '--nodes', 'juno,atlas', '--out', out);
    expect(written.text).toContain(`Wrote ${join(out, 'mlx-jaccl.json')}`);
    expect(written.text).not.toContain('"backend"');
    expect(readdirSync(out).sort()).toEqual(['mlx-jaccl.json', 'mlx-ring.json']);
    const hosts: unknown = JSON.parse(readFileSync(join(out, 'mlx-jaccl.json'), 'utf8'));
    expect(hosts).toMatchObject({
      hosts: [{ rdma: [null, expect.any(String)] }, { rdma: [expect.any(String), null] }],
    });

    const named = await wire('--for', 'vllm', '--model', 'Qwen/Qwen3-32B');
    expect(named.text).toContain('The placement of Qwen/Qwen3-32B is unknown');

    expect(await wire()).toMatchObject({ code: 2, problems: expect.stringContaining('--for is missing') });
    expect(await wire('--for', 'mlx', '--nodes', 'nobody')).toMatchObject({
      code: 2,
      problems: expect.stringContaining('no node is called "nobody"'),
    });
  });
});
