import { afterAll, beforeAll } from 'vitest';
import { describeExchange } from '../../contract/exchange-contract.ts';
import { natsExchange } from '../../support/exchange-networks.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';

const program = natsProgram();
let server: NatsServer | undefined;

beforeAll(async () => {
  if (program === undefined) return;
  server = await NatsServer.start({ program });
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

describeExchange(
  `NATS by nats-server ${program?.version ?? '(none)'}`,
  async () => {
    if (server === undefined) throw new Error(NO_NATS_SERVER);
    return natsExchange(server);
  },
  program === undefined ? NO_NATS_SERVER : undefined,
);
