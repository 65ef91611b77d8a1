// A cable that takes its time: passes on what comes, each way so many ms later. Not every kernel can delay packets (netem).
//   node slow-relay-process.ts LISTEN-HOST:PORT TARGET-HOST:PORT MS

import net from 'node:net';

const [listen = '', target = '', delay = ''] = process.argv.slice(2);
const delayMs = Number(delay);

const passLater = (source: net.Socket, sink: net.Socket): void => {
  source.on('data', bytes => setTimeout(() => sink.write(bytes), delayMs));
  source.on('close', () => setTimeout(() => sink.destroy(), delayMs));
  source.on('error', () => source.destroy());
};

const partsOf = (address: string): { readonly host: string; readonly port: number } => {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
};

net
  .createServer({ noDelay: true }, socket => {
    const onward = net.connect({ ...partsOf(target), noDelay: true });
    passLater(socket, onward);
    passLater(onward, socket);
  })
  .listen(partsOf(listen), () => process.stdout.write('relaying\n'));
