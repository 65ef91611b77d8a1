// MLX with JACCL: RDMA over Thunderbolt on macOS, through the Python that has MLX. Written from Apple's and MLX's
// documentation; not yet run on a Mac (docs/verified-on.md).

import * as v from 'valibot';
import { lastLine } from '../../core/text/single-line.ts';
import { roundTripFigures } from '../socket/round-trip-figures.ts';
import type { RdmaTool, ToolCall, ToolCommand } from './rdma-tool.ts';

export const jaccl: RdmaTool = {
  name: 'mlx-jaccl',
  programs: ['python3'],
  warmUpMessages: 1,
  command: call => commandOf(call),
  lastLine: /^\{/,
  isComplete: (_test, stdout) => v.is(OUTPUT, lastJson(stdout)),
  read: (test, stdout) => {
    const reported = v.safeParse(OUTPUT, lastJson(stdout));
    if (!reported.success) return { kind: 'unreadable', reason: 'MLX printed no figures' };
    if (test.kind === 'latency')
      return {
        kind: 'latency',
        ...roundTripFigures(reported.output.secondsEach.map(s => Math.round(s * 1e9))),
      };
    const seconds = reported.output.secondsEach.reduce((sum, each) => sum + each, 0);
    const bitsPerSecond = Math.round((test.messageBytes * test.messages * 8) / seconds);
    if (!(seconds > 0 && Number.isFinite(bitsPerSecond)))
      return { kind: 'unreadable', reason: 'MLX printed a transfer of no time' };
    return { kind: 'bandwidth', bitsPerSecond };
  },
};

const commandOf = ({ test, role, devices, rendezvousPort, folder }: ToolCall): ToolCommand => {
  const [waiting, dialling] = devices;
  return {
    command: 'python3',
    args: ['-c', SCRIPT, JSON.stringify(test), role],
    env: {
      // A row for each rank: the devices through which it reaches the other ranks. Rank 0 waits.
      MLX_IBV_DEVICES: `${folder}/devices.json`,
      MLX_RANK: role === 'waits' ? '0' : '1',
      MLX_JACCL_COORDINATOR: `127.0.0.1:${rendezvousPort}`,
      MLX_METAL_FAST_SYNCH: '1',
    },
    files: [
      {
        name: 'devices.json',
        text: JSON.stringify([
          [null, waiting],
          [dialling, null],
        ]),
      },
    ],
  };
};

const lastJson = (stdout: string): unknown => {
  try {
    return JSON.parse(lastLine(stdout));
  } catch {
    return undefined;
  }
};

/** No test is given as long for a message. */
const HOUR_S = 3_600;
const OUTPUT = v.object({
  secondsEach: v.pipe(
    v.array(v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(HOUR_S))),
    v.maxLength(100_000),
  ),
});

/** MLX evaluates lazily: nothing is sent before `eval`. The time of a message ends when its receipt is confirmed. */
const SCRIPT = `
import json, sys, time
import mlx.core as mx

test, role = json.loads(sys.argv[1]), sys.argv[2]
world = mx.distributed.init(backend="jaccl", strict=True)
other = 1 - world.rank()
small = mx.zeros((4,), dtype=mx.float16)
mx.eval(small)

def send(value):
    mx.eval(mx.distributed.send(value, other))

def receive(like):
    mx.eval(mx.distributed.recv_like(like, other))

if test["kind"] == "latency":
    payload, count, warm_ups = small, test["roundTrips"], 20
else:
    payload = mx.random.normal((test["messageBytes"] // 2,)).astype(mx.float16)
    count, warm_ups = test["messages"], 1
mx.eval(payload)

seconds = []
for index in range(count + warm_ups):
    start = time.perf_counter()
    if role == "dials":
        send(payload)
        receive(small)
    else:
        receive(payload)
        send(small)
    if index >= warm_ups:
        seconds.append(time.perf_counter() - start)
if role == "dials":
    print(json.dumps({"secondsEach": seconds}), flush=True)
`;
