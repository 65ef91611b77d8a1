// Installs the real servers and MLX where they are missing, and makes their model: `node test/real/install.ts`, or with names for some of
// them: `node test/real/install.ts MLX`. What cannot be installed is reported and left out; the tests skip it with that reason. All take
// minutes and some 8 GB, and Ollama is compiled; llama.cpp alone takes a minute: `node test/real/install.ts llama.cpp`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  MLX,
  MODEL_MAKER,
  MODELS_FOLDER,
  REAL_SERVERS,
  type RealProgram,
  SERVERS_FOLDER,
} from './servers.ts';

const install = async (server: RealProgram): Promise<string | undefined> => {
  if (existsSync(join(SERVERS_FOLDER, server.program))) return undefined;
  for (const step of server.install) {
    const problem = await run(step, server.installEnv);
    if (problem !== undefined) return problem;
  }
  return existsSync(join(SERVERS_FOLDER, server.program)) ? undefined : `it has no ${server.program}`;
};

const run = async ([program = '', ...args]: readonly string[], env: RealProgram['installEnv']) => {
  const own = join(SERVERS_FOLDER, program);
  const child = spawn(existsSync(own) ? own : program, args, {
    cwd: SERVERS_FOLDER,
    env: { ...process.env, GOPATH: join(SERVERS_FOLDER, 'gopath'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = join(SERVERS_FOLDER, 'install.log');
  child.stdout.on('data', (chunk: Buffer) => void appendFile(log, chunk));
  child.stderr.on('data', (chunk: Buffer) => void appendFile(log, chunk));
  const ended: unknown[] = await Promise.race([once(child, 'exit'), once(child, 'error')]);
  return ended[0] === 0 ? undefined : `${program} ${args.join(' ')}: ended with ${ended[0]} (${log})`;
};

await mkdir(MODELS_FOLDER, { recursive: true });
let missing = 0;
const named = process.argv.slice(2);
for (const server of [MODEL_MAKER, MLX, ...REAL_SERVERS]) {
  if (named.length > 0 && server !== MODEL_MAKER && !named.includes(server.name)) continue;
  const problem = await install(server);
  if (problem !== undefined) missing += 1;
  process.stdout.write(`${server.name}: ${problem ?? 'installed'}\n`);
}
const maker = fileURLToPath(new URL('tiny-model.py', import.meta.url));
const problem = await run([MODEL_MAKER.program, maker, MODELS_FOLDER], {});
await writeFile(join(MODELS_FOLDER, 'Modelfile'), 'FROM ./tiny.gguf\n');
process.stdout.write(`model: ${problem ?? MODELS_FOLDER}\n`);
process.exitCode = missing > 0 || problem !== undefined ? 1 : 0;
