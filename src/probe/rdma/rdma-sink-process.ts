// The child process of the end of an RDMA probe that is dialled. Its first line gives the port, its last one how it
// ended. SIGTERM, its parent's death and its deadline end its tool as well.

import { tmpdir } from 'node:os';
import process from 'node:process';
import * as v from 'valibot';
import { systemClock } from '../../clock/system-clock.ts';
import { errorMessage } from '../../core/problem.ts';
import { reportParent, watchParent } from '../../process/parent-watch.ts';
import { TICKET_VARIABLE } from '../socket/process-arguments.ts';
import { endpointOf, installedEngines, parentDeathPrefix, RDMA_TOOLS, toolEnv } from './rdma-end.ts';
import { rdmaSinkRequestSchema } from './rdma-request.ts';
import { RdmaSink } from './rdma-sink.ts';
import { removeStaleFolders } from './tool-folder.ts';

const stop = new AbortController();
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => stop.abort());
const parent = watchParent(process.env);
if (parent.kind === 'watching') parent.signal.addEventListener('abort', () => stop.abort(), { once: true });

try {
  const request = v.parse(rdmaSinkRequestSchema, JSON.parse(process.argv[2] ?? 'null'));
  const sink = new RdmaSink({
    host: request.host,
    port: request.port,
    sourceAddresses: request.sourceAddresses,
    ticket: process.env[TICKET_VARIABLE] ?? '',
    tools: (await installedEngines(request.engines, process.env)).map(name => RDMA_TOOLS[name]),
    endpoint: endpointOf(request),
    sourceDevice: request.otherDevice,
    env: toolEnv(process.env),
    toolPrefix: await parentDeathPrefix(process.platform, process.env),
    clock: systemClock,
    waitMsMax: request.waitMsMax,
    durationMsMax: request.durationMsMax,
    toolMsMax: request.toolMsMax,
    signal: stop.signal,
  });
  reportParent(process.env, { kind: 'ready', port: await sink.listen() });
  reportParent(process.env, await sink.serve());
  await removeStaleFolders({
    temporaryFolder: tmpdir(),
    nowWallMs: systemClock.wallMs(),
    userId: process.getuid?.(),
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
}
