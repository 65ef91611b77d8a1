// Each engine on five simulated clusters: the whole text as in test/fixtures/wiring/CLUSTER/ENGINE.txt, and the lines that
// decide what the engine uses, written here by hand.

import { describe, expect, test } from 'vitest';
import { enginePlan } from '../../../src/core/wiring/engine-plan.ts';
import { wiredCluster } from '../../../src/core/wiring/wired-cluster.ts';
import { WIRING_ENGINES, type WiringEngine } from '../../../src/core/wiring/wiring-plan.ts';
import { wiringLines } from '../../../src/render/wiring-text.ts';
import type { Scenario } from '../../../src/simulate/scenario/scenario.ts';
import { SimulatedWorld, stateOf } from '../../simulate/simulated-world.ts';
import { WIRING_CLUSTERS } from './wiring-clusters.ts';

/** Every link has been probed by then. */
const PROBED_MS = 240_000;
const TOO_FEW = 'at least two nodes that run it';

/** Lines that have to be there, in any order. */
const EXPECTED: Readonly<Record<string, Readonly<Record<WiringEngine, readonly string[]>>>> = {
  'mac-pair': {
    nccl: ['without james: it runs on Linux only', TOO_FEW],
    rccl: [TOO_FEW],
    mlx: [
      '"backend": "jaccl"',
      '{"ssh":"james.example","ips":["10.254.0.1"],"rdma":[null,"rdma_en2"]}',
      '{"ssh":"mike.example","ips":["10.254.0.2"],"rdma":["rdma_en2",null]}',
      '{"ssh":"mike.example","ips":["10.254.0.2"],"rdma":[]}',
      'MLX takes Wi-Fi',
      'mike: Thunderbolt Bridge is on',
      "sudo networksetup -setnetworkserviceenabled 'Thunderbolt Bridge' off",
      'sudo ifconfig en2 inet 10.254.0.1 netmask 255.255.255.252',
      'sudo route change 10.254.0.2 -interface en2',
      'mlx.launch --backend jaccl --hostfile mlx-jaccl.json -- python3 -m mlx_lm chat --model MODEL',
    ],
    'llama.cpp': [
      'ggml-rpc-server -H 10.254.0.2 -p 50052 -c',
      'llama-server -m MODEL -ngl 99 --rpc 10.254.0.2:50052',
      'llama.cpp takes Wi-Fi',
    ],
    vllm: [TOO_FEW],
    sglang: [TOO_FEW],
    exo: ['exo --discovery-module udp --interface-type-filter Thunderbolt', 'Thunderbolt Bridge is on'],
    ray: [
      'ray start --head --node-ip-address=10.254.0.1 --port=6379',
      'ray start --address=10.254.0.1:6379 --node-ip-address=10.254.0.2',
    ],
    ollama: ['export OLLAMA_HOST=198.51.100.10:11434', 'Ollama runs a model on one machine'],
  },
  'mac-mesh': {
    nccl: [TOO_FEW],
    rccl: [TOO_FEW],
    mlx: [
      '"backend": "jaccl-ring"',
      '{"ssh":"atlas.example","ips":["192.0.2.10"],"rdma":[null,"rdma_en2","rdma_en3","rdma_en4"]}',
      '{"ssh":"hermes.example","ips":["192.0.2.11"],"rdma":["rdma_en2",null,"rdma_en3",null]}',
      '{"ssh":"selene.example","ips":["192.0.2.12"],"rdma":["rdma_en2","rdma_en3",null,"rdma_en4"]}',
      '{"ssh":"theia.example","ips":["192.0.2.13"],"rdma":["rdma_en2",null,"rdma_en3",null]}',
      '{"ssh":"atlas.example","ips":["10.254.2.1"],"rdma":[]}',
      '{"ssh":"selene.example","ips":["10.254.3.2"],"rdma":[]}',
      'hermes and theia: no Thunderbolt cable between them',
      '5 pairs of 6 have one',
    ],
    'llama.cpp': [
      'llama-main-0-atlas.sh, on atlas:',
      'llama-server -m MODEL -ngl 99 --rpc 10.254.0.2:50052,10.254.1.2:50052,10.254.2.2:50052',
    ],
    vllm: [TOO_FEW],
    sglang: [TOO_FEW],
    exo: [
      'exo --discovery-module udp --interface-type-filter Ethernet,Thunderbolt',
      'hermes and theia: no Thunderbolt cable between them',
    ],
    ray: ['ray start --address=192.0.2.10:6379 --node-ip-address=192.0.2.13'],
    ollama: ['export OLLAMA_HOST=192.0.2.13:11434'],
  },
  infiniband: {
    nccl: [
      'export NCCL_NET=IB',
      "export NCCL_IB_HCA='=mlx5_0:1'",
      "export NCCL_SOCKET_IFNAME='=ib0'",
      'export GLOO_SOCKET_IFNAME=ib0',
      'export UCX_NET_DEVICES=mlx5_0:1',
    ],
    rccl: ['without rack-1: no AMD GPU is reported', TOO_FEW],
    mlx: ['"backend": "ring"', '{"ssh":"rack-1.example","ips":["198.18.0.10"],"rdma":[]}'],
    'llama.cpp': [
      'ggml-rpc-server -H 198.18.0.12 -p 50052 -c',
      'llama-server -m MODEL -ngl 99 --rpc 198.18.0.11:50052,198.18.0.12:50052',
      'llama.cpp takes Ethernet',
    ],
    vllm: [
      'export VLLM_HOST_IP=198.18.0.10',
      'ray start --address=198.18.0.10:6379 --node-ip-address=198.18.0.12',
      'vllm serve MODEL --tensor-parallel-size 8 --pipeline-parallel-size 3 --distributed-executor-backend ray',
    ],
    sglang: [
      'python3 -m sglang.launch_server --model-path MODEL --tp 8 --pp-size 3 --dist-init-addr 198.18.0.10:20000 --nnodes 3 --node-rank 2',
    ],
    exo: ['exo --discovery-module udp --interface-type-filter Other'],
    ray: ['ray start --head --node-ip-address=198.18.0.10 --port=6379', 'Ray takes Ethernet'],
    ollama: ['export OLLAMA_HOST=198.18.0.10:11434'],
  },
  roce: {
    nccl: [
      "export NCCL_IB_HCA='=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1'",
      "export NCCL_SOCKET_IFNAME='=rail0'",
      '# NCCL_IB_GID_INDEX',
      'differ in MTU, 1500 and 9000 bytes',
      'sudo ip link set dev eno1 mtu 9000',
    ],
    rccl: [TOO_FEW],
    mlx: ['{"ssh":"gpu-2.example","ips":["198.18.0.11"],"rdma":[]}', 'MLX takes Ethernet'],
    'llama.cpp': ['llama-server -m MODEL -ngl 99 --rpc 198.18.0.11:50052', 'uses RDMA by itself'],
    vllm: ['export VLLM_HOST_IP=198.18.0.11', "export NCCL_IB_HCA='=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1'"],
    sglang: ['--dist-init-addr 198.18.0.10:20000 --nnodes 2 --node-rank 1'],
    exo: ['exo --discovery-module udp --interface-type-filter Ethernet'],
    ray: ['ray start --head --node-ip-address=198.18.0.10 --port=6379', 'Ray takes Ethernet'],
    ollama: ['export OLLAMA_HOST=198.18.0.10:11434'],
  },
  mixed: {
    nccl: [
      'without atlas: it runs on Linux only',
      "export NCCL_SOCKET_IFNAME='=enp5s0f0'",
      "export NCCL_SOCKET_IFNAME='=enP7s7'",
    ],
    rccl: [TOO_FEW],
    mlx: ['"backend": "ring"', '{"ssh":"juno.example","ips":["192.0.2.12"],"rdma":[]}'],
    'llama.cpp': ['llama-server -m MODEL -ngl 99 --rpc 192.0.2.11:50052,192.0.2.12:50052,192.0.2.13:50052'],
    vllm: [
      'export VLLM_HOST_IP=192.0.2.11',
      'env -u NCCL_SOCKET_IFNAME -u GLOO_SOCKET_IFNAME -u UCX_NET_DEVICES vllm serve MODEL --tensor-parallel-size 1 --pipeline-parallel-size 3',
    ],
    sglang: [
      'export SGLANG_HOST_IP=192.0.2.13',
      '--tp 1 --pp-size 2 --dist-init-addr 192.0.2.11:20000 --nnodes 2 --node-rank 1',
    ],
    exo: ['exo --discovery-module udp --interface-type-filter Ethernet'],
    ray: ['ray start --head --node-ip-address=192.0.2.10 --port=6379'],
    ollama: ['export OLLAMA_HOST=192.0.2.13:11434'],
  },
};

const planned = async (scenario: Scenario): Promise<ReadonlyMap<WiringEngine, string>> => {
  await using world = new SimulatedWorld(scenario);
  await world.clock.advance(PROBED_MS);
  const cluster = wiredCluster(stateOf(world), world.clock.nowMs(), undefined);
  return new Map(
    WIRING_ENGINES.map(engine => {
      const lines = wiringLines(enginePlan(cluster, engine, undefined), Number.POSITIVE_INFINITY);
      return [engine, `${lines.join('\n').replaceAll('\u00a0', ' ')}\n`];
    }),
  );
};

describe.each(WIRING_CLUSTERS)('settings on the cluster $name', scenario => {
  test('are as expected for every engine', async () => {
    const texts = await planned(scenario);
    for (const engine of WIRING_ENGINES) {
      const text = texts.get(engine) ?? '';
      for (const line of EXPECTED[scenario.name]?.[engine] ?? ['no line is expected'])
        expect(text, `${scenario.name}, ${engine}`).toContain(line);
      await expect(text).toMatchFileSnapshot(`../../fixtures/wiring/${scenario.name}/${engine}.txt`);
    }
  });
});
