import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheConfigOf, serverFacts } from '../../../src/bench/target/server-facts.ts';
import {
  SERVER_FACT_NAME_MAX,
  SERVER_FACT_VALUE_MAX,
  SERVER_FACTS_MAX,
} from '../../../src/core/run/provenance.ts';

const factsOf = (json: unknown, key = 'Bearer my-own-key'): Readonly<Record<string, string>> =>
  Object.fromEntries(
    serverFacts([{ from: 'GET /x', json }], [{ name: 'authorization', value: key }]).flatMap(({ facts }) =>
      facts.map(({ name, value }) => [name, value] as const),
    ),
  );

describe('what a server reports about itself', () => {
  test('is kept by its path, without what changes from one question to the next', () => {
    expect(
      factsOf({
        version: '0.8.5',
        server_args: { tp_size: 2, tokenizer_path: 'x/y', eos_token: '</s>', stops: ['a', 'b'] },
        internal_states: [{ last_gen_throughput: 31.4 }],
        created: 1_790_000_000,
        nothing: null,
        models: [{ id: 'm', permission: [{ id: 'modelperm-1' }] }],
      }),
    ).toEqual({
      version: '0.8.5',
      'server_args.tp_size': '2',
      'server_args.tokenizer_path': 'x/y',
      'server_args.eos_token': '</s>',
      'server_args.stops': '["a","b"]',
      'models[0].id': 'm',
    });
  });

  test('begins with build, slots and context, wherever the server lists them', () => {
    const params = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`sampler_${at}`, at]));
    const [reported] = serverFacts(
      [
        {
          from: 'GET /props',
          json: {
            default_generation_settings: { n_ctx: 4_096, params },
            chat_template: '{{ messages }}',
            total_slots: 4,
            build_info: 'b11434-0a1b2c3d',
          },
        },
      ],
      [],
    );
    expect(reported?.facts.slice(0, 3)).toEqual([
      { name: 'build_info', value: 'b11434-0a1b2c3d' },
      { name: 'total_slots', value: '4' },
      { name: 'default_generation_settings.n_ctx', value: '4096' },
    ]);
  });

  test('has the labels of the cache of vLLM, without those that report nothing', () => {
    const page =
      '# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{block_size="16",cache_dtype="auto",cpu_offload="None",' +
      'engine="0",num_gpu_blocks="2048",path="a \\"b\\" c"} 1.0\nvllm:cache_config_info{engine="1"} 1.0\n';
    expect(cacheConfigOf(page)).toEqual({
      block_size: '16',
      cache_dtype: 'auto',
      engine: '0',
      num_gpu_blocks: '2048',
      path: 'a \\"b\\" c',
    });
    expect(cacheConfigOf('vllm:num_requests_running 1\n')).toBeUndefined();
  });

  test('loses every secret, by its name, by its look, or because it was sent to it', () => {
    const reported = factsOf({
      api_key: 'abc',
      server_args: { admin_api_key: 'abc', ssl_keyfile: '/k', hf_token: 'abc', ssl_keyfile_password: 'abc' },
      apiKey: 'abc',
      list: [{ password: 'abc' }],
      launched: 'vllm serve --api-key my-own-key',
      other: ['Bearer 0123456789abc'],
      hub: 'hf_abcdefghijkl',
      database: 'postgres://me:hidden@db/x',
    });
    expect(JSON.stringify(reported)).not.toMatch(/"abc"|my-own-key|hf_abc|0123456789abc|hidden|"\/k"/);
    expect(reported).toMatchObject({
      api_key: '(left out: it may be a secret)',
      database: 'postgres://db/x',
    });
    expect(factsOf({ echo: 'user wrote pass-word' }, 'Basic dXNlcjpwYXNzLXdvcmQ=')['echo']).toBe(
      '(left out: it may be a secret)',
    );
  });

  test('stays distinguishable if it was too long to store', () => {
    const [one = '', other = ''] = ['a', 'b'].map(
      end => factsOf({ template: 'x'.repeat(9_000) + end })['template'],
    );
    expect(one).toMatch(/^x+… \(9001 characters, sha256 [0-9a-f]{12}\)$/);
    expect(other).not.toBe(one);
  });

  test('is bounded and on one line for any content', () => {
    const wide = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`k${at}`, 'v'.repeat(9_000)]));
    const json = fc.oneof(fc.jsonValue({ depthSize: 'large' }), fc.constant(wide));
    fc.assert(
      fc.property(json, fc.string({ unit: 'binary' }), (value, text) => {
        const reported = serverFacts(
          [
            { from: 'GET /a', json: { [text]: value, text } },
            { from: 'GET /b', json: value },
          ],
          [],
        ).flatMap(({ facts }) => facts);
        expect(reported.length).toBeLessThanOrEqual(SERVER_FACTS_MAX);
        for (const fact of reported) {
          expect(fact.name.length).toBeLessThanOrEqual(SERVER_FACT_NAME_MAX);
          expect(fact.value.length).toBeLessThanOrEqual(SERVER_FACT_VALUE_MAX);
          expect(fact.name + fact.value).not.toMatch(/[\p{Cc}\u202e]/u);
        }
      }),
      { numRuns: 60 },
    );
  });
});
