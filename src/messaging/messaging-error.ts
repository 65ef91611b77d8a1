// What can go wrong with a transport that is not a matter of a message's bytes.

export class MessagingError extends Error {
  override readonly name = 'MessagingError';
  readonly code: 'closed' | 'endpoint' | 'thread';

  constructor(code: MessagingError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
