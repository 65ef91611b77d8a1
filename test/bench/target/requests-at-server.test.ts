import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestsInFlight, requestsWaiting } from '../../../src/bench/target/llama-slots.ts';

const VLLM = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="a model {x}"} 3.0
vllm:num_requests_running{engine="1",model_name="a model {x}"} 2.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="a model {x}"} 1.0
vllm:num_requests_waiting_by_reason{reason="capacity"} 9.0
`;
const LLAMA = `# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 4
`;

test('running and waiting requests of all engines of a vLLM server are counted, and nothing that only begins like them', () => {
  expect(requestsInFlight(VLLM)).toBe(6);
});

test('waiting ones are separate, and are unknown if the page has none', () => {
  expect(requestsWaiting(VLLM)).toBe(1);
  expect(requestsWaiting(LLAMA)).toBe(4);
  expect(requestsWaiting('vllm:num_requests_running 3\n')).toBeUndefined();
});

test('so are those of llama.cpp, also where the page comes as one JSON text', () => {
  expect(requestsInFlight(LLAMA)).toBe(5);
  expect(requestsInFlight(JSON.stringify(LLAMA))).toBe(5);
});

test('ranks of one SGLang model report the same requests', () => {
  const page =
    'sglang:num_running_reqs{tp_rank="0"} 7\nsglang:num_running_reqs{tp_rank="1"} 7\nsglang:num_queue_reqs 2\n';
  expect(requestsInFlight(page)).toBe(9);
});

test('no requests are zero, and a page without the figure is unknown', () => {
  expect(requestsInFlight('vllm:num_requests_running 0.0\n')).toBe(0);
  expect(requestsInFlight('# TYPE other gauge\nother 5\n')).toBeUndefined();
  expect(requestsInFlight('vllm:num_requests_running NaN\n')).toBeUndefined();
  expect(requestsInFlight('"half a text')).toBeUndefined();
});

test('any page at all gives a count or nothing', () => {
  fc.assert(
    fc.property(fc.string(), noise => {
      const count = requestsInFlight(`vllm:num_requests_running${noise}`);
      expect(count === undefined || count >= 0).toBe(true);
    }),
  );
});
