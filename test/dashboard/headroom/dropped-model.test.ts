import { describe, expect, test } from 'vitest';
import { headroomScope } from '../../../dashboard/src/fleet/fleet-scope.ts';
import { readDroppedModel } from '../../../dashboard/src/headroom/dropped-model.ts';
import {
  headroomQuery,
  modelFragment,
  modelOfFragment,
  nodesNamed,
  readHeadroomAddress,
} from '../../../dashboard/src/headroom/headroom-address.ts';
import { routeOf } from '../../../dashboard/src/shell/route.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { headerBytes, madeFacts } from '../../model/made-headers.ts';

const fileOf = (name: string, content: Uint8Array<ArrayBuffer> | string): File => new File([content], name);
const gguf = (name: string): File => fileOf(`${name}.gguf`, new Uint8Array(headerBytes(name)));

describe('a model that is dropped onto the page', () => {
  test('has the facts that the command line reads from the same header', async () => {
    expect(await readDroppedModel([gguf('qwen3-30b-a3b')])).toEqual(await madeFacts('qwen3-30b-a3b'));
  });

  test('may be a config with the index of its files, which has the sum of bytes', async () => {
    const config = {
      num_hidden_layers: 32,
      hidden_size: 4_096,
      num_attention_heads: 32,
      vocab_size: 32_000,
      intermediate_size: 11_008,
    };
    const index = { metadata: { total_size: 13_476_839_424 }, weight_map: { a: 'model-1.safetensors' } };
    const model = await readDroppedModel([
      fileOf('config.json', JSON.stringify(config)),
      fileOf('model.safetensors.index.json', JSON.stringify(index)),
    ]);
    expect(isUnknown(model.weights) ? model.weights.reason : model.weights.totalBytes).toEqual({
      low: 13_476_839_424,
      high: 13_476_839_424,
    });
    expect(model.source.kind).toBe('config');
  });

  test.each([
    ['a picture', [fileOf('cat.png', 'PNG')], /cat\.png is not a model/],
    [
      'a part of a file that was split',
      [fileOf('m-00001-of-00003.gguf', 'GGUF')],
      /2 of them were not dropped/,
    ],
    ['weights without structure', [fileOf('model.safetensors', 'x')], /not the number of layers and heads/],
    ['a header that was cut off', [fileOf('cut.gguf', 'GGUF')], /ends at byte 4/],
  ])('is refused with what to do if it is %s', async (_, files, problem) => {
    await expect(readDroppedModel(files)).rejects.toThrow(problem);
  });
});

describe('the address of what is looked at', () => {
  test.each(['llama3-8b', 'gpt-oss-120b', 'deepseek-v3', 'nemotron-h-8b'])(
    'carries the facts of %s whole, next to the question',
    async name => {
      const model = await madeFacts(name);
      expect(modelOfFragment(modelFragment(model))).toEqual({ kind: 'here', model });
    },
  );

  test('is refused where it was cut off or made up, and none is no model', async () => {
    const whole = modelFragment(await madeFacts('llama3-8b'));
    expect(modelOfFragment(whole.slice(0, -30)).kind).toBe('damaged');
    expect(modelOfFragment('#model=%7B%22name%22%3A1%7D').kind).toBe('damaged');
    expect(modelOfFragment('#model=%').kind).toBe('damaged');
    expect(modelOfFragment('').kind).toBe('none');
    expect(modelOfFragment('#code=x').kind).toBe('none');
  });

  test('has only what differs from the usual, and reads what it wrote', () => {
    expect(headroomQuery(readHeadroomAddress(new URLSearchParams())).toString()).toBe('');
    const text =
      'context=32768&batch=8&engine=vllm&cache=fp8&objective=30&run=20261123-010203-ab12&nodes=r02%2C+spark&pick=one%3Aatlas';
    expect(headroomQuery(readHeadroomAddress(new URLSearchParams(text))).toString()).toBe(text);
    const odd = new URLSearchParams('context=-1&batch=1e9&engine=me&cache=toString&objective=0&run=../x');
    expect(headroomQuery(readHeadroomAddress(odd)).toString()).toBe('');
  });

  test('picks nodes by words of their names, and of a fleet the first of those', () => {
    const fleet = Array.from({ length: 200 }, (_, index) => ({
      nodeId: `id-${index}`,
      name: `R${String(index % 4).padStart(2, '0')}-n${index}`,
    }));
    expect(nodesNamed(fleet, 'r02, n199').length).toBe(51);
    expect(nodesNamed(fleet, ' ')).toBe(fleet);
    const scope = headroomScope(fleet, new URLSearchParams('nodes=r03'));
    const requested = new URLSearchParams(scope ?? '').get('nodes')?.split(',') ?? [];
    expect([requested.length, requested[0], requested.at(-1)]).toEqual([50, 'id-3', 'id-199']);
    const all = headroomScope(fleet, new URLSearchParams()) ?? '';
    expect(new URLSearchParams(all).get('nodes')?.split(',')).toHaveLength(64);
    expect(headroomScope(fleet, new URLSearchParams('nodes=nobody'))).toBeUndefined();
  });

  test('leads to the page', () => {
    expect(routeOf('/headroom')).toEqual({ kind: 'headroom' });
  });
});
