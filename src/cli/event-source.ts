// Server-sent events (WHATWG HTML, section 9.2) from a body of bytes, as far as this daemon uses them.

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** @throws RangeError when an event grows past its bound. */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > EVENT_LENGTH_MAX) throw new RangeError('the daemon sent an event past its bound');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        name = '';
        data = [];
      } else if (line.startsWith('event: ')) name = line.slice('event: '.length);
      else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
    }
  }
}

/** A snapshot of a large cluster is some tens of MB. */
const EVENT_LENGTH_MAX = 256 * 1024 * 1024;
