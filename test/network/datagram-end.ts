// One end of a cable that is looked at packet by packet: `echo` answers, `ask ADDRESS COUNT` prints which of its datagrams came back
// and the shortest time that one took. It goes on asking after the last until one of those comes back.

import { createSocket } from 'node:dgram';

const [role, address = '', count = '0'] = process.argv.slice(2);
const socket = createSocket('udp4');
const PORT = 4199;

if (role === 'echo') {
  socket.on('message', (message, from) => socket.send(message, from.port, from.address));
  socket.bind(PORT, '0.0.0.0', () => process.stdout.write('echoes\n'));
} else {
  const sentMs: number[] = [];
  const back: number[] = [];
  let leastMs = Number.POSITIVE_INFINITY;
  const sending = setInterval(() => {
    const number = sentMs.push(performance.now()) - 1;
    socket.send(String(number), PORT, address);
  }, 5);
  socket.on('message', message => {
    const number = Number(message.toString());
    leastMs = Math.min(leastMs, performance.now() - (sentMs[number] ?? Number.NaN));
    if (number < Number(count)) return void back.push(number);
    clearInterval(sending);
    process.stdout.write(JSON.stringify({ back, leastMs }));
    socket.close();
  });
}
