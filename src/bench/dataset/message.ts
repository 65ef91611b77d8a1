// A message of a chat, kept as it came: what a role or a content may be is the server's business.

export interface Message {
  readonly role: string;
  /** Text, or parts as the API has them. */
  readonly content?: string | readonly object[] | null;
  readonly [key: string]: unknown;
}
