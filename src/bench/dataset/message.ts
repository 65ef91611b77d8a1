// A message of a chat, unchanged: the server decides which roles and contents are valid.

export interface Message {
  readonly role: string;
  /** Text, or parts as the API defines them. */
  readonly content?: string | readonly object[] | null;
  readonly [key: string]: unknown;
}
