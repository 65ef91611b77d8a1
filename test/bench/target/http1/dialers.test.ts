import { chooseStamps } from '../../../../src/bench/load/stamp-choice.ts';
import { dialerContract } from '../../../contract/dialer-contract.ts';

const { platform, arch } = process;
const opened = async (env: Readonly<Record<string, string>>) => {
  const { loop, dialerOf } = await chooseStamps({ targets: [], nowNs: NOW_NS, platform, arch, env });
  return { loop, dialerOf };
};
/** Whole nanoseconds of the clock that the kernel's timestamps are converted to. */
const ZERO_NS = process.hrtime.bigint();
const NOW_NS = (): number => Number(process.hrtime.bigint() - ZERO_NS);

dialerContract("Node's sockets", async () => {
  const { dialerOf } = await opened({ PLIMSOLL_FFI: 'off' });
  return { dialerOf, nowNs: NOW_NS, [Symbol.dispose]: () => undefined };
});

dialerContract('our own read loop', async () => {
  const { loop, dialerOf } = await opened({});
  if (loop === undefined) return 'the kernel takes no timestamps here';
  return { dialerOf, nowNs: NOW_NS, [Symbol.dispose]: () => loop.stop() };
});
