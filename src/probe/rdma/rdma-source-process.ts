// The child process of the end of an RDMA probe that dials. Its last line is the outcome. SIGTERM, its parent's death
// and its deadline end its tool as well.

import { tmpdir } from 'node:os';
import process from 'node:process';
import * as v from 'valibot';
import { systemClock } from '../../clock/system-clock.ts';
import { errorMessage } from '../../core/problem.ts';
import { reportParent, watchParent } from '../../process/parent-watch.ts';
import { TICKET_VARIABLE } from '../socket/process-arguments.ts';
import { endpointOf, installedEngines, parentDeathPrefix, RDMA_TOOLS, toolEnv } from './rdma-end.ts';
import { rdmaSourceRequestSchema } from './rdma-request.ts';
import { measureRdma } from './rdma-source.ts';
import { removeStaleFolders } from './tool-folder.ts';

const stop = new AbortController();
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => stop.abort());
const parent = watchParent(process.env);
if (parent.kind === 'watching') parent.signal.addEventListener('abort', () => stop.abort(), { once: true });

try {
  const request = v.parse(rdmaSourceRequestSchema, JSON.parse(process.argv[2] ?? 'null'));
  reportParent(process.env, { kind: 'ready' });
  const outcome = await measureRdma({
    address: request.address,
    port: request.port,
    ticket: process.env[TICKET_VARIABLE] ?? '',
    tools: (await installedEngines(request.engines, process.env)).map(name => RDMA_TOOLS[name]),
    wanted: request.engines,
    endpoint: endpointOf(request),
    sinkDevice: request.otherDevice,
    env: toolEnv(process.env),
    toolPrefix: await parentDeathPrefix(process.platform, process.env),
    budget: request.budget,
    toolMsMax: request.toolMsMax,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(request.durationMsMax)]),
  });
  reportParent(process.env, outcome);
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
