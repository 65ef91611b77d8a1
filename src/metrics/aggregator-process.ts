// The process of the aggregator. It sends its parent {"kind":"ready"} when records reach it, {"kind":"looked-at"}
// when another observer than its parent appears or leaves, and at its end the FinalDelivery. Signals reach it too
// when a person presses Ctrl-C or ends its group, before the main process has decided anything: it ignores them. The
// main process sends requests: `stop` ends it now, as interrupted; `interrupt` only marks the run as interrupted, and
// records are accepted until the session ends (5 s).

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { monotonicNs, systemClock } from '../clock/system-clock.ts';
import { errorMessage } from '../core/problem.ts';
import { judgedObjectives } from '../core/run/objective.ts';
import { eventBatchCodec } from '../messaging/event-batch-codec.ts';
import { NEWEST_WINS } from '../messaging/publisher.ts';
import { snapshotCodec } from '../messaging/snapshot-message-codec.ts';
import { EVERY_MESSAGE } from '../messaging/subscriber.ts';
import { removeOtherSockets } from '../messaging/zeromq/socket-folder.ts';
import { openZeromqPublisher } from '../messaging/zeromq/zeromq-publisher.ts';
import { openZeromqSubscriber } from '../messaging/zeromq/zeromq-subscriber.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { reportParent, stopsOf, watchParent } from '../process/parent-watch.ts';
import { snapshotToJson } from '../wire/snapshot-codec.ts';
import { Aggregator } from './aggregator.ts';
import { parseAggregatorArguments } from './aggregator-arguments.ts';
import { ValueSpill } from './value-spill.ts';

const main = async (): Promise<void> => {
  const parent = watchParent(process.env);
  const { stop: terminate, interrupt } = stopsOf(parent, (signal, received) => process.on(signal, received));
  const parentGone = parent.kind === 'watching' ? parent.signal : new AbortController().signal;
  parentGone.addEventListener('abort', () => setTimeout(exitNow, ALONE_MS_MAX), { once: true });
  const { eventsEndpoint, snapshotsEndpoint, file, ...options } = parseAggregatorArguments(
    process.argv[2] ?? '',
  );
  await checkFolder(dirname(file));
  const publisher = await openZeromqPublisher(snapshotsEndpoint, snapshotCodec, NEWEST_WINS);
  const subscriber = await openZeromqSubscriber(eventsEndpoint, eventBatchCodec, EVERY_MESSAGE);
  const aggregator = new Aggregator(
    {
      clock: systemClock,
      monotonicNs,
      subscriber,
      publisher,
      writeFile: snapshot => writeFileAtomic(file, snapshotToJson(snapshot)),
      lookedAt: isLookedAt => reportParent(process.env, { kind: 'looked-at', isLookedAt }),
    },
    { ...options, judged: judgedObjectives(options), store: new ValueSpill(dirname(file)) },
  );
  const isReady = await subscriber.ready(AbortSignal.any([terminate, parentGone])).then(
    () => true,
    (error: unknown) => {
      if (terminate.aborted || parentGone.aborted) return false;
      throw error;
    },
  );
  if (isReady) reportParent(process.env, { kind: 'ready', snapshotsEndpoint: publisher.endpoint });
  const delivery = await aggregator.run({
    terminate,
    interrupt,
    parentGone,
  });
  if (parentGone.aborted) await removeOtherSockets(eventsEndpoint);
  reportParent(process.env, { kind: 'final', ...delivery });
  if (delivery.disk.kind === 'failed') process.stderr.write(`${file}: ${delivery.disk.reason}\n`);
  process.exit(delivery.disk.kind === 'failed' && delivery.message.kind === 'failed' ? 1 : 0);
};

/** Reported before the first record, not when the result is lost. */
const checkFolder = async (folder: string): Promise<void> => {
  const isFolder = await stat(folder).then(
    info => info.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`the folder ${folder} for final_snapshot.json does not exist`);
};

/** Exits without any cleanup. */
const exitNow = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** An orphan exits within 2 s, even if its disk hangs. */
const ALONE_MS_MAX = 1_900;

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
